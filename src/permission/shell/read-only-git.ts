// git's forms that only look: status, diff, log, show and the listing ones, each with its closed list of options.
import { entryOf } from "../../base/own-entry.ts";
import { type Form, operandsOf } from "./options.ts";
import type { ShellWord } from "./word.ts";

const GLOBAL = /^(--no-pager|-P|--no-optional-locks|--literal-pathspecs)$/;

const DIFF_LONG =
  "stat stat= numstat shortstat summary name-only name-status patch no-patch cached staged color color= no-color word-diff word-diff= diff-filter= unified= find-renames find-copies ignore-all-space ignore-space-change ignore-blank-lines check exit-code quiet minimal patience histogram merge-base function-context raw no-renames no-ext-diff no-textconv relative";
const LOG_LONG = `${DIFF_LONG} oneline graph all decorate decorate= no-decorate abbrev-commit abbrev abbrev= format= pretty pretty= date= grep= author= committer= since= until= after= before= max-count= skip= follow merges no-merges first-parent reverse branches tags remotes topo-order date-order left-right cherry-pick boundary full-history no-walk source invert-grep regexp-ignore-case all-match`;
const LOG: Form = { flags: "pwbuszigMCc0123456789", values: "nSGLU", long: LOG_LONG, operands: "paths" };

const FORMS: Record<string, Form> = {
  status: {
    flags: "sbzunoalmr",
    long: "short branch porcelain porcelain= long ignored show-stash untracked-files untracked-files= ahead-behind no-ahead-behind renames no-renames",
    operands: "paths",
  },
  diff: { flags: "pwbuszRMCc0123456789", values: "USG", long: DIFF_LONG, operands: "paths" },
  log: LOG,
  show: LOG,
  shortlog: { flags: "sne", long: "summary numbered email all no-merges since= until= group=", operands: "paths" },
  "ls-files": {
    flags: "cdmoiksuztv",
    values: "x",
    long: "cached deleted modified others ignored stage unmerged exclude-standard full-name exclude= deduplicate",
    operands: "paths",
  },
  "ls-tree": {
    flags: "drtlz",
    long: "name-only name-status long full-name full-tree abbrev abbrev= format=",
    operands: "paths",
  },
  "show-ref": { flags: "dhsq", long: "heads branches tags head hash dereference verify quiet", operands: "text" },
  "for-each-ref": {
    long: "count= sort= format= contains contains= merged merged= no-merged no-merged= points-at=",
    operands: "text",
  },
  branch: {
    flags: "arv",
    long: "all remotes list verbose show-current sort= format= color color= no-color",
    operands: "none",
  },
  tag: { flags: "l", long: "list sort= format=", operands: "none" },
  remote: { flags: "v", long: "verbose", operands: "none" },
  reflog: { flags: "0123456789", values: "n", long: "oneline all date= format= pretty= max-count=", operands: "none" },
  version: { operands: "none" },
};
/** With this option, the operands are patterns. */
const LISTING: Record<string, string[]> = { branch: ["--list"], tag: ["-l", "--list"] };

function splitArgs(args: readonly ShellWord[]): { subcommand: string; rest: ShellWord[] } {
  const at = args.findIndex((a) => !GLOBAL.test(a.value));
  return at < 0 ? { subcommand: "", rest: [] } : { subcommand: args[at]?.value ?? "", rest: args.slice(at + 1) };
}

/** Whether a form that only looks shows what is in files; the log does when it is asked for the changes. */
export function gitShowsFiles(args: readonly ShellWord[]): boolean {
  const { subcommand, rest } = splitArgs(args);
  const asksChanges = rest.some((a) => /^(-[^-]*[pucUL]|--(patch|unified|word-diff|check)(=|$))/.test(a.value));
  return /^(diff|show)$/.test(subcommand) || (subcommand === "log" && asksChanges);
}

export function gitOperands(args: readonly ShellWord[]): ShellWord[] | undefined {
  const { subcommand, rest } = splitArgs(args);
  if (/^(--version|--help)$/.test(subcommand)) return rest.length === 0 ? [] : undefined;
  // %G… and %(signature) ask gpg, which is switched off for commands that nobody approved: the answer would be wrong.
  if (rest.some((a) => a.value.includes("%G") || a.value.includes("signature"))) return undefined;
  if (/^(stash|worktree)$/.test(subcommand)) return rest.length === 1 && rest[0]?.value === "list" ? [] : undefined;
  const form = entryOf(FORMS, subcommand);
  if (!form) return undefined;
  const isList = rest.some((a) => LISTING[subcommand]?.includes(a.value));
  const operands = operandsOf(rest, isList ? { ...form, operands: "text" } : form);
  return operands?.flatMap((word) => [word, ...pathAfterColon(word)]);
}

/** `REVISION:PATH`, and the path of a pathspec with magic. */
function pathAfterColon(word: ShellWord): ShellWord[] {
  const value = word.value.replace(/^[^:]*:(\([^)]*\)|[/!^])*/, "");
  return value === word.value ? [] : [{ ...word, value }];
}
