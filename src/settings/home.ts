// Where everything is kept; known before any file is read.
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import type { Failure } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";
import type { Environment } from "./environment.ts";

export function resolveHome(env: Environment, userHome: string = homedir()): Result<string, Failure> {
  const name = homeVariable(env);
  const wanted = name && env[name]?.trim();
  if (!wanted) return ok(join(userHome, ".everlong"));
  if (isAbsolute(wanted)) return ok(resolve(wanted));
  return fail({
    code: "home_relative",
    what: `${name} is "${wanted}", which is not an absolute path.`,
    data: "Nothing was read or written.",
    next: `Set it to a full path, for example ${resolve(wanted)}, or leave it unset.`,
    exit: 1,
  });
}

/** The variable that says where home is; undefined when none does. */
export const homeVariable = (env: Environment): string | undefined =>
  ["EVERLONG_HOME", "COPILOT_HOME"].find((name) => env[name]?.trim());
