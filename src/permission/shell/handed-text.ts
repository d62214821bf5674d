// What a program that nobody knows may take for a command: its arguments, its variables and what the line gives it to read.
import { basename } from "node:path";
import type { ShellAnalysis, ShellCommand } from "./analysis.ts";
import { isKnownProgram } from "./known-program.ts";
import { isGitText } from "./runner-git.ts";
import { isWriter } from "./writes.ts";

const programOf = ({ words }: ShellCommand): string => basename(words[0]?.value ?? "");

/** What a program runs is known from the line. */
export const isKnown = (command: ShellCommand): boolean =>
  programOf(command) === "git" ? isGitText(command.words) : isKnownProgram(command.words);

const valuesOf = ({ words }: ShellCommand, from: number): string[] => words.slice(from).map((w) => w.value);

/** Whether a program may be given texts of the others: through a pipe, or in a file that they wrote. */
const handsOn = ({ command: line, commands, writes }: ShellAnalysis): boolean =>
  line.includes("|") ||
  writes.length > 0 ||
  commands.some((one) => programOf(one) !== "git" && isWriter(programOf(one)));

/**
 * undefined: what it runs is known. What the line as a whole may hand to any of its programs stands with the first of them that
 * may take it: the strictest part decides, and a long line is not written down once for each of its commands.
 */
export function handedText(command: ShellCommand, analysis: ShellAnalysis): string | undefined {
  const { commands, texts, variables } = analysis;
  const parts: string[] = [];
  if (command === commands[0]) {
    parts.push(...[...variables.values()].flat().flatMap((value) => value ?? []));
    parts.push(...commands.flatMap((one) => valuesOf(one, 1)).filter((value) => /^[A-Za-z_]\w*=/.test(value)));
  }
  if (!isKnown(command)) {
    const isFirst = command === commands.find((one) => !isKnown(one));
    if (isFirst) parts.push(...texts);
    parts.push(...(isFirst && handsOn(analysis) ? commands.flatMap((one) => valuesOf(one, 0)) : valuesOf(command, 1)));
  }
  return parts.length > 0 ? parts.join(" ") : undefined;
}
