// git for looking only: whatever the repository's configuration, attributes and layout say, it runs no other program, opens
// no connection, writes nothing and reads no repository but the folder's own. What cannot be made so is refused.
import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { fail, ok, type Result } from "../base/result.ts";
import { withoutProgramsOf } from "./environment.ts";
import { type ConfigEntry, foreignReads, OFF, offByName, parseConfig } from "./git-config.ts";
import { checkPlace, type GitPlace } from "./git-place.ts";

type GitCall = {
  /** The arguments without the program's name. */
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Real folders that may be read; a linked work tree's own repository may lie elsewhere. */
  folders: readonly string[];
  program?: string;
  /** The limit for each of the questions that git is asked first. */
  limitMs?: number;
};

export type HarmlessGit = {
  args: string[];
  env: Record<string, string>;
  /** What git reads outside of the work tree: its folders, and the person's own configuration. */
  reads: string[];
};

const GLOBAL = /^(--no-pager|-P|--no-optional-locks|--literal-pathspecs)$/;
/** A submodule has a configuration of its own; its commit is compared, its files are not looked at. */
const DIFF = ["--no-ext-diff", "--no-textconv", "--submodule=short", "--ignore-submodules=dirty"];
/** What each subcommand that only looks is told beside its own words. */
const SUBCOMMANDS: Readonly<Record<string, readonly string[]>> = {
  branch: [],
  diff: DIFF,
  "for-each-ref": [],
  log: DIFF,
  "ls-files": [],
  "ls-tree": [],
  reflog: [],
  remote: [],
  shortlog: [],
  show: DIFF,
  "show-ref": [],
  stash: [],
  status: ["--ignore-submodules=dirty"],
  tag: [],
  version: [],
  worktree: [],
};
const LIMIT_MS = 5000;
const MAX_BYTES = 4 * 1024 * 1024;

/** The error says why not, as the end of a sentence. */
export async function harmlessGit(call: GitCall): Promise<Result<HarmlessGit, string>> {
  const at = call.args.findIndex((arg) => !GLOBAL.test(arg));
  const subcommand = call.args[at] ?? "";
  const env = harmlessEnvironment(withoutProgramsOf(call.folders, call.env));
  if (/^--(version|help)$/.test(subcommand)) return ok({ args: [...call.args], env, reads: [] });
  const rules = Object.hasOwn(SUBCOMMANDS, subcommand) ? SUBCOMMANDS[subcommand] : undefined;
  if (!rules) return fail("this form of git may do more than look");
  const [place, config] = await Promise.all([placeOf(call, env), configOf(call, env)]);
  if (!place.ok) return place;
  if (!config.ok) return config;
  const checked = place.value && checkPlace(place.value, call.folders, config.value);
  if (checked && !checked.ok) return checked;
  const named = offByName(config.value);
  if (!named.ok) return named;
  const settings = [...OFF, ...named.value].flatMap((setting) => ["-c", setting]);
  const rest = [subcommand, ...rules, ...call.args.slice(at + 1)];
  return ok({
    args: [...settings, "--no-pager", ...call.args.slice(0, at), ...rest],
    env,
    reads: [...(checked ? checked.value : []), ...foreignReads(config.value, env)],
  });
}

/** The person's own choice of where git and its configuration are. */
const OWN_CHOICE = /^GIT_(EXEC_PATH|CONFIG_(GLOBAL|SYSTEM|NOSYSTEM))$/;

function harmlessEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(env).filter(([name]) => !name.startsWith("GIT_") || OWN_CHOICE.test(name));
  return {
    ...Object.fromEntries(entries),
    GIT_ALLOW_PROTOCOL: "none",
    GIT_NO_LAZY_FETCH: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_PAGER: "cat",
    GIT_EDITOR: "false",
  };
}

const ASK_PLACE = ["rev-parse", "--is-inside-work-tree", "--absolute-git-dir", "--git-common-dir", "--show-toplevel"];

/** Where git itself would look, so that no second reader can come to another answer. Undefined: in no repository. */
async function placeOf(call: GitCall, env: Record<string, string>): Promise<Result<GitPlace | undefined, string>> {
  const { code, out } = await askGit(call, env, ASK_PLACE);
  if (code === 128 && out === "") return ok(undefined);
  const [inside, gitDir, commonDir, root, end, ...more] = out.split("\n");
  if (inside === "false") return fail("the folder is the inside of a git repository, not a work tree");
  const isWhole = gitDir && commonDir && root && end === "" && more.length === 0;
  if (code !== 0 || inside !== "true" || !isWhole) return fail("git does not say where its repository is");
  return ok({ root, gitDir, commonDir: resolve(call.cwd, commonDir) });
}

async function configOf(call: GitCall, env: Record<string, string>): Promise<Result<ConfigEntry[], string>> {
  const { code, out } = await askGit(call, env, ["config", "--list", "-z", "--show-scope", "--show-origin"]);
  return code === 0 ? ok(parseConfig(out)) : fail("git cannot read its configuration here");
}

/** Only for questions that make git run nothing. */
function askGit(
  { program = "git", cwd, limitMs = LIMIT_MS }: GitCall,
  env: Record<string, string>,
  question: readonly string[],
): Promise<{ code: number | undefined; out: string }> {
  const limits = { timeout: limitMs, killSignal: "SIGKILL", maxBuffer: MAX_BYTES } as const;
  const args = [...OFF.flatMap((setting) => ["-c", setting]), ...question];
  return new Promise((done) => {
    execFile(program, args, { cwd, env, ...limits }, (error, out) =>
      done({ code: error ? (typeof error.code === "number" ? error.code : undefined) : 0, out }),
    );
  });
}
