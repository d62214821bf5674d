// git for looking only: whatever the repository's configuration, attributes and layout say, it runs no other program, opens
// no connection, writes nothing and reads no repository but the folder's own. What cannot be made so is refused.
import { entryOf } from "../base/own-entry.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { withoutProgramsOf } from "./environment.ts";
import { type GitQuestion, gitAnswers } from "./git-answers.ts";
import { foreignReads, OFF, offByName } from "./git-config.ts";
import { checkPlace } from "./git-place.ts";

type GitCall = GitQuestion & {
  /** The arguments without the program's name. */
  args: readonly string[];
  /** Real folders that may be read; a linked work tree's own repository may lie elsewhere. */
  folders: readonly string[];
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

/** The error says why not, as the end of a sentence. */
export async function harmlessGit(call: GitCall): Promise<Result<HarmlessGit, string>> {
  const at = call.args.findIndex((arg) => !GLOBAL.test(arg));
  const subcommand = call.args[at] ?? "";
  const env = harmlessEnvironment(withoutProgramsOf(call.folders, call.env));
  if (/^--(version|help)$/.test(subcommand)) return ok({ args: [...call.args], env, reads: [] });
  const rules = entryOf(SUBCOMMANDS, subcommand);
  if (!rules) return fail("this form of git may do more than look");
  const answers = await gitAnswers({ ...call, env });
  if (!answers.ok) return answers;
  const { place, config } = answers.value;
  const checked = place && checkPlace(place, call.folders, config);
  if (checked && !checked.ok) return checked;
  const named = offByName(config);
  if (!named.ok) return named;
  const settings = [...OFF, ...named.value].flatMap((setting) => ["-c", setting]);
  const rest = [subcommand, ...rules, ...call.args.slice(at + 1)];
  return ok({
    args: [...settings, "--no-pager", ...call.args.slice(0, at), ...rest],
    env,
    reads: [...(checked ? checked.value : []), ...foreignReads(config, env)],
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
