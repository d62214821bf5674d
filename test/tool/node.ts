// The Nodes of this machine: an old one starts the program as a child, or says what is needed.
import { execFileSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { delimiter, join } from "node:path";

export type NodeProgram = { path: string; version: string };

/** The suite's own first, then those on PATH that are of another version. */
export const nodes: readonly NodeProgram[] = [
  process.execPath,
  ...(process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "node")),
]
  .filter((path) => existsSync(path))
  .map((path) => realpathSync(path))
  .filter((path, i, all) => all.indexOf(path) === i)
  .map((path) => ({ path, version: execFileSync(path, ["--version"], { encoding: "utf8" }).trim() }))
  .filter(({ version }, i, all) => all.findIndex((other) => other.version === version) === i);

export const otherNodes: readonly NodeProgram[] = nodes.slice(1);
