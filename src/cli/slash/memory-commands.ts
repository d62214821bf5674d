// /memory: the switch and how memory stands; the verbs are those of the command line.
import { commandUsage, type Failure } from "../../base/failure.ts";
import { fail, ok } from "../../base/result.ts";
import type { Client, CommandResult } from "../../runtime/client.ts";
import { slashWords } from "./parse-words.ts";
import type { SlashCommand, SlashOutcome } from "./table.ts";

const usage = (what: string): { ok: false; error: Failure } =>
  fail(commandUsage(what, "Try /memory, /memory on|off, /memory show, /memory list, or /memory help."));

async function memory({ memory: m }: Client, args: string): Promise<SlashOutcome> {
  const [verb = "", ...rest] = slashWords(args);
  if (verb === "") return m.status();
  if (verb === "on" || verb === "off")
    return rest.length === 0 ? m.switch(verb === "on") : usage(`/memory ${verb} takes nothing more.`);
  // With an id it is that record; with words, or nothing, what the model sees.
  if (verb === "show" && !rest.some(isOption)) {
    const [only = ""] = rest;
    const one =
      rest.length === 1 && isId(only) ? await m.command({ verb: "show", args: [only], flags: {} }) : undefined;
    return one?.ok ? one : m.show(rest.join(" "));
  }
  return parsed([verb, ...rest], (call) => m.command(call));
}

const isOption = (word: string): boolean => word.startsWith("--");
const isId = (word: string): boolean => /^(mem_)?[0-9a-hjkmnp-tv-z]{6,26}$/i.test(word);

/** The command line's own parser, without its habit of ending the process. */
async function parsed(words: string[], run: Client["memory"]["command"]): Promise<CommandResult> {
  const { Command, CommanderError } = await import("commander");
  const { addMemoryVerbs } = await import("../command/memory.ts");
  let said = "";
  let done: CommandResult | undefined;
  const write = (text: string): void => {
    said += text;
  };
  const program = new Command("/memory").exitOverride().configureOutput({ writeOut: write, writeErr: write });
  addMemoryVerbs(program, async (call) => {
    done = await run(call);
  });
  try {
    await program.parseAsync(words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return ok(said.trimEnd());
    return usage(said.replace(/^error: /, "").trim() || error.message);
  }
  return done ?? usage(`/memory does not take "${words.join(" ")}".`);
}

export const memoryCommands: readonly SlashCommand[] = [
  {
    name: "memory",
    args: "[on|off|show|list|search|verify|add|edit|delete|vote|review|changes|undo|export]",
    help: "what is remembered: how it stands, switch it, see and change it",
    run: memory,
  },
];
