// The flags that set settings, for the command line; they come from the settings table.
import { environmentText } from "../settings/describe.ts";
import { flagOptions } from "../settings/flag.ts";

export type CommandFlag = {
  key: string;
  name: string;
  short?: string;
  help: string;
  argument?: string;
  value: boolean;
  repeat: boolean;
};

export function commandFlags(): CommandFlag[] {
  return flagOptions().map((f) => ({
    key: f.key,
    name: f.name,
    help: f.name.startsWith("--no-") ? `do not ${f.help.charAt(0).toLowerCase()}${f.help.slice(1)}` : f.help,
    value: f.value ?? true,
    repeat: f.repeat,
    ...(f.short ? { short: f.short } : {}),
    ...(f.argument ? { argument: f.argument } : {}),
  }));
}

export const environmentHelp = environmentText;

/** The format that flags, environment or files ask for; what the flag says when the settings cannot be read. */
export async function outputFormatOf(flags: Record<string, string | boolean | string[]>): Promise<unknown> {
  if (flags["outputFormat"] !== undefined) return flags["outputFormat"];
  const { openWorkspace } = await import("./workspace.ts");
  const workspace = await openWorkspace();
  return workspace.ok ? workspace.value.settings.values.outputFormat : undefined;
}
