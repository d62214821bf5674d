// `everlong settings` and `/settings`: list, read and change settings.
import { refusal } from "../base/failure.ts";
import { fail } from "../base/result.ts";
import type { SettingsAccess } from "../runtime/client.ts";
import { settingsText } from "../settings/describe.ts";
import { unknownKey } from "../settings/write.ts";
import {
  type Command,
  type CommandCall,
  type CommandOutcome,
  describe,
  output,
  type SlashCommand,
} from "./contract.ts";

const project = { flags: "--project", help: "use the project's file instead of yours" };

const list: Command = {
  name: "list",
  summary: "list all settings, with value and source",
  isDefault: true,
  json: "value",
  run: (_call, { on }) => listAll(on.settings),
};

const get: Command = {
  name: "get",
  summary: "show one setting",
  arguments: "<key>",
  run: ({ args: [key = ""] }, { on }) => settingValue(on.settings, key),
};

const set: Command = {
  name: "set",
  summary: "change a setting",
  arguments: "<key> <value>",
  options: [project],
  run: ({ args: [key = "", value], options }: CommandCall<{ project?: boolean }>, { on }) =>
    change(on.settings, key, value, options),
};

const unset: Command = {
  name: "unset",
  summary: "go back to the default",
  arguments: "<key>",
  options: [project],
  run: ({ args: [key = ""], options }: CommandCall<{ project?: boolean }>, { on }) =>
    change(on.settings, key, undefined, options),
};

export const settings: SlashCommand = {
  name: "settings",
  summary: "list and change settings",
  subcommands: [list, get, set, unset],
  slash: {
    usage: "[KEY [VALUE]]",
    summary: "list or change settings",
    async run(text, client) {
      const [key = "", ...value] = text.split(/\s+/).filter(Boolean);
      if (key === "") return listAll(client.settings);
      return value.length === 0
        ? settingValue(client.settings, key)
        : change(client.settings, key, value.join(" "), {});
    },
  },
};

const listAll = async (access: SettingsAccess): Promise<CommandOutcome> =>
  describe(await access.list(), (lines) => ({ data: lines, text: settingsText(lines) }));

async function settingValue(access: SettingsAccess, key: string): Promise<CommandOutcome> {
  const lines = await access.list();
  if (!lines.ok) return lines;
  const line = lines.value.find((one) => one.key === key);
  if (line) return output(typeof line.value === "string" ? line.value : (JSON.stringify(line.value) ?? ""));
  return fail(refusal("setting_unknown", unknownKey(key), "See `everlong settings`.", 2));
}

const change = async (
  access: SettingsAccess,
  key: string,
  value: string | undefined,
  where: { project?: boolean },
): Promise<CommandOutcome> =>
  describe(await access.set(key, value, where), ({ path, isSecret, needsRestart }) => {
    const what = value === undefined ? "is unset" : `= ${isSecret ? "…" : value}`;
    return `${key} ${what} in ${path}. Takes effect ${needsRestart ? "after a restart" : "from the next turn"}.`;
  });
