// What only people may do: a command that a model runs carries a mark, and is refused.
import { type Failure, refusal } from "../base/failure.ts";
import { TOOL_SHELL_MARK } from "../host/environment.ts";

/** `what`: the beginning of a sentence, such as "Settings are". */
export function refuseInToolShell(
  env: Readonly<Record<string, string | undefined>>,
  what: string,
): Failure | undefined {
  if (!env[TOOL_SHELL_MARK]) return undefined;
  return refusal(
    "refused_in_tool",
    `Only a person can ${what}, never an agent's shell.`,
    "Run the command yourself, in your own terminal.",
  );
}
