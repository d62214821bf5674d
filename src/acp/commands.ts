// The commands that can be typed after a slash, as an editor lists them.
import type { AvailableCommand } from "@agentclientprotocol/sdk";
import { slashCommands } from "../command/table.ts";
import type { Client } from "../runtime/client.ts";

/** Ours that work here, then what users added. */
export function availableCommands(client: Client): AvailableCommand[] {
  const ours = slashCommands
    .filter(({ slash }) => !slash.ofTerminal)
    .map(({ name, summary, slash }) => command(name, slash.summary ?? summary, slash.usage));
  const own = client.extensions.commands().map(({ name, help, args }) => command(name, help, args));
  return [...ours, ...own];
}

const command = (name: string, description: string, hint: string): AvailableCommand => ({
  name,
  description,
  ...(hint === "" ? {} : { input: { hint } }),
});
