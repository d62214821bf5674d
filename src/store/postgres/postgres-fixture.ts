// The PostgreSQL server of a test file: started by the first test that needs it, gone with the file.
import { onTestFinished } from "vitest";
import { startServer, type TestServer } from "./server-fixture.ts";
import { openTeamDatabase, type TeamDatabase } from "./team-database.ts";

let shared: Promise<TestServer> | undefined;

/** The one of this file; call it in `beforeAll`, and `closeSharedServer` in `afterAll`. */
export const sharedServer = (): Promise<TestServer> => (shared ??= startServer());
export async function closeSharedServer(): Promise<void> {
  const server = await shared;
  shared = undefined;
  await server?.close();
}

/** A new database of the shared server, closed with the test. */
export async function newTeamDatabase(url?: string): Promise<TeamDatabase & { url: string }> {
  const at = url ?? (await (await sharedServer()).newUrl());
  const opened = await openTeamDatabase(at);
  if (!opened.ok) throw new Error(opened.error.what);
  onTestFinished(() => opened.value.close());
  return { ...opened.value, url: at };
}
