// What is said of arguments that nobody can take: the command they were for, the nearest name, where its options are listed.
import type { Command } from "commander";
import type { Failure } from "../base/failure.ts";
import { nearNames } from "../base/text.ts";

/** The command that these words name, each below the one before; undefined when one of them names none. */
export const commandNamed = (program: Command, words: readonly string[]): Command | undefined =>
  words.reduce<Command | undefined>((at, word) => at?.commands.find((c) => c.name() === word), program);

/** The names of the command that the words begin with, from the program down. */
function pathOf(program: Command, words: readonly string[]): string[] {
  const [first = "", ...rest] = words;
  const child = commandNamed(program, [first]);
  return child ? [first, ...pathOf(child, rest)] : [];
}

/** What commander says of them, in our form. */
export function usageFailure(text: string, program: Command, argv: readonly string[]): Failure {
  const path = pathOf(program, argv);
  const strange = strangeSubcommand(text, commandNamed(program, path));
  if (strange) return unknownCommand(strange.word, strange.near, { path, known: strange.known });
  const [, reason = "", near] = /^(?:error: )?([\s\S]*?)\.?(?:\s*\(Did you mean (.*)\?\))?\s*$/.exec(text) ?? [];
  const what = reason.replace(/'([^']*)'/g, '"$1"');
  return {
    code: "usage",
    what: `${what.charAt(0).toUpperCase()}${what.slice(1)}.`,
    data: "Nothing was started.",
    next: near ? `Did you mean ${near}?` : listing(path),
    exit: 2,
  };
}

const listing = (path: readonly string[]): string =>
  path.length === 0
    ? "everlong --help lists commands and options."
    : `everlong help ${path.join(" ")} shows its options.`;

/** A word that names no subcommand, as `command/parse.ts` says it. */
function strangeSubcommand(text: string, family: Command | undefined) {
  const [, word] = /^error: \S+ has no "([^"]*)"/.exec(text) ?? [];
  if (word === undefined || !family) return undefined;
  const names = family.commands.map((command) => command.name()).filter((name) => name !== "help");
  return { word, known: names, near: mistyped(word, family) };
}

/** The commands that a single word may have been meant for; a greeting is a prompt, and so is "help me". */
export function mistyped(word: string, program: Command): string[] {
  const names = program.commands.map((c) => c.name());
  return /^[a-z-]{3,}$/.test(word) ? nearNames(word, names, 3, word.length < 5 ? 1 : 2) : [];
}

/** The same of a line: `bord list` was meant for the board, since a board has a list; "bored again" is a prompt. */
export function mistypedLine([first = "", second, ...rest]: readonly string[], program: Command): string[] {
  const near = mistyped(first, program);
  if (second === undefined) return near;
  const families = near.filter((name) => commandNamed(program, [name, second]));
  return rest.length === 0 ? families.map((name) => `${name} ${second}`) : families;
}

/** `path`: the command below which it was looked for; `known`: what it has; `prompt`: what the words would be as one. */
export function unknownCommand(
  word: string,
  near: readonly string[],
  {
    path = [],
    known = [],
    prompt = word,
  }: { path?: readonly string[]; known?: readonly string[]; prompt?: string } = {},
): Failure {
  const guess = near.length > 0 ? `Did you mean ${near.join(" or ")}? ` : "";
  const rest = path.length === 0 ? `To use it as a prompt: everlong -p "${prompt}".` : `It has: ${known.join(", ")}.`;
  return {
    code: "unknown_command",
    what: `${["everlong", ...path].join(" ")} has no command "${word}".`,
    data: "Nothing was started.",
    next: `${guess}${rest}`,
    exit: 2,
  };
}
