// Paths for completion: the folder's files that ignore rules leave in, listed once and for a moment kept.
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { fuzzyScore } from "../../base/fuzzy.ts";
import { childEnvironment } from "../../host/environment.ts";
import { ripgrep } from "../../host/ripgrep.ts";
import type { TypingAccess } from "../client/typing.ts";
import type { OpenSession } from "./assemble.ts";

const LIST = [
  "--no-config",
  "--no-messages",
  "--color=never",
  "--hidden",
  "--no-require-git",
  "--glob=!.git",
  "--files",
  "--null",
];
const LIMIT_MS = 20_000;
const MAX_BYTES = 32 * 1024 * 1024;
const FRESH_MS = 5_000;
/** After so many comparisons the keys get their turn. */
const SLICE = 10_000;

type PathList = { cwd: string; at: number; paths: Promise<readonly string[]> };

export function pathFinder(open: Pick<OpenSession, "workspace" | "owner" | "session">): TypingAccess["findPaths"] {
  let list: PathList | undefined;
  return async (letters, limit, signal) => {
    const { cwd } = open.session.state.context;
    if (!list || list.cwd !== cwd || Date.now() - list.at > FRESH_MS)
      list = { cwd, at: Date.now(), paths: listPaths(open, cwd) };
    const paths = await list.paths;
    const best: { path: string; score: number }[] = [];
    for (const [i, path] of paths.entries()) {
      if (i % SLICE === SLICE - 1) await new Promise((resolve) => setImmediate(resolve));
      if (signal.aborted) return [];
      const score = fuzzyScore(letters, path);
      if (score !== undefined) best.push({ path, score });
    }
    const matches = best.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1)).map(({ path }) => path);
    return [...new Set([...typedExactly(cwd, letters), ...matches])].slice(0, limit);
  };
}

/** What ignore rules leave out is offered only when it is typed whole. */
function typedExactly(cwd: string, letters: string): string[] {
  if (letters === "" || !existsSync(join(cwd, letters))) return [];
  return [statSync(join(cwd, letters)).isDirectory() && !letters.endsWith("/") ? `${letters}/` : letters];
}

async function listPaths(
  { workspace, owner }: Pick<OpenSession, "workspace" | "owner">,
  cwd: string,
): Promise<readonly string[]> {
  const env = childEnvironment({ base: workspace.env, secrets: workspace.secrets });
  const search = {
    owner,
    args: LIST,
    cwd,
    env,
    limitMs: LIMIT_MS,
    maxBytes: MAX_BYTES,
    signal: AbortSignal.timeout(LIMIT_MS),
  };
  const end = await ripgrep(search);
  const files = end.stdout.toString("utf8").split("\0").filter(Boolean);
  const folders = new Set<string>();
  for (const file of files)
    for (let at = file.indexOf("/"); at >= 0; at = file.indexOf("/", at + 1)) folders.add(file.slice(0, at + 1));
  return [...folders, ...files];
}
