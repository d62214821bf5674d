// Files that the last commits touched, asked of git itself: within a limit, without network, and without starting anything
// that the repository's own configuration names.
import { execFile } from "node:child_process";
import { normalize } from "node:path";
import { type ChildEnvironment, childEnvironment } from "./environment.ts";

const COMMITS = 50;
const MAX_BYTES = 4 * 1024 * 1024;
const LOG = ["--no-pager", "log", `-${COMMITS}`, "--name-only", "--format=", "-z", "--relative", "--no-renames"];
const NOTHING_ELSE = ["--no-show-signature", "--no-ext-diff", "--no-textconv", "--"];

/** Relative to the folder. Undefined: no git, no commit, too much, or too late. */
export function recentFiles(
  folder: string,
  { env, limitMs }: { env: ChildEnvironment; limitMs: number },
): Promise<ReadonlySet<string> | undefined> {
  // Who runs inside a hook of git has that repository's variables, not this folder's.
  const own = Object.entries(childEnvironment(env)).filter(([name]) => !name.startsWith("GIT_"));
  const options = {
    cwd: folder,
    env: { ...Object.fromEntries(own), GIT_NO_LAZY_FETCH: "1", GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0" },
    timeout: limitMs,
    killSignal: "SIGKILL",
    maxBuffer: MAX_BYTES,
    windowsHide: true,
  } as const;
  return new Promise((resolve) => {
    execFile("git", [...LOG, ...NOTHING_ELSE], options, (failed, out) =>
      resolve(
        failed ? undefined : new Set(out.split(/[\0\n]/).flatMap((path) => (path === "" ? [] : normalize(path)))),
      ),
    );
  });
}
