// What git writes by its arguments where that can make it run something, or changes files that are named.
import { isAbsolute, join } from "node:path";
import { bareWords } from "./identifier.ts";

const CONFIG_LOOKS = /^(--get.*|--list|-l|get|list)$/;
const CONFIG_CHANGES =
  /^(--(add|edit|replace-all|unset|unset-all|rename-section|remove-section)|-e|set|unset|edit|rename-section|remove-section)$/;
/** Options of `git config` with a value that is no operand. */
const CONFIG_VALUES = /^(--(type|default|blob|comment|value|url)|-f|--file)$/;

export function gitTargets(args: readonly string[], userHome: string): string[] {
  const [, subcommand, ...rest] = bareWords(["git", ...args]);
  const folder = args.filter((_, i) => args[i - 1] === "-C").reduce(from, "");
  const operands = rest.filter((a) => !a.startsWith("-"));
  const output = rest.flatMap((a, i) =>
    /^(-o|--output|--output-directory)$/.test(rest[i - 1] ?? "")
      ? [a]
      : (/^(?:--output(?:-directory)?=|-o(?=.))(.+)$/s.exec(a)?.[1] ?? []),
  );
  switch (subcommand) {
    case "config":
      return configTargets(rest, userHome).map((path) => from(folder, path));
    case "init":
    case "clone":
      // A template brings hooks.
      return [
        ...(rest.some((a) => a.startsWith("--template")) ? [join(folder, ".git/hooks")] : []),
        ...operands.slice(subcommand === "clone" ? 1 : 0).map((path) => from(folder, path)),
      ];
    case "checkout":
    case "restore":
    case "mv":
    case "rm":
      return operands.map((path) => from(folder, path));
    case "archive":
    case "diff":
    case "format-patch":
    case "log":
    case "show":
      return output.map((path) => from(folder, path));
    default:
      return [];
  }
}

const from = (folder: string, path: string): string => (isAbsolute(path) ? path : join(folder, path));

function configTargets(args: readonly string[], userHome: string): string[] {
  const operands = args.filter((a, i) => !a.startsWith("-") && !CONFIG_VALUES.test(args[i - 1] ?? ""));
  const [verb = ""] = operands;
  const options = args.filter((a) => a.startsWith("-"));
  const isChange = operands.length > 1 || CONFIG_CHANGES.test(verb) || options.some((o) => CONFIG_CHANGES.test(o));
  if (!isChange || CONFIG_LOOKS.test(verb) || options.some((o) => CONFIG_LOOKS.test(o))) return [];
  const file = args.find((_, i) => /^(-f|--file)$/.test(args[i - 1] ?? "")) ?? options.map(attached).find(Boolean);
  if (file) return [file];
  if (options.includes("--global")) return [join(userHome, ".gitconfig")];
  return [options.includes("--system") ? "/etc/gitconfig" : ".git/config"];
}

const attached = (option: string): string | undefined => /^(?:--file=|-f)(.+)$/s.exec(option)?.[1];
