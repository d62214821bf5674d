// What an approval of a command is remembered by: its program, and for some programs the first subcommand.
import { basename } from "node:path";

/** Programs whose first subcommand matters, with their global options that take a value. */
const SUBCOMMANDS: Record<string, string[]> = {
  git: ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"],
  gh: ["-R", "--repo"],
  npm: ["--prefix", "-w", "--workspace", "-C"],
  pnpm: ["-C", "--dir", "--filter", "-F"],
  yarn: ["--cwd"],
  docker: ["-H", "--host", "--context", "-c", "--config", "-l", "--log-level"],
  kubectl: ["-n", "--namespace", "--context", "--kubeconfig", "--cluster", "--user", "-s", "--server"],
  cargo: ["-C", "-Z", "--config", "--color"],
  go: ["-C"],
};

/** Options, after the words of a rule, that make its program another one: other folder, other configuration, other code. */
const STRAYING: Record<string, RegExp> = {
  bun: /^(--(cwd|config|preload)\b|-[cr])/,
  cargo: /^(--(manifest-path|config)\b|-[CZ])/,
  docker: /^(--(host|context|config)\b|-[Hc])/,
  git: /^(--(git-dir|work-tree|exec-path|config-env|namespace|super-prefix|upload-pack|receive-pack|exec|ext-diff|textconv|open-files-in-pager)\b|-[CcOx])/,
  go: /^-(C|modfile|overlay|exec|toolexec|vettool)\b/,
  gradle: /^(--(project-dir|build-file|settings-file|init-script|include-build)\b|-[pbcI])/,
  kubectl: /^(--(kubeconfig|context|cluster|user|server)\b|-s)/,
  make: /^(--(directory|file|makefile|eval|include-dir)\b|-[a-zA-Z]*[CfIE]|[A-Za-z_]\w*[:+?!]?=)/,
  mvn: /^(--(file|settings|global-settings)\b|-[fs])/,
  npm: /^(--(prefix|userconfig|globalconfig|script-shell|node-options|dir|location|global|workspace|cache|init-module|shell|git|before-script)\b|-[CgwL])/,
  npx: /^(--(prefix|userconfig|globalconfig|script-shell|node-options|package|call)\b|-[pc])/,
  pip: /^(--(config|python|target|prefix|root|index-url|extra-index-url)\b|-[it])/,
  pnpm: /^(--(dir|prefix|config|workspace-dir|script-shell|node-options|filter)\b|-[CF])/,
  pytest: /^(--(rootdir|confcutdir|config-file|import-mode|override-ini|basetemp)\b|-[cpo])/,
  yarn: /^--(cwd|use-yarnrc|modules-folder|script-shell|node-options)\b/,
};
const ALWAYS_STRAYING =
  /^--(prefix|cwd|chdir|manifest-path|git-dir|work-tree|exec-path|makefile|rootdir|project-dir|userconfig)(=|$)/;

/** Whether a command leaves what a rule with its first words was given for. */
export function straysFrom(words: readonly string[], ruleLength: number): boolean {
  const name = basename(words[0] ?? "");
  const own = Object.hasOwn(STRAYING, name) ? STRAYING[name] : undefined;
  const end = words.indexOf("--");
  const options = words.slice(ruleLength, end < 0 ? undefined : Math.max(end, ruleLength));
  return options.some((word) => ALWAYS_STRAYING.test(word) || own?.test(word));
}

function subcommandIndex(words: readonly string[]): number | undefined {
  const values = SUBCOMMANDS[basename(words[0] ?? "")];
  if (!values) return undefined;
  for (let i = 1; i < words.length; i++) {
    const word = words[i] ?? "";
    if (values.includes(word)) i++;
    else if (!/^[-+]/.test(word)) return i;
  }
  return undefined;
}

/** `git push`; options in between stay in, so that the rule made of it is never wider than what was shown. */
export function identifier(words: readonly string[]): string {
  return words.slice(0, (subcommandIndex(words) ?? 0) + 1).join(" ");
}

/** The command as a deny rule should see it: program without folder, global options left out. */
export function bareWords(words: readonly string[]): string[] {
  const [program = "", ...rest] = words;
  const at = subcommandIndex(words);
  return [basename(program), ...(at === undefined ? rest : words.slice(at))];
}
