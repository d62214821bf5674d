// Databases for tests on the one PostgreSQL server that all suites of a run share (test/team/server.ts starts it).
import { inject, onTestFinished } from "vitest";
import { type RunningServer, serverAt } from "./server-fixture.ts";
import { openTeamDatabase, type TeamDatabase } from "./team-database.ts";

declare module "vitest" {
  interface ProvidedContext {
    postgresPort: number;
  }
}

/** Nobody stops it, and what a test changes in it stands in a database of its own. */
export const sharedServer = (): RunningServer => serverAt(inject("postgresPort"));

/** A new database of the shared server, closed with the test. */
export async function newTeamDatabase(url?: string): Promise<TeamDatabase & { url: string }> {
  const at = url ?? (await sharedServer().newUrl());
  const opened = await openTeamDatabase(at);
  if (!opened.ok) throw new Error(opened.error.what);
  onTestFinished(() => opened.value.close());
  return { ...opened.value, url: at };
}
