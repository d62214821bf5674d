// Home as a whole: shared by every process that works in it, held alone by the one that replaces or removes it.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ok, type Result } from "../base/result.ts";
import { acquireLock, type Lock, type LockFault } from "./lock.ts";
import type { BusyOptions } from "./sqlite.ts";

export const homeLockPath = (home: string): string => join(home, "locks", "home.lock");

/** Ours, until the process ends. */
const shares = new Map<string, Lock>();

/** Fails only while another process has home alone; a disk on which no lock can be made is used without. */
export async function shareHome(home: string, options: BusyOptions = {}): Promise<Result<void, LockFault>> {
  if (shares.has(home)) return ok(undefined);
  const taken = await acquireLock(homeLockPath(home), { ...options, mode: "shared" });
  if (taken.ok) shares.set(home, taken.value);
  return taken.ok || taken.error.code !== "store_busy" ? ok(undefined) : taken;
}

/** Alone: our own share is given back first and is not taken again. */
export function holdHomeAlone(home: string, options: BusyOptions = {}): Promise<Result<Lock, LockFault>> {
  shares.get(home)?.release();
  shares.delete(home);
  return acquireLock(homeLockPath(home), options);
}

/** Processes that hold a lock on the file, as the kernel lists them; none where it does not tell. Nothing is opened. */
export function lockHolders(path: string): number[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return [];
  let table: string;
  try {
    table = readFileSync("/proc/locks", "utf8");
  } catch {
    return []; // no such list on this system
  }
  const pids = [...table.matchAll(/^\d+: POSIX +\w+ +\w+ +(\d+) \w+:\w+:(\d+) /gm)]
    .filter(([, , inode]) => Number(inode) === stat.ino)
    .map(([, pid]) => Number(pid));
  return [...new Set(pids)];
}
