// The board on SQLite passes the cases that it passes on PostgreSQL (test/team/board.test.ts).
import { embeddedStore } from "../../store/embedded-store.ts";
import { openBoard } from "./board-fixture.ts";
import { describeBoardStore } from "./conformance-fixture.ts";

describeBoardStore("SQLite", async () => embeddedStore(await openBoard()));
