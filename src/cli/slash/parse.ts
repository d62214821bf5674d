// Is a message a slash command? A first word `/name` is; `/a/b` and text after a leading space are not; `//x` sends `/x`.
import type { Failure } from "../../base/failure.ts";
import { nearNames } from "../../base/text.ts";
import { type SlashCommand, slashCommands } from "./table.ts";

export type Typed =
  | { type: "prompt"; text: string }
  | { type: "command"; command: SlashCommand; args: string }
  /** Of the user's own, perhaps: only an open session knows. */
  | { type: "unknown"; name: string; args: string; failure: Failure };

const ALIASES: Record<string, string> = { quit: "exit", new: "clear" };

export function parseTyped(text: string): Typed {
  if (text.startsWith("//")) return { type: "prompt", text: text.slice(1) };
  const found = /^\/([A-Za-z][\w:-]*)(?=\s|$)\s*([\s\S]*)$/.exec(text);
  if (!found) return { type: "prompt", text };
  const name = (found[1] ?? "").toLowerCase();
  const command = slashCommands.find((c) => c.name === (ALIASES[name] ?? name));
  if (command) return { type: "command", command, args: (found[2] ?? "").trim() };
  return { type: "unknown", name, args: (found[2] ?? "").trim(), failure: unknownCommand(name) };
}

/** `own`: what the user has added to ours. */
export function unknownCommand(name: string, own: readonly string[] = []): Failure {
  const near = nearNames(name, [...slashCommands.map((c) => c.name), ...own]).map((n) => `/${n}`);
  return {
    code: "unknown_command",
    what: `/${name} is not a command.`,
    data: "Nothing was sent.",
    next: `${near.length > 0 ? `Did you mean ${near.join(" or ")}? ` : ""}/help lists them; start with a space to send it as text.`,
    exit: 2,
  };
}
