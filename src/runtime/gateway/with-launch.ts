// The launch files of one `everlong with`: a private folder under home, named by the process, gone when the run ends.
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Failure } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { isAlive } from "../../host/survivors.ts";
import { faultOf } from "../../store/fault.ts";

type LaunchFile = { path: string; mode: number; text: string };

const parentOf = (home: string): string => join(home, "with");

export const launchFolder = (home: string, pid: number): string => join(parentOf(home), String(pid));

/** A process that has a launch folder is a run: a gateway in it ends with its agent. */
export const isOfRun = (home: string, pid: number): boolean => existsSync(launchFolder(home, pid));

/** Makes the folder, and takes away what killed runs have left. */
export function openLaunch(home: string): Result<string, Failure> {
  const folder = launchFolder(home, process.pid);
  try {
    mkdirSync(parentOf(home), { recursive: true, mode: 0o700 });
    chmodSync(parentOf(home), 0o700);
    for (const name of readdirSync(parentOf(home)).filter((name) => /^[1-9]\d*$/.test(name))) {
      if (Number(name) === process.pid || !isAlive(Number(name))) removeLaunch(join(parentOf(home), name));
    }
    mkdirSync(folder, { mode: 0o700 });
    return ok(folder);
  } catch (error) {
    return fail(faultOf(error, folder));
  }
}

export function writeLaunch(files: readonly LaunchFile[]): Result<void, Failure> {
  for (const { path, mode, text } of files) {
    try {
      writeFileSync(path, text, { flag: "wx", mode });
    } catch (error) {
      return fail(faultOf(error, path));
    }
  }
  return ok(undefined);
}

export function removeLaunch(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
