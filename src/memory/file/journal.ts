// Records on their way into a repository's file: kept in EVERLONG_HOME from the moment they are stored, so that a killed
// process loses nothing. One journal for each work tree, shared by all processes under one lock.
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode } from "../../base/failure.ts";
import { encodeLine } from "../../base/json-line.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { type Fault, faultOf } from "../../store/fault.ts";
import { acquireLock } from "../../store/lock.ts";
import type { MemoryFileLine } from "./lines.ts";
import { type FileMemory, noMemory, readFileMemory } from "./merge.ts";

/** Lines to be added, or none, and what is to be said of it. */
export type Appending<T> = { lines?: readonly MemoryFileLine[]; outcome: T };

export type FileJournal = {
  readonly path: string;
  /** Nobody else appends between what the work looks at and the lines it adds. */
  append<T>(work: () => Promise<Appending<T>>, signal: AbortSignal): Promise<Result<T, Fault>>;
  read(): Promise<Result<FileMemory, Fault>>;
  /** Nobody appends meanwhile; what the work gives true for is in the files, and the journal is emptied. */
  drain(work: (waiting: FileMemory) => Promise<boolean>, signal: AbortSignal): Promise<Result<boolean, Fault>>;
};

const LOCK_MS = 5000;

/** `root`: the real path of the work tree. */
export function journalOf(home: string, root: string): FileJournal {
  const name = createHash("sha256").update(root).digest("hex").slice(0, 32);
  const path = join(home, "pending", `${name}.jsonl`);
  const locked = async <T>(work: () => Promise<T>, signal: AbortSignal): Promise<Result<T, Fault>> => {
    const lock = await acquireLock(join(home, "locks", `pending-${name}.lock`), { limitMs: LOCK_MS, signal });
    if (!lock.ok) return lock;
    try {
      return ok(await work());
    } catch (error) {
      return fail(faultOf(error, path));
    } finally {
      lock.value.release();
    }
  };
  const read = async (): Promise<FileMemory> => {
    try {
      return readFileMemory(await readFile(path, "utf8"));
    } catch (error) {
      if (errorCode(error) === "ENOENT") return noMemory;
      throw error;
    }
  };
  return {
    path,
    append: (work, signal) =>
      locked(async () => {
        const { lines = [], outcome } = await work();
        if (lines.length > 0) await append(path, lines);
        return outcome;
      }, signal),
    async read() {
      try {
        return ok(await read());
      } catch (error) {
        return fail(faultOf(error, path));
      }
    },
    drain: (work, signal) =>
      locked(async () => {
        const waiting = await read();
        const isDone = await work(waiting);
        if (isDone) await rm(path, { force: true });
        return isDone;
      }, signal),
  };
}

/** In one write. It begins with a line end of its own: a line that another process left half written stays by itself. */
async function append(path: string, lines: readonly MemoryFileLine[]): Promise<void> {
  const { O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const handle = await open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600);
  try {
    await handle.writeFile(lines.map(({ value }) => `\n${encodeLine(value)}`).join(""));
    await handle.datasync();
  } finally {
    await handle.close();
  }
}
