// A process that is meant to outlive us: in a group of its own, without our terminal. Its owner is itself.
import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { errorText } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";

type Detached = {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
  /** Where its errors go; begun anew when it has grown too long. */
  log: string;
};

const LOG_BYTES = 1024 * 1024;

/** Resolves as soon as it is known whether it started. */
export async function spawnDetached({ command, args, cwd, env, log }: Detached): Promise<Result<void, string>> {
  let errors: number | undefined;
  try {
    mkdirSync(dirname(log), { recursive: true, mode: 0o700 });
    const isLong = (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES;
    errors = openSync(log, isLong ? "w" : "a", 0o600);
    const child = spawn(command, args, { cwd, env, detached: true, stdio: ["ignore", "ignore", errors] });
    return await new Promise((resolve) => {
      child.once("error", (error) => resolve(fail(errorText(error))));
      child.once("spawn", () => {
        child.unref();
        resolve(ok(undefined));
      });
    });
  } catch (error) {
    return fail(errorText(error));
  } finally {
    if (errors !== undefined) closeSync(errors);
  }
}
