// Commands typed into an open session: is a message one, which one, and running it.

import type { Failure } from "../base/failure.ts";
import { entryOf } from "../base/own-entry.ts";
import { nearNames } from "../base/text.ts";
import type { Client } from "../runtime/client.ts";
import type { CommandOutcome, Person, SlashCommand } from "./contract.ts";
import { slashCommands } from "./table.ts";
import { runWords, slashWords } from "./words.ts";

export type TypedText =
  | { type: "prompt"; text: string }
  | { type: "command"; command: SlashCommand; args: string }
  /** It may be a command of the user's own: only an open session knows. */
  | { type: "unknown"; name: string; args: string; failure: Failure };

const ALIASES: Record<string, string> = { quit: "exit", new: "clear" };

/** A first word `/name` is a command; `/a/b` and text after a leading space are not; `//x` sends `/x`. */
export function parseTyped(text: string): TypedText {
  if (text.startsWith("//")) return { type: "prompt", text: text.slice(1) };
  const match = /^\/([A-Za-z][\w:-]*)(?=\s|$)\s*([\s\S]*)$/.exec(text);
  if (!match) return { type: "prompt", text };
  const name = (match[1] ?? "").toLowerCase();
  const args = (match[2] ?? "").trim();
  const command = slashCommands.find((c) => c.name === (entryOf(ALIASES, name) ?? name));
  if (command) return { type: "command", command, args };
  return { type: "unknown", name, args, failure: unknownCommand(name) };
}

/** `own`: what the user has added to ours. */
export function unknownCommand(name: string, own: readonly string[] = []): Failure {
  const near = nearNames(name, [...slashCommands.map((c) => c.name), ...own]).map((n) => `/${n}`);
  return {
    code: "unknown_command",
    what: `/${name} is not a command.`,
    data: "Nothing was sent.",
    next: `${near.length > 0 ? `Did you mean ${near.join(" or ")}? ` : ""}/help lists all commands. To send it as text, start with a space.`,
    exit: 2,
  };
}

/** Runs it and records that it ran. */
export async function runSlash(
  { command, args }: Extract<TypedText, { type: "command" }>,
  client: Client,
  person: Person,
): Promise<CommandOutcome> {
  const at = { person, on: client, commands: slashCommands };
  const outcome = await (command.slash.run?.(args, client, at) ?? runWords(command, slashWords(args), at));
  await client.recordCommand(command.name, args, outcome.ok, outcome.ok ? outcome.value.text : outcome.error.what);
  return outcome;
}
