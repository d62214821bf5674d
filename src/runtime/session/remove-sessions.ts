// Stored sessions that go: one by name, or all that are old.
import { lstatSync, readdirSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { type Failure, refusal } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { forgetLearned } from "../../memory/forget-learned.ts";
import { IMPORT_PRODUCER } from "../../schema/imported.ts";
import { forgetSaid, forgetSession } from "../../session/index/index-session.ts";
import { readSession } from "../../session/read-session.ts";
import { replay } from "../../session/replay.ts";
import { faultOf } from "../../store/fault.ts";
import { acquireLock } from "../../store/lock.ts";
import type { Database } from "../../store/sqlite.ts";
import type { ResultPromise } from "../client/open.ts";
import { withStore } from "../with-store.ts";
import type { Workspace } from "../workspace.ts";

/** Gives those that could not be removed, and why. */
export function removeSessions(ids: readonly string[]): ResultPromise<{ id: string; failure: Failure }[]> {
  return withStore(async (db, workspace) => {
    const left: { id: string; failure: Failure }[] = [];
    for (const id of ids) {
      const gone = await removeSession(db, id, workspace);
      if (!gone.ok) left.push({ id, failure: gone.error });
    }
    return ok(left);
  });
}

/** With all that the index and the graph have of it. The lock is held until its folder is gone: refused while it is open somewhere. */
export async function removeSession(
  db: Database,
  id: string,
  { paths }: Pick<Workspace, "paths">,
): Promise<Result<void, Failure>> {
  const { dir } = paths.session(id);
  const isFolder = lstatSync(dir, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const lock = isFolder
    ? await acquireLock(join(dir, "session.lock"), { note: { pid: process.pid, host: hostname() } })
    : ok(undefined);
  if (!lock.ok) return fail(lock.error.code === "store_busy" ? inUse(id, lock.error.heldBy?.pid) : lock.error);
  try {
    // The lock file goes last: who finds it gone finds no session either.
    const others = isFolder ? readdirSync(dir).filter((name) => !name.startsWith("session.lock")) : [];
    for (const name of others) rmSync(join(dir, name), { recursive: true });
    rmSync(dir, { recursive: true });
  } catch (error) {
    return fail(faultOf(error, dir));
  } finally {
    lock.value?.release();
  }
  const outcome = await forgetSaid(db, id);
  return outcome.ok ? forgetSession(db, id, () => forgetLearned(db, id)) : outcome;
}

const inUse = (id: string, pid: number | undefined): Failure =>
  refusal(
    "session_in_use",
    `Session ${id} is open in another process${pid === undefined ? "" : ` (pid ${pid})`}.`,
    "Close it there first.",
  );

/** Those that nobody has named, imported ones aside: last used so many days ago, oldest first. */
export function oldSessions(days: number): ResultPromise<{ id: string; name: string; updatedAt: string }[]> {
  const before = new Date(Date.now() - days * 86_400_000).toISOString();
  return withStore(async (db, { paths }) => {
    const rows = db
      .prepare(
        `SELECT id, name, updated_at FROM sessions WHERE updated_at < ? AND source <> '${IMPORT_PRODUCER}' ORDER BY updated_at`,
      )
      .all(before);
    const old: { id: string; name: string; updatedAt: string }[] = [];
    for (const r of rows) {
      const [id, name, updatedAt] = [String(r["id"]), String(r["name"]), String(r["updated_at"])];
      const read = await readSession(paths.session(id));
      if (read.ok && !replay(read.value.events).userNamed) old.push({ id, name, updatedAt });
    }
    return ok(old);
  });
}
