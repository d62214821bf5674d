// Where a folder stands in git, read from git's own files: starting git would cost more than all the rest of a start.
import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import type { SessionContext } from "../schema/session.ts";
import { isFolder } from "./paths.ts";

const MAX_BYTES = 16 * 1024 * 1024;

/** What is known of the folder; outside of git only the folder itself. Never throws. */
export function gitContext(folder: string): SessionContext {
  const cwd = realPath(folder);
  const place = findGit(cwd);
  if (!place) return { cwd };
  const head = small(join(place.gitDir, "HEAD"))?.trim();
  const ref = head?.startsWith("ref: ") ? head.slice(5) : undefined;
  const branch = ref?.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : undefined;
  const headCommit = ref ? commitOf(place, ref) : commitId(head);
  const repository = remoteOf(place);
  return {
    cwd,
    gitRoot: place.root,
    ...(repository ? { repository } : {}),
    ...(branch && branch !== ".invalid" ? { branch } : {}), // git's placeholder when refs are stored as tables
    ...(headCommit ? { headCommit } : {}),
  };
}

/**
 * The name under which memories of this place are kept: its repository's, else `local:` and the main work tree's folder,
 * so that clones and work trees share.
 */
export function repositoryKey(folder: string): string {
  const from = realPath(folder);
  const place = findGit(from);
  if (!place) return `local:${from}`;
  const main = place.commonDir.endsWith(`${sep}.git`) ? dirname(place.commonDir) : place.root;
  return remoteOf(place) ?? `local:${realPath(main)}`;
}

/** The repository's name, from its remote `origin`, else `upstream`, else the first by name. */
function remoteOf({ commonDir }: Git): string | undefined {
  const config = small(join(commonDir, "config")) ?? "";
  const names = [...config.matchAll(/^\s*\[remote "([^"\n]+)"\]/gm)].flatMap(([, name]) => name ?? []).sort();
  const name = ["origin", "upstream", ...names].find((one) => names.includes(one));
  return name === undefined ? undefined : remoteKey(remoteUrl(config, name));
}

/** `owner/name` on github.com, `host/path` elsewhere, in lower case and without credentials: one spelling for sessions and memories. */
export function remoteKey(url: string): string | undefined {
  const path = repositoryOf(url)?.toLowerCase();
  const host = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^@/]*@)?([^/:@\s]+)[:/]/i.exec(url)?.[1]?.toLowerCase();
  if (path === undefined || host === undefined) return undefined;
  return host === "github.com" || host === "ssh.github.com" ? path : `${host}/${path}`;
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

function remoteUrl(config: string, name: string): string {
  const section = config.split(/^(?=\s*\[)/m).find((text) => text.trimStart().startsWith(`[remote "${name}"]`)) ?? "";
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

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path); // a folder that is gone is still where the session was
  }
}
