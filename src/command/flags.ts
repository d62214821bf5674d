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
  /** Another name for the flag before it, which help leaves out. */
  isAlias: boolean;
};

export function settingFlags(): SettingFlag[] {
  return flagOptions().map((f, at, all) => ({
    key: f.key,
    name: f.name,
    help: f.name.startsWith("--no-") ? `don't ${lowered(f.help)}` : lowered(f.help),
    isAlias: all.findIndex(({ key }) => key === f.key) < at,
    value: f.value ?? true,
    repeat: f.repeat,
    ...(f.short ? { short: f.short } : {}),
    ...(f.argument ? { argument: f.argument } : {}),
  }));
}

/** As the other lines of help begin; "API key" and the like stay. */
const lowered = (help: string): string => help.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());
