// A command's words read in a session as the command line reads them, without its habit of ending the process.
import { CommanderError, Command as Program } from "commander";
import { commandUsage } from "../base/failure.ts";
import { fail, ok } from "../base/result.ts";
import type { CommandContext, CommandOutcome, SlashCommand } from "./contract.ts";
import { fill, render } from "./parse.ts";

export async function runWords(
  command: SlashCommand,
  words: readonly string[],
  at: CommandContext,
): Promise<CommandOutcome> {
  const name = `/${command.name}`;
  // The words of a family are named in what happened, or stand in its help: once is enough.
  const next = command.subcommands ? `See ${name} help.` : `${name} ${command.slash.usage}; see ${name} help.`;
  const usage = (what: string) => fail(commandUsage(what, next));
  let printed = "";
  const write = (text: string): void => {
    printed += text;
  };
  let outcome: CommandOutcome | undefined;
  const program = new Program(name).exitOverride().configureOutput({ writeOut: write, writeErr: write });
  fill(program, command, async (one, call) => {
    outcome = await one.run?.(call, at);
    if (outcome?.ok) outcome = ok({ ...outcome.value, text: render(one, call, outcome.value) });
  });
  try {
    await program.parseAsync(words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return ok({ text: printed.trimEnd() });
    return usage(printed.replace(/^error: /, "").trim() || error.message);
  }
  return outcome ?? usage(`${name} does not take "${words.join(" ")}".`);
}

/** What stands in quotes is one word. */
export const slashWords = (text: string): string[] =>
  [...text.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double?.replace(/\\(.)/g, "$1") ?? single ?? bare ?? "",
  );
