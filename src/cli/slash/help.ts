// /help: every command with its arguments, or one of them.
import { fail, ok } from "../../base/result.ts";
import type { SlashCommand, SlashOutcome } from "./table.ts";

export function showHelp(
  commands: readonly Pick<SlashCommand, "name" | "args" | "help">[],
  wanted: string,
): SlashOutcome {
  const name = wanted.replace(/^\//, "");
  const chosen = name === "" ? commands : commands.filter((c) => c.name === name);
  if (chosen.length === 0) {
    return fail({ code: "unknown_command", what: `/${name} is not a command.`, next: "/help lists them.", exit: 2 });
  }
  const left = chosen.map((c) => `/${c.name} ${c.args}`.trim());
  const width = Math.max(...left.map((l) => l.length));
  return ok(chosen.map((c, i) => `${(left[i] ?? "").padEnd(width)}  ${c.help}`).join("\n"));
}
