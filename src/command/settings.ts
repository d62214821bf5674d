// `everlong settings` and `/settings`: list, read and change settings.
import { fail } from "../base/result.ts";
import type { SettingsAccess } from "../runtime/client/decision.ts";
import { settingsText } from "../settings/describe.ts";
import { unknownKey } from "../settings/write.ts";
import { type Call, type Command, type Outcome, type SlashCommand, said, shown } from "./contract.ts";

const project = { flags: "--project", help: "in the project's file instead of the user's" };

const list: Command = {
  name: "list",
  summary: "every setting with its value and where that comes from",
  isDefault: true,
  json: "value",
  run: (_call, { on }) => listAll(on.settings),
};

const get: Command = {
  name: "get",
  summary: "the value of one",
  arguments: "<key>",
  run: ({ args: [key = ""] }, { on }) => settingValue(on.settings, key),
};

const set: Command = {
  name: "set",
  summary: "change one",
  arguments: "<key> <value>",
  options: [project],
  run: ({ args: [key = "", value], options }: Call<{ project?: boolean }>, { on }) =>
    change(on.settings, key, value, options),
};

const unset: Command = {
  name: "unset",
  summary: "take a change back",
  arguments: "<key>",
  options: [project],
  run: ({ args: [key = ""], options }: Call<{ project?: boolean }>, { on }) =>
    change(on.settings, key, undefined, options),
};

export const settings: SlashCommand = {
  name: "settings",
  summary: "list, read and change settings",
  subcommands: [list, get, set, unset],
  slash: {
    usage: "[KEY [VALUE]]",
    summary: "list, show or set settings",
    async run(text, client) {
      const [key = "", ...value] = text.split(/\s+/).filter(Boolean);
      if (key === "") return listAll(client.settings);
      return value.length === 0
        ? settingValue(client.settings, key)
        : change(client.settings, key, value.join(" "), {});
    },
  },
};

async function listAll(access: SettingsAccess): Promise<Outcome> {
  const lines = await access.list();
  return lines.ok ? shown(lines.value, settingsText(lines.value)) : lines;
}

async function settingValue(access: SettingsAccess, key: string): Promise<Outcome> {
  const lines = await access.list();
  if (!lines.ok) return lines;
  const line = lines.value.find((one) => one.key === key);
  if (line) return said(typeof line.value === "string" ? line.value : (JSON.stringify(line.value) ?? ""));
  return fail({
    code: "setting_unknown",
    what: unknownKey(key),
    data: "Nothing was changed.",
    next: "See `everlong settings`.",
    exit: 2,
  });
}

async function change(
  access: SettingsAccess,
  key: string,
  value: string | undefined,
  where: { project?: boolean },
): Promise<Outcome> {
  const written = await access.set(key, value, where);
  if (!written.ok) return written;
  const { path, isSecret, needsRestart } = written.value;
  const what = value === undefined ? "is unset" : `= ${isSecret ? "…" : value}`;
  return said(`${key} ${what} in ${path}; it counts ${needsRestart ? "after restart" : "from the next turn on"}.`);
}
