// What git itself says of a folder, its recent and its changed files: within a limit, without network, and without starting anything
// that the repository's own configuration names.
import { execFile } from "node:child_process";
import { normalize } from "node:path";
import { type ChildEnvironment, childEnvironment } from "./environment.ts";
import { gitContext } from "./git.ts";
import { harmlessGit } from "./harmless-git.ts";

const COMMITS = 50;
const MAX_BYTES = 4 * 1024 * 1024;
const LOG = ["log", `-${COMMITS}`, "--name-only", "--format=", "-z", "--relative", "--no-renames", "--"];

type GitLimits = { env: ChildEnvironment; limitMs: number };

/** Relative to the folder. Undefined: no git, no commit, too much, too late, or a repository that leads elsewhere. */
export async function recentFiles(folder: string, limits: GitLimits): Promise<ReadonlySet<string> | undefined> {
  const out = await gitOutput(LOG, folder, limits);
  return out === undefined
    ? undefined
    : new Set(out.split(/[\0\n]/).flatMap((path) => (path === "" ? [] : normalize(path))));
}

/** Whether files differ from the last commit. Undefined: nobody can say in time. */
export async function hasChanges(folder: string, limits: GitLimits): Promise<boolean | undefined> {
  const out = await gitOutput(["status", "--porcelain"], folder, limits);
  return out === undefined ? undefined : out.trim() !== "";
}

async function gitOutput(
  args: readonly string[],
  folder: string,
  { env, limitMs }: GitLimits,
): Promise<string | undefined> {
  const { cwd, gitRoot = cwd } = gitContext(folder);
  const git = await harmlessGit({ args, cwd, env: childEnvironment(env), folders: [gitRoot], limitMs });
  if (!git.ok) return undefined;
  const options = {
    cwd,
    env: git.value.env,
    timeout: limitMs,
    killSignal: "SIGKILL",
    maxBuffer: MAX_BYTES,
    windowsHide: true,
  } as const;
  return new Promise((resolve) => {
    execFile("git", git.value.args, options, (failed, out) => resolve(failed ? undefined : out));
  });
}
