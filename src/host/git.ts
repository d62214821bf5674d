// Where a folder stands in git, read from git's own files: starting git would cost more than all the rest of a start.
import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { SessionContext } from "../schema/session.ts";

const MAX_BYTES = 16 * 1024 * 1024;

/** What is known of the folder; outside of git only the folder itself. Never throws. */
export function gitContext(folder: string): SessionContext {
  const cwd = realPath(folder);
  const found = findGit(cwd);
  if (!found) return { cwd };
  const head = small(join(found.gitDir, "HEAD"))?.trim();
  const ref = head?.startsWith("ref: ") ? head.slice(5) : undefined;
  const branch = ref?.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : undefined;
  const headCommit = ref ? commitOf(found, ref) : commitId(head);
  const repository = repositoryOf(originUrl(small(join(found.commonDir, "config")) ?? ""));
  return {
    cwd,
    gitRoot: found.root,
    ...(repository ? { repository } : {}),
    ...(branch && branch !== ".invalid" ? { branch } : {}), // git's placeholder when refs are stored as tables
    ...(headCommit ? { headCommit } : {}),
  };
}

type Git = { root: string; gitDir: string; commonDir: string };

function findGit(from: string): Git | undefined {
  for (let dir = from; ; dir = dirname(dir)) {
    const dotGit = join(dir, ".git");
    const gitDir = isFolder(dotGit) ? dotGit : linkedGitDir(dotGit, dir);
    if (gitDir && small(join(gitDir, "HEAD")) !== undefined) {
      const common = small(join(gitDir, "commondir"))?.trim();
      return { root: dir, gitDir, commonDir: common ? resolve(gitDir, common) : gitDir };
    }
    if (dirname(dir) === dir) return undefined;
  }
}

/** Worktrees and submodules have a file `.git` that names the real folder. */
function linkedGitDir(dotGit: string, dir: string): string | undefined {
  const target = /^gitdir: (.+)$/m.exec(small(dotGit) ?? "")?.[1];
  return target ? resolve(dir, target.trim()) : undefined;
}

function commitOf({ gitDir, commonDir }: Git, ref: string): string | undefined {
  const loose = small(join(gitDir, ref)) ?? small(join(commonDir, ref));
  if (loose !== undefined) return commitId(loose.trim());
  const line = small(join(commonDir, "packed-refs"))
    ?.split("\n")
    .find((l) => l.endsWith(` ${ref}`));
  return commitId(line?.split(" ")[0]);
}

function commitId(text: string | undefined): string | undefined {
  return text && /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(text) ? text : undefined;
}

function originUrl(config: string): string {
  const section = /^\s*\[remote "origin"\]([^[]*)/m.exec(config)?.[1] ?? "";
  return /^\s*url\s*=\s*"?([^"\n]+)"?\s*$/m.exec(section)?.[1]?.trim() ?? "";
}

/** `owner/name` of a remote address; nothing of user, password or host is kept. */
export function repositoryOf(url: string): string | undefined {
  const path =
    /^[a-z][a-z0-9+.-]*:\/\/[^/]+\/(.+)$/i.exec(url)?.[1] ?? // https://user:token@host/owner/name.git
    /^[^/:\s]+:(?!\/\/)(.+)$/.exec(url)?.[1]; // git@host:owner/name.git
  const name = path
    ?.replace(/[?#].*$/, "")
    .replace(/^\/+|\/+$/g, "")
    .replace(/\.git$/, "");
  return name && /^[^/\s@]+(\/[^/\s@]+)+$/.test(name) && !/^file:/i.test(url) ? name : undefined;
}

function small(path: string): string | undefined {
  try {
    const stat = statSync(path);
    return stat.isFile() && stat.size <= MAX_BYTES ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined; // absent or unreadable: not known
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path); // a folder that is gone is still where the session was
  }
}
