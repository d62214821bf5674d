// Cited files looked up in the work tree: only regular files inside the root, of a bounded size, never through a link out of it.
import { closeSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import { looksBinary, openRegular, readAt, realTarget } from "../../host/files.ts";
import { isInside } from "../../host/paths.ts";
import type { Citation, CitationState } from "./contract.ts";
import type { WorkTree } from "./write-contract.ts";

const MAX_BYTES = 1024 * 1024;

type TreePlace = {
  /** Both are real paths. */
  root: string;
  cwd: string;
  /** Files of the last commits, relative to the root. */
  recent?: ReadonlySet<string>;
};

export function workTree({ root, cwd, recent }: TreePlace): WorkTree {
  const here = relative(root, cwd);
  return {
    check: (citation) => stateOf(root, citation),
    isNear(path) {
      const plain = relative(root, join(root, path));
      if (plain.startsWith("..")) return false;
      return here === "" || plain === here || plain.startsWith(here + sep) || (recent?.has(plain) ?? false);
    },
  };
}

function stateOf(root: string, { kind, path, endLine }: Citation): CitationState {
  if (kind !== "file" || path === undefined || path.includes("\0") || isAbsolute(path)) return "unverifiable";
  const real = realTarget(join(root, path));
  if (!isInside(real, root)) return "unverifiable";
  const opened = openRegular(real);
  if (!opened.ok) return opened.error.code === "not_found" ? "missing" : "unverifiable";
  const { fd, size } = opened.value;
  try {
    if (size > MAX_BYTES) return "unverifiable";
    if (endLine === undefined) return "verified";
    const bytes = readAt(fd, 0, size);
    if (looksBinary(bytes)) return "unverifiable";
    return endLine >= 1 && endLine <= linesIn(bytes) ? "verified" : "missing";
  } finally {
    closeSync(fd);
  }
}

function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lines++;
  return bytes.length > 0 && bytes[bytes.length - 1] !== 10 ? lines + 1 : lines;
}
