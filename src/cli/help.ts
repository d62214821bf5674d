// The front page of `everlong --help`: every command in a line, the options people use most, examples. It fits 80 columns.
import type { Command, Option } from "commander";

const MOST_USED = [
  "--prompt",
  "--resume",
  "--continue",
  "--model",
  "--agent",
  "--autopilot",
  "--allow-tool",
  "--deny-tool",
  "--allow-all",
  "--output-format",
];
const EXAMPLES: readonly (readonly [string, string])[] = [
  ["everlong", "a conversation in this folder"],
  ['everlong "fix the failing test"', "the same, starting with that prompt"],
  ['git diff | everlong -p "review this"', "one answer, then exit"],
  ["everlong with claude", "Claude Code with Everlong's memory"],
  ['everlong recall "why did we drop redis"', "what was said, in any session"],
];
const MORE: readonly (readonly [string, string])[] = [
  ["everlong help COMMAND", "options of a command"],
  ["everlong help options", "all options"],
  ["everlong help environment", "all environment variables, keys of providers too"],
];

export function frontPage(program: Command): string {
  const commands = program.commands.map((one) => [one.name(), one.description()] as const);
  const options = MOST_USED.flatMap((name) => program.options.filter(({ long }) => long === name));
  return [
    "Usage: everlong [options] [text]      a conversation, or one answer with -p",
    "       everlong COMMAND …",
    "",
    ...rows(commands),
    "",
    ...rows(options.map((option) => [option.flags, firstClause(option)])),
    "",
    ...rows(EXAMPLES),
    "",
    ...rows(MORE),
    "",
  ].join("\n");
}

/** What stands behind a semicolon or a colon is for the page of all options. */
const firstClause = ({ description }: Option): string => description.split(/[;:]/, 1)[0] ?? "";

function rows(table: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...table.map(([term]) => term.length));
  return table.map(([term, text]) => `  ${term.padEnd(width)}  ${text}`);
}
