// The words of a call, read by commander from what the table says; the same for the command line and for slash commands.
import { InvalidArgumentError, Option, type Command as Program } from "commander";
import { nearNames } from "../base/text.ts";
import type { Command, CommandCall, CommandOption } from "./contract.ts";

/** `run` gets the command that was named and its call. */
type CommandRunner = (command: Command, call: CommandCall<never>) => Promise<void>;

/** Adds a command with all that is under it to commander's program. */
export function addCommand(program: Program, command: Command, run: CommandRunner): void {
  const added = program
    .command(command.name, command.isDefault ? { isDefault: true } : {})
    .description(command.summary);
  if (command.alias) added.alias(command.alias);
  if (command.usage) added.usage(command.usage);
  fill(added, command, run);
}

/** Commander's program becomes that command. */
export function fill(program: Program, command: Command, run: CommandRunner): void {
  // What stands where a subcommand should be is given to the one that needs no name.
  const isList = command.isDefault === true && !command.arguments && !command.raw;
  if (isList) program.allowExcessArguments();
  if (command.arguments) program.arguments(command.arguments);
  for (const row of optionsOf(command)) program.addOption(optionOf(row));
  if (command.raw) program.allowUnknownOption().passThroughOptions();
  if (command.run ?? command.own)
    program.action((...all: unknown[]) => {
      const [unknown] = isList ? program.args : [];
      if (unknown !== undefined) program.error(unknownSubcommand(program, unknown));
      const [options, args] = [all.at(-2) as never, all.slice(0, -2)];
      return run(command, { args: command.raw ? typedWords(program) : (args.flat() as string[]), options });
    });
  for (const one of command.subcommands ?? []) addCommand(program, one, run);
}

function unknownSubcommand({ parent }: Program, word: string): string {
  const names = (parent?.commands ?? []).map((one) => one.name()).filter((name) => name !== "help");
  const [near] = nearNames(word, names, 1);
  const next = near === undefined ? `Use one of: ${names.join(", ")}.` : `(Did you mean ${near}?)`;
  return `error: ${parent?.name() ?? ""} has no "${word}". ${next}`;
}

/** Commander takes `--` away, and to such a command it means something. */
function typedWords(program: Program): string[] {
  const { rawArgs = [] } = program.parent as { rawArgs?: string[] };
  return rawArgs.slice(rawArgs.indexOf(program.name()) + 1);
}

/** With `--json`, where a command takes it. */
export const optionsOf = ({ options = [], json }: Command): readonly CommandOption[] =>
  json ? [...options, { flags: "--json", help: json === "lines" ? "one JSON object per line" : "as JSON" }] : options;

function optionOf({ flags, help, kind, choices, default: value, required }: CommandOption): Option {
  const option = new Option(flags, help);
  if (kind) option.argParser(READERS[kind]);
  if (choices) option.choices(choices);
  if (value !== undefined) option.default(value);
  return required ? option.makeOptionMandatory() : option;
}

const READERS: Record<NonNullable<CommandOption["kind"]>, (text: string, before: unknown) => unknown> = {
  count(text) {
    if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("It must be a whole number, 1 or more.");
    return Number(text);
  },
  number: (text, before) => (text === "0" ? 0 : READERS.count(text, before)),
  words: (text) => text.split(",").map((word) => word.trim()),
  list: (text, before) => [...(Array.isArray(before) ? before : []), text],
};

/** What `--json` prints, or the text. */
export function render(
  { json }: Command,
  { options }: CommandCall,
  { text, data }: { text: string; data?: unknown },
): string {
  if (!json || !("json" in options) || data === undefined) return text;
  if (json === "lines" && Array.isArray(data)) return data.map((row) => JSON.stringify(row)).join("\n");
  return JSON.stringify(data, undefined, 2);
}
