// Changes a file that others change too: locked, read, changed, written as a whole.
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { atomicWrite, type WriteOptions } from "./atomic-write.ts";
import { type Fault, faultOf } from "./fault.ts";
import { acquireLock } from "./lock.ts";

type UpdateOptions = WriteOptions & {
  /** Folder of lock files, so that none is left in a repository. */
  locks: string;
  signal?: AbortSignal;
  limitMs?: number;
};

/** The change gets the text as it is now (undefined: no file) and gives the new one; its failure leaves the file alone. */
export async function updateFile<E>(
  path: string,
  change: (text: string | undefined) => Result<string, E> | Promise<Result<string, E>>,
  options: UpdateOptions,
): Promise<Result<string, E | Fault>> {
  const lock = await acquireLock(join(options.locks, await lockName(path)), { limitMs: 5000, ...options });
  if (!lock.ok) return lock;
  try {
    const before = await readText(path);
    if (!before.ok) return before;
    const after = await change(before.value);
    if (!after.ok || after.value === before.value) return after;
    const written = await atomicWrite(path, after.value, options);
    return written.ok ? after : written;
  } finally {
    lock.value.release();
  }
}

async function readText(path: string): Promise<Result<string | undefined, Fault>> {
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return ok(await handle.readFile("utf8"));
    } finally {
      await handle.close();
    }
  } catch (error) {
    return errorCode(error) === "ENOENT" ? ok(undefined) : fail(faultOf(error, path));
  }
}

/** One lock a file, by whatever path its folder is reached. */
async function lockName(path: string): Promise<string> {
  const folder = dirname(path);
  const real = await realpath(folder).catch(() => folder); // a folder that is still to be made has one path
  return `${createHash("sha256")
    .update(join(real, basename(path)))
    .digest("hex")
    .slice(0, 32)}.lock`;
}
