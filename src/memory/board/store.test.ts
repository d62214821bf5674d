import { describe } from "vitest";
import { embeddedStore } from "../../store/embedded-store.ts";
import { openBoard } from "./board-fixture.ts";
import { boardCases } from "./store-cases.ts";

describe("SQLite", () => boardCases(async () => embeddedStore(await openBoard())));
