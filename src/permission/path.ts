// Where a path really is: symbolic links followed component by component.
import { isUtf8 } from "node:buffer";
import { lstatSync, readlinkSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { errorCode } from "../base/failure.ts";
import { isInside } from "../host/paths.ts";

const MAX_LINKS = 40;

/**
 * The path with every link followed, `..` taken after the link before it, as the kernel does; what does not exist yet
 * is appended. undefined: it cannot be resolved (a loop, no leave to look), or text and kernel disagree on a `..`.
 */
export function realPath(path: string, cwd: string, seen: SeenLinks = new Map()): string | undefined {
  // Such a text is not what the kernel would be given.
  if (path.includes("\0") || !path.isWellFormed()) return undefined;
  const full = isAbsolute(path) ? path : `${cwd}/${path}`;
  const real = walk(full, seen);
  return full.split("/").includes("..") && walk(resolve(full), seen) !== real ? undefined : real;
}

/** What was looked up already, for many paths that are resolved at one moment. */
export type SeenLinks = Map<string, Link>;
type Link = { type: "plain" } | { type: "link"; target: string } | { type: "unknown" };

function walk(path: string, seen: SeenLinks): string | undefined {
  const rest = path.split("/").reverse();
  let real = "/";
  let links = 0;
  while (rest.length > 0) {
    const name = rest.pop();
    if (!name || name === ".") continue;
    if (name === "..") {
      real = join(real, "..");
      continue;
    }
    const next = join(real, name);
    const link = seen.get(next) ?? linkTarget(next);
    seen.set(next, link);
    if (link.type === "unknown") return undefined;
    if (link.type === "plain") {
      real = next;
      continue;
    }
    if (++links > MAX_LINKS) return undefined;
    if (isAbsolute(link.target)) real = "/";
    rest.push(...link.target.split("/").reverse());
  }
  return real;
}

function linkTarget(path: string): Link {
  try {
    if (!lstatSync(path).isSymbolicLink()) return { type: "plain" };
    // Names are bytes: one that is no text would be looked up as another name.
    const target = readlinkSync(path, "buffer");
    return isUtf8(target) ? { type: "link", target: target.toString() } : { type: "unknown" };
  } catch (error) {
    const code = errorCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? { type: "plain" } : { type: "unknown" };
  }
}

export const insideAny = (path: string | undefined, folders: readonly string[]): boolean =>
  path !== undefined && folders.some((folder) => isInside(path, folder));

/** The allowed folders as real paths; one that cannot be resolved is left out. */
export function realFolders(folders: readonly string[], cwd: string): string[] {
  return [...new Set(folders.map((f) => realPath(f, cwd)).filter((f) => f !== undefined))];
}
