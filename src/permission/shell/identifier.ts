// What an approval of a command is remembered by: its program, and for some programs the first subcommand.

import { basename } from "node:path";
import { entryOf } from "../../base/own-entry.ts";

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

type Straying = { long?: string; short?: RegExp; words?: RegExp };

/** Options, after the words of a rule, that make its program another one: other folder, other configuration, other code. */
const STRAYING: Record<string, Straying> = {
  bun: { long: "config preload", short: /^-[cr]/ },
  cargo: { long: "config", short: /^-[CZ]/ },
  docker: { long: "host context config", short: /^-[Hc]/ },
  git: {
    long: "config-env namespace super-prefix upload-pack receive-pack exec ext-diff textconv open-files-in-pager output no-index",
    short: /^-[CcOx]/,
  },
  go: { long: "modfile overlay exec toolexec vettool", short: /^-C/ },
  gradle: { long: "build-file settings-file init-script include-build", short: /^-[pbcI]/ },
  kubectl: { long: "kubeconfig context cluster user server", short: /^-s/ },
  make: {
    long: "directory file eval include-dir",
    short: /^-[a-zA-Z]*[CfIE]/,
    words: /^[A-Za-z_.]\w*[:+?!]*=/,
  },
  mvn: { long: "file settings global-settings", short: /^-[fs]/ },
  npm: {
    long: "globalconfig script-shell node-options dir location global workspaces cache init-module shell git editor viewer browser call before-script",
    short: /^-[CgwL]/,
  },
  npx: { long: "globalconfig script-shell node-options package call", short: /^-[pc]/ },
  pip: { long: "config python target root index-url extra-index-url", short: /^-[it]/ },
  pnpm: { long: "dir config workspace-dir script-shell node-options filter", short: /^-[CF]/ },
  pytest: { long: "confcutdir config-file import-mode override-ini basetemp", short: /^-[cpo]/ },
  yarn: { long: "use-yarnrc modules-folder script-shell node-options" },
};
const ALWAYS_STRAYING =
  "prefix cwd chdir manifest-path git-dir work-tree exec-path makefile rootdir project-dir userconfig".split(" ");
/** They hand what stands after `--` to a script of the project. */
const HANDS_ON = new Set(["bun", "cargo", "npm", "pnpm", "yarn"]);

/** Whether a command leaves what a rule with its first words was given for. */
export function straysFrom(words: readonly string[], ruleLength: number): boolean {
  const name = basename(words[0] ?? "");
  const form = entryOf(STRAYING, name);
  const long = [...ALWAYS_STRAYING, ...(form?.long?.split(" ") ?? [])];
  const end = HANDS_ON.has(name) ? words.indexOf("--", ruleLength) : -1;
  return words.slice(ruleLength, end < 0 ? undefined : end).some((word) => {
    // Many programs take a part of a long name for the whole, and some take one dash for two.
    const [, option = ""] = /^(?:--(?=.)|-(?=[^-]{3}))([^=]+)/s.exec(word) ?? [];
    const isLong = option !== "" && long.some((one) => one.startsWith(option.replaceAll("_", "-")));
    return isLong || form?.short?.test(word) === true || form?.words?.test(word) === true;
  });
}

function subcommandIndex(words: readonly string[]): number | undefined {
  const values = entryOf(SUBCOMMANDS, basename(words[0] ?? ""));
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
