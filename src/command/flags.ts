// The flags that set settings, for the command line; they come from the settings table.
import { flagOptions } from "../settings/flag.ts";

export { environmentText } from "../settings/describe.ts";

export type SettingFlag = {
  key: string;
  name: string;
  short?: string;
  help: string;
  argument?: string;
  value: boolean;
  repeat: boolean;
};

export function settingFlags(): SettingFlag[] {
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
