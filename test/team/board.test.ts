import { describeBoardStore } from "../../src/memory/board/conformance-fixture.ts";
import { newTeamDatabase } from "../../src/store/postgres/postgres-fixture.ts";

describeBoardStore("W2 PostgreSQL", async () => (await newTeamDatabase()).store("acme"), 2);
