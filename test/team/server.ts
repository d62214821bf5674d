// The PostgreSQL server of all team suites, started before the first of them: each test has a database of its own on it.
import type { TestProject } from "vitest/node";
import type {} from "../../src/store/postgres/postgres-fixture.ts";
import { startServer } from "../../src/store/postgres/server-fixture.ts";

export default async function startSharedServer(project: TestProject): Promise<() => Promise<void>> {
  // Nodes of several suites are connected at once, each with a pool.
  const server = await startServer(["fsync=off", "max_connections=400"]);
  project.provide("postgresPort", server.port);
  return server.close;
}
