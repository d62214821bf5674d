// What a program that nobody knows may take for a command: its arguments and what the line gives it to read.
import { basename } from "node:path";
import type { ShellAnalysis, ShellCommand } from "./analysis.ts";
import { isKnownProgram } from "./known-program.ts";

/** What a program runs is known from the line. Texts of commits are no commands, and what else git runs is known. */
const isKnown = ({ words }: ShellCommand): boolean =>
  isKnownProgram(words) || basename(words[0]?.value ?? "") === "git";

const argumentsOf = ({ words }: ShellCommand): string[] => words.slice(1).map((w) => w.value);

/**
 * undefined: what it runs is known. What the line as a whole may hand to any of its unknown programs stands with the first of
 * them: the strictest part decides, and a long line is not written down once for each of its commands.
 */
export function handedText(
  command: ShellCommand,
  { command: line, commands, texts }: ShellAnalysis,
): string | undefined {
  if (isKnown(command)) return undefined;
  if (command !== commands.find((one) => !isKnown(one))) return argumentsOf(command).join(" ");
  const piped = line.includes("|") ? commands.flatMap(({ words }) => words.map((w) => w.value)) : argumentsOf(command);
  return [...piped, ...texts].join(" ");
}
