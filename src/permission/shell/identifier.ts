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
