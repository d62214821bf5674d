// What git runs by its arguments: which of its subcommands only take texts and names, and which run programs they are told of.
import { entryOf } from "../../base/own-entry.ts";
import { bareWords } from "./identifier.ts";
import type { ShellWord } from "./word.ts";

/** Their words are texts, names and paths: what else they run stands in a configuration. */
const TEXTS = new Set(
  "add apply blame branch cat-file checkout cherry-pick clean commit config describe diff diff-index diff-tree fsck gc grep init log ls-files ls-tree merge merge-base mv name-rev notes push reflog remote replace reset restore rev-list rev-parse revert rm shortlog show show-branch show-ref sparse-checkout stash status switch symbolic-ref tag update-index update-ref version whatchanged worktree write-tree".split(
    " ",
  ),
);
const ANY = /^/s;
/** With a word like this they run something that the word or a file tells them; a part of a long name may stand for the whole. */
const RUNS: Readonly<Record<string, RegExp>> = {
  bisect: ANY,
  clone: /^(-[a-zA-Z]*[uc]|--(u|co|t))/,
  credential: ANY,
  cvsimport: ANY,
  cvsserver: ANY,
  daemon: ANY,
  difftool: ANY,
  "filter-branch": ANY,
  "for-each-repo": ANY,
  hook: ANY,
  "http-backend": ANY,
  init: /^--t/,
  instaweb: ANY,
  "merge-index": ANY,
  mergetool: ANY,
  p4: ANY,
  rebase: /^(-[a-zA-Z]*x|--e)/,
  "send-email": ANY,
  shell: ANY,
  submodule: /^foreach$/,
  svn: ANY,
};
/** Options that may run something with any subcommand, and before it. */
const ALWAYS = /^(-c|--config-env\b.*|--(u|up|upl.*|rece.*|e|ex|exe.*|open.*)(=.*)?|ext::.*|-O.*)$/s;

const subcommandOf = (words: readonly ShellWord[]): string => bareWords(words.map((w) => w.value))[1] ?? "";

export const isGitText = (words: readonly ShellWord[]): boolean => TEXTS.has(subcommandOf(words));

/** Whether it may run what its line does not show. */
export function gitRunsUnread(words: readonly ShellWord[]): boolean {
  const subcommand = subcommandOf(words);
  const runs = entryOf(RUNS, subcommand);
  return words.slice(1).some((w) => !w.literal || ALWAYS.test(w.value) || runs?.test(w.value) === true);
}
