// Stored sessions that go: one by name, or all that are old.
import { lstatSync, readdirSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Failure } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { forgetSession } from "../../session/index/index-session.ts";
import { readSession } from "../../session/read-session.ts";
import { replay } from "../../session/replay.ts";
import { faultOf } from "../../store/fault.ts";
import { acquireLock } from "../../store/lock.ts";
import type { Database } from "../../store/sqlite.ts";
import { lookUpSession } from "../store.ts";
import type { Workspace } from "../workspace.ts";
import { type Printed, usage, withStore } from "./stored-sessions.ts";

/** Works on what the index knows: a log that cannot be read can be deleted too. */
export function deleteSession(wanted: string, options: { yes?: boolean }): Promise<Printed> {
  return withStore(async (db, workspace) => {
    const found = await lookUpSession(wanted, workspace.paths, workspace.indexing);
    if (!found.ok) return found;
    const id = found.value;
    if (!options.yes) {
      const row = db
        .prepare(
          "SELECT name, (SELECT count(*) FROM turns WHERE session_id = ?1) AS prompts FROM sessions WHERE id = ?1",
        )
        .get(id);
      return usage(
        `This would delete session ${id} (${row?.["name"] || "unnamed"}, ${row?.["prompts"] ?? 0} prompts) for good.`,
        "Add --yes to do it.",
      );
    }
    const gone = await removeSession(db, id, workspace);
    return gone.ok ? ok(`Session ${id} is deleted. Memories made from it stay.`) : gone;
  });
}

/** The session's lock is held until its folder is gone: refused while it is open somewhere. */
async function removeSession(db: Database, id: string, { paths }: Workspace): Promise<Result<void, Failure>> {
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
  return forgetSession(db, id);
}

const inUse = (id: string, pid: number | undefined): Failure => ({
  code: "session_in_use",
  what: `session_in_use: session ${id} is open in another process${pid === undefined ? "" : ` (pid ${pid})`}.`,
  data: "Nothing was changed.",
  next: "Close it there first.",
  exit: 1,
});

export function pruneSessions(options: { olderThan: string; dryRun?: boolean; yes?: boolean }): Promise<Printed> {
  const age = /^(\d{1,5})d$/.exec(options.olderThan);
  if (!age) return Promise.resolve(usage(`"${options.olderThan}" is not an age.`, "Write days, for example 30d."));
  const before = new Date(Date.now() - Number(age[1]) * 86_400_000).toISOString();
  return withStore(async (db, workspace) => {
    const rows = db
      .prepare("SELECT id, name, updated_at FROM sessions WHERE updated_at < ? ORDER BY updated_at")
      .all(before);
    const old: { id: string; text: string }[] = [];
    for (const r of rows) {
      const read = await readSession(workspace.paths.session(String(r["id"])));
      if (read.ok && !replay(read.value.events).userNamed)
        old.push({ id: String(r["id"]), text: `${r["id"]}  ${r["updated_at"]}  ${r["name"]}` });
    }
    if (old.length === 0) return ok("Nothing is that old.");
    if (options.dryRun || !options.yes)
      return ok(
        [
          ...old.map((o) => o.text),
          `${old.length} would be deleted${options.dryRun ? "" : "; add --yes to do it"}.`,
        ].join("\n"),
      );
    const kept: string[] = [];
    for (const { id } of old) {
      const gone = await removeSession(db, id, workspace);
      if (!gone.ok) kept.push(`${id}: ${gone.error.what}`);
    }
    return ok([`${old.length - kept.length} deleted.`, ...kept].join("\n"));
  });
}
