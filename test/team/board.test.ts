// W2: boards on PostgreSQL pass the very cases that they pass on SQLite.
import { afterAll, beforeAll } from "vitest";
import { describeBoardStore } from "../../src/memory/board/conformance-fixture.ts";
import { closeSharedServer, newTeamDatabase, sharedServer } from "../../src/store/postgres/postgres-fixture.ts";

beforeAll(sharedServer);
afterAll(closeSharedServer);

describeBoardStore("W2 PostgreSQL", async () => (await newTeamDatabase()).store("acme"), 2);
