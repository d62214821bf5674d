// W2: boards on PostgreSQL pass the very cases that they pass on SQLite.
import { afterAll, beforeAll, describe } from "vitest";
import { boardCases } from "../../src/memory/board/store-cases.ts";
import { closeSharedServer, newTeamDatabase, sharedServer } from "../../src/store/postgres/postgres-fixture.ts";

beforeAll(sharedServer);
afterAll(closeSharedServer);

describe("W2 PostgreSQL", () => boardCases(async () => (await newTeamDatabase()).store("acme"), 2));
