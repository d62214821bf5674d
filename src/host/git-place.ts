// Whether a git repository lies where the folder may be read: no link, borrowed objects or made-up `.git` leads to another one.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fail, ok, type Result } from "../base/result.ts";
import { existingTarget } from "./files.ts";
import { type ConfigEntry, configValue } from "./git-config.ts";
import { isInside } from "./paths.ts";

/** The places as git itself names them. */
export type GitPlace = { root: string; gitDir: string; commonDir: string };

/** The folders of the repository, when it may be read; the error is the end of a sentence. */
export function checkPlace(
  place: GitPlace,
  folders: readonly string[],
  config: readonly ConfigEntry[],
): Result<string[], string> {
  const root = existingTarget(place.root);
  const gitDir = existingTarget(place.gitDir);
  const commonDir = existingTarget(place.commonDir);
  if (root === undefined || gitDir === undefined || commonDir === undefined) return fail("its git folder is not there");
  const isAllowed = (path: string) => folders.some((folder) => isInside(path, folder));
  if (!isAllowed(root)) return fail(`its git work tree is outside the folder: ${root}`);
  const isOwn = isAllowed(gitDir) ? isAllowed(commonDir) : belongs({ root, gitDir, commonDir }, config);
  if (!isOwn) return fail(`its git folder is outside the folder: ${isAllowed(gitDir) ? commonDir : gitDir}`);
  if (hasContent(join(commonDir, "objects/info/alternates")))
    return fail("its git repository borrows from another one");
  const foreign = foreignFile(config, root, (path) => isAllowed(path) || isInside(path, commonDir));
  if (foreign !== undefined) return fail(`its git configuration names a file outside the folder: ${foreign}`);
  // What lies outside was made by the person's own git.
  const link = [...new Set([gitDir, commonDir])].filter(isAllowed).map(findLink).find(Boolean);
  if (link) return fail(`its git folder has a link, or too much to look through: ${link}`);
  return ok([...new Set([gitDir, commonDir])]);
}

/** Files whose lines git would show, by name or by its complaints. */
const NAMES_FILE = /^(core\.(attributesfile|excludesfile)|mailmap\.file|diff\.orderfile)$/;

/** The first file that the repository's own configuration includes or names, and that may not be read. */
function foreignFile(
  config: readonly ConfigEntry[],
  root: string,
  mayRead: (path: string) => boolean,
): string | undefined {
  const own = config.filter(({ scope }) => scope === "local" || scope === "worktree");
  const paths = own.flatMap(({ origin, key, value }) => [
    origin.replace(/^file:/, ""),
    ...(NAMES_FILE.test(key) && value !== "" ? [/^[~%]/.test(value) ? `/${value}` : value] : []),
  ]);
  return [...new Set(paths)].find((path) => {
    const full = resolve(root, path);
    return !mayRead(existingTarget(full) ?? full);
  });
}

/** A linked work tree or a submodule is known to the repository that it names; a made-up `.git` file is not. */
function belongs({ root, gitDir, commonDir }: GitPlace, config: readonly ConfigEntry[]): boolean {
  if (gitDir === commonDir) {
    const workTree = configValue(config, "core.worktree");
    return workTree !== undefined && existingTarget(resolve(gitDir, workTree)) === root;
  }
  const back = textOf(join(gitDir, "gitdir"))?.trim();
  const isListed = dirname(gitDir) === join(commonDir, "worktrees");
  return isListed && back !== undefined && existingTarget(dirname(resolve(gitDir, back))) === root;
}

/** Never read by a command that only looks, or read by the name of its content. */
const UNREAD = /^(annex|hooks|lfs|modules|objects\/[0-9a-f]{2})$/;
const MAX_ENTRIES = 20_000;

/** The first link below, or the folder at which there was too much. */
function findLink(gitDir: string): string | undefined {
  let count = 0;
  const waiting = [""];
  for (let below = waiting.pop(); below !== undefined; below = waiting.pop()) {
    for (const entry of entriesOf(join(gitDir, below))) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isSymbolicLink() || ++count > MAX_ENTRIES) return join(gitDir, path);
      if (entry.isDirectory() && !UNREAD.test(path)) waiting.push(path);
    }
  }
  return undefined;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // git cannot read it either
  }
}

const hasContent = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // absent: no back link
  }
}
