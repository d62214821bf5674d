// A small JSON file in EVERLONG_HOME that several processes change: read whole, changed under a lock, replaced at once.
import { randomBytes } from "node:crypto";
import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { z } from "zod";
import { errorCode, errorText, type Failure } from "../base/failure.ts";
import { parseJson } from "../base/json.ts";
import { fail, ok, type Result } from "../base/result.ts";

const LOCK_WAIT_MS = 5_000;
const LOCK_RETRY_MS = 20;
/** A change takes milliseconds: a lock this old was left by a process that died. */
const LOCK_STALE_MS = 10_000;

export type StateFile<T> = { path: string; schema: z.ZodType<T>; empty: T };

/** A file that is not there is empty. One that cannot be read is a failure: nobody may take it for empty. */
export async function readState<T>(file: StateFile<T>): Promise<Result<T, Failure>> {
  let text: string;
  try {
    text = await readFile(file.path, "utf8");
  } catch (error) {
    return errorCode(error) === "ENOENT" ? ok(file.empty) : fail(unreadable(file.path, errorText(error)));
  }
  const json = parseJson(text);
  const parsed = json.ok ? file.schema.safeParse(json.value) : undefined;
  return parsed?.success ? ok(parsed.data) : fail(unreadable(file.path, "it is not what Everlong wrote there"));
}

/** Nothing is lost when two processes change the file at once; a file that cannot be read is left as it is. */
export async function changeState<T>(file: StateFile<T>, change: (state: T) => T): Promise<Result<T, Failure>> {
  await mkdir(dirname(file.path), { recursive: true, mode: 0o700 });
  const lock = `${file.path}.lock`;
  if (!(await takeLock(lock))) return fail(busy(file.path));
  try {
    const state = await readState(file);
    if (!state.ok) return state;
    const next = change(state.value);
    await replaceFile(file.path, `${JSON.stringify(next, null, 2)}\n`);
    return ok(next);
  } finally {
    await rm(lock, { force: true });
  }
}

async function takeLock(lock: string): Promise<boolean> {
  const end = performance.now() + LOCK_WAIT_MS;
  while (performance.now() < end) {
    try {
      await (await open(lock, "wx", 0o600)).close();
      return true;
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
    if (await isStale(lock)) await rm(lock, { force: true });
    else await sleep(LOCK_RETRY_MS);
  }
  return false;
}

async function isStale(lock: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(lock)).mtimeMs > LOCK_STALE_MS;
  } catch {
    // It was given back in between: the next attempt will tell.
    return false;
  }
}

async function replaceFile(path: string, text: string): Promise<void> {
  const temp = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  const handle = await open(temp, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temp, path);
}

const unreadable = (path: string, why: string): Failure => ({
  code: "state_unreadable",
  what: `${path} cannot be read: ${why}.`,
  data: "The file is left as it is; nothing in it is in force.",
  next: "Repair or remove it.",
  exit: 1,
});

const busy = (path: string): Failure => ({
  code: "state_busy",
  what: `${path} is locked by another process.`,
  data: "Nothing was changed.",
  next: `Try again; if no Everlong is running, remove ${path}.lock.`,
  exit: 1,
});
