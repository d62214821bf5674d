// What git itself says of a folder: where its repository is and what its configuration says. Asked again when a file that it
// read for that has changed.
import { execFile } from "node:child_process";
import { type BigIntStats, lstatSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fail, ok, type Result } from "../base/result.ts";
import { type ConfigEntry, OFF, parseConfig } from "./git-config.ts";
import type { GitPlace } from "./git-place.ts";

export type GitQuestion = {
  cwd: string;
  env: Readonly<Record<string, string>>;
  program?: string;
  /** The limit for each of the questions. */
  limitMs?: number;
  /** Tests give their own. */
  now?: () => number;
};

/** `place` is absent outside of any repository. */
type GitAnswers = { place: GitPlace | undefined; config: ConfigEntry[] };

const LIMIT_MS = 5000;
const MAX_BYTES = 4 * 1024 * 1024;
const MOST_KEPT = 64;
/** A file that changed a moment ago may change again without showing it: clocks of file systems are coarse. */
const SETTLED_MS = 2100;

/** By the question: the answers, and each file that they rest on as it was. */
const answersByQuestion = new Map<string, { answers: GitAnswers; files: ReadonlyMap<string, string> }>();

/** The error says why not, as the end of a sentence. */
export async function gitAnswers(question: GitQuestion): Promise<Result<GitAnswers, string>> {
  const key = JSON.stringify([question.program, question.cwd, question.env]);
  const before = answersByQuestion.get(key);
  if (before && [...before.files].every(([path, state]) => stateOf(path) === state)) return ok(before.answers);
  answersByQuestion.delete(key);
  const since = (question.now ?? Date.now)();
  const [place, config] = await Promise.all([placeOf(question), configOf(question)]);
  if (!place.ok) return place;
  if (!config.ok) return config;
  const answers = { place: place.value, config: config.value };
  const files = filesBehind(question, answers, since);
  if (files) answersByQuestion.set(key, { answers, files });
  if (answersByQuestion.size > MOST_KEPT) answersByQuestion.delete([...answersByQuestion.keys()][0] ?? "");
  return ok(answers);
}

/** Undefined when the answers may change with a file that is not known, or one that has just changed. */
function filesBehind(
  { cwd, env }: GitQuestion,
  { place, config }: GitAnswers,
  since: number,
): Map<string, string> | undefined {
  if (config.some(({ key }) => key.startsWith("include"))) return undefined;
  const paths = new Set<string>();
  for (let folder = cwd; ; folder = dirname(folder)) {
    paths.add(join(folder, ".git"));
    if (folder === dirname(folder)) break;
  }
  if (place)
    for (const folder of [place.gitDir, place.commonDir])
      for (const name of ["config", "config.worktree", "commondir", "gitdir"]) paths.add(join(folder, name));
  for (const { origin } of config)
    if (origin.startsWith("file:")) paths.add(resolve(cwd, origin.slice("file:".length)));
  const home = env["HOME"] ?? "/";
  const own = [env["GIT_CONFIG_GLOBAL"], env["GIT_CONFIG_SYSTEM"]].flatMap((path) => path ?? []);
  const usual = [join(home, ".gitconfig"), join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "git/config")];
  for (const path of [...own, ...usual, "/etc/gitconfig"]) paths.add(resolve(cwd, path));
  const files = new Map([...paths].map((path) => [path, stateOf(path)]));
  const isSettled = [...paths].every((path) => changedAt(path) < since - SETTLED_MS);
  return isSettled ? files : undefined;
}

/** The name itself, and what it leads to: a link may stay while its target changes. */
function looksAt(path: string): BigIntStats[] {
  try {
    const options = { bigint: true, throwIfNoEntry: false } as const;
    return [lstatSync(path, options), statSync(path, options)].flatMap((stat) => stat ?? []);
  } catch {
    return []; // no folder on the way, or no leave to look: git sees nothing there either
  }
}

/** A folder's state is only which one it is: what git reads in it is looked at by itself. */
const stateOf = (path: string): string =>
  looksAt(path)
    .map((stat) =>
      stat.isDirectory() ? `folder ${stat.ino}` : `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`,
    )
    .join(", ");

const changedAt = (path: string): number =>
  Math.max(0, ...looksAt(path).map((stat) => (stat.isDirectory() ? 0 : Number(stat.ctimeMs))));

const ASK_PLACE = ["rev-parse", "--is-inside-work-tree", "--absolute-git-dir", "--git-common-dir", "--show-toplevel"];

/** Where git itself would look, so that no second reader can come to another answer. Undefined: in no repository. */
async function placeOf(call: GitQuestion): Promise<Result<GitPlace | undefined, string>> {
  const { code, out } = await askGit(call, ASK_PLACE);
  if (code === 128 && out === "") return ok(undefined);
  const [inside, gitDir, commonDir, root, end, ...more] = out.split("\n");
  if (inside === "false") return fail("the folder is the inside of a git repository, not a work tree");
  const isWhole = gitDir && commonDir && root && end === "" && more.length === 0;
  if (code !== 0 || inside !== "true" || !isWhole) return fail("git does not say where its repository is");
  return ok({ root, gitDir, commonDir: resolve(call.cwd, commonDir) });
}

async function configOf(call: GitQuestion): Promise<Result<ConfigEntry[], string>> {
  const { code, out } = await askGit(call, ["config", "--list", "-z", "--show-scope", "--show-origin"]);
  return code === 0 ? ok(parseConfig(out)) : fail("git cannot read its configuration here");
}

/** Only for questions that make git run nothing. */
function askGit(
  { program = "git", cwd, env, limitMs = LIMIT_MS }: GitQuestion,
  question: readonly string[],
): Promise<{ code: number | undefined; out: string }> {
  const limits = { timeout: limitMs, killSignal: "SIGKILL", maxBuffer: MAX_BYTES } as const;
  const args = [...OFF.flatMap((setting) => ["-c", setting]), ...question];
  return new Promise((settle) => {
    execFile(program, args, { cwd, env, ...limits }, (error, out) =>
      settle({ code: error ? (typeof error.code === "number" ? error.code : undefined) : 0, out }),
    );
  });
}
