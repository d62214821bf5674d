// Paths that common programs write by their arguments: enough to hold guards, deny and ask rules against them.
import { basename } from "node:path";
import type { ShellWord } from "./word.ts";

/** `all`: every operand is changed. `last`: the last one is, or the folder of -t. */
const WRITERS: Record<string, "all" | "last"> = {
  chmod: "all",
  chown: "all",
  cp: "last",
  install: "last",
  ln: "last",
  mkdir: "all",
  mv: "all",
  patch: "all",
  rm: "all",
  rmdir: "all",
  rsync: "last",
  shred: "all",
  sponge: "all",
  tee: "all",
  touch: "all",
  truncate: "all",
  unlink: "all",
};

/** Never all that a program may write; what is found is sure to be meant as a target. */
export function writtenPaths(words: readonly ShellWord[]): string[] {
  const program = basename(words[0]?.value ?? "");
  const args = words.slice(1).filter((w) => w.literal);
  const values = args.map((w) => w.value);
  if (program === "dd") return values.filter((v) => v.startsWith("of=")).map((v) => v.slice(3));
  if (program === "sed" || program === "perl")
    return values.some((v) => /^(-[a-zA-Z]*i|--in-place)/.test(v)) ? operands(values) : [];
  const how = WRITERS[program];
  if (!how) return [];
  const paths = operands(values);
  if (how === "all") return paths;
  const folder = values.find((_, i) => /^(-t|--target-directory)$/.test(values[i - 1] ?? ""));
  return folder ? [folder] : paths.slice(-1);
}

const operands = (values: readonly string[]): string[] => values.filter((v) => !v.startsWith("-"));
