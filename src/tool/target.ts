// The path that a tool works on: made absolute, then resolved and judged again at the moment of use.
import { homedir } from "node:os";
import { join, relative, resolve } from "node:path";
import { fail, ok, type Result } from "../base/result.ts";
import { realTarget } from "../host/files.ts";
import { failure, type ToolContext, type ToolOutcome } from "./contract.ts";

export function absolutePath(path: string, cwd: string): string {
  if (path === "~" || path.startsWith("~/")) return join(homedir(), path.slice(1));
  return resolve(cwd, path);
}

/** The real path to open, or the refusal. Links may have changed since permission was given. */
export function targetOf(path: string, context: Pick<ToolContext, "cwd" | "allowedPath">): Result<string, ToolOutcome> {
  if (path.includes("\0")) return fail(failure("invalid_inputs", "The path contains a NUL byte."));
  const absolute = absolutePath(path, context.cwd);
  const real = realTarget(absolute);
  if (context.allowedPath(real)) return ok(real);
  const leads = real === absolute ? "" : ` It leads to ${real}.`;
  return fail(failure("denied", `${absolute} is not allowed.${leads}`));
}

/** A path as the model should write it: relative inside the working folder, else absolute. */
export function shownPath(path: string, cwd: string): string {
  const inside = relative(cwd, path);
  return inside === "" ? "." : inside.startsWith("..") ? path : inside;
}
