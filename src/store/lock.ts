// Locks that the kernel holds: an SQLite transaction on a lock file. They end with their process, however it dies.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { isRecord, parseJson } from "../base/json.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { type Fault, faultAt } from "./fault.ts";
import { type BusyOptions, createPrivate, type Database, sqlite, whileBusy } from "./sqlite.ts";

type Holder = { pid: number; host: string };
export type LockFault = Fault & { heldBy?: Holder };
export type Lock = {
  readonly path: string;
  /** Gives the lock back; a second call does nothing. */
  release(): void;
};
export type LockOptions = BusyOptions & {
  /** Shared locks exclude only an exclusive one. */
  mode?: "exclusive" | "shared";
  /** Who takes it, written beside an exclusive lock for the message to others; it decides nothing. */
  note?: Holder;
};

/** A database that nobody refers to would be closed by the garbage collector, and the lock with it. */
const openLocks = new Set<Database>();

/** Takes the lock, at once or within `limitMs` (none by default); `store_busy` when another has it. */
export async function acquireLock(path: string, options: LockOptions = {}): Promise<Result<Lock, LockFault>> {
  const { mode = "exclusive", note, limitMs = 0 } = options;
  const taken = await whileBusy(path, () => take(path, mode), { ...options, limitMs });
  if (!taken.ok) {
    if (taken.error.code !== "store_busy") return taken;
    const heldBy = readHolder(path);
    const who = heldBy ? `process ${heldBy.pid} on ${heldBy.host}` : "another process";
    const busy: LockFault = faultAt("store_busy", path, `it is in use by ${who}`);
    return fail(heldBy ? { ...busy, heldBy } : busy);
  }
  const db = taken.value;
  const owned = mode === "exclusive" && note !== undefined;
  if (owned) writeNote(path, note);
  return ok({
    path,
    release() {
      if (!openLocks.delete(db)) return;
      if (owned) rmSync(notePath(path), { force: true });
      db.close();
    },
  });
}

function take(path: string, mode: "exclusive" | "shared"): Database {
  createPrivate(path);
  const db = new (sqlite().DatabaseSync)(path);
  try {
    db.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY"); // no journal file beside the lock
    db.exec(mode === "exclusive" ? "BEGIN EXCLUSIVE" : "BEGIN; SELECT count(*) FROM sqlite_master");
  } catch (error) {
    db.close();
    throw error;
  }
  openLocks.add(db);
  return db;
}

const notePath = (path: string): string => `${path}.holder`;

function writeNote(path: string, note: Holder): void {
  try {
    writeFileSync(notePath(path), JSON.stringify(note), { mode: 0o600 });
  } catch {
    // a full disk: the lock holds without its note, only the message to others loses the name
  }
}

export function readHolder(path: string): Holder | undefined {
  let text: string;
  try {
    text = readFileSync(notePath(path), "utf8");
  } catch {
    return undefined; // no note: the message goes without a name
  }
  const note = parseJson(text);
  if (!note.ok || !isRecord(note.value)) return undefined;
  const { pid, host } = note.value;
  return typeof pid === "number" && typeof host === "string" ? { pid, host } : undefined;
}
