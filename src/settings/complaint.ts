// What is wrong with a value, told in one sentence once it is known what is used instead.
import { nearNames } from "../base/text.ts";
import { expectation } from "./parse.ts";
import type { Sources } from "./resolve.ts";
import type { SettingRow } from "./row.ts";
import { type SettingKey, type Settings, settingsTable } from "./table.ts";

export type Complaint =
  | { type: "invalid"; where: string; row: SettingRow & { key: SettingKey }; found: unknown }
  | { type: "clamped"; where: string; row: SettingRow & { key: SettingKey } }
  | { type: "unknown"; where: string; key: string }
  | { type: "not_a_group"; where: string; key: string }
  | { type: "environment_only"; where: string }
  | { type: "forbidden"; where: string }
  | { type: "conflict"; used: string; other: string }
  | { type: "unknown_feature"; where: string; name: string };

export function describeComplaint(c: Complaint, values: Settings, sources: Sources): string {
  switch (c.type) {
    case "invalid": {
      const { row } = c;
      return `${c.where} must be ${expectation(row)}${seenValue(row, c.found)}. ${instead(row, values, sources)} [setting_invalid]`;
    }
    case "clamped":
      return `${c.where} is above its maximum. ${"max" in c.row ? c.row.max : "It"} is used. [setting_invalid]`;
    case "unknown": {
      const near = nearNames(
        c.key,
        settingsTable.map((row) => row.key),
        1,
      )[0];
      const hint = near ? ` (did you mean "${near}"?)` : "";
      return `${c.where} is not a setting${hint}. It is kept and has no effect. [setting_unknown]`;
    }
    case "not_a_group":
      return `${c.where} must be an object. It is ignored. [setting_invalid]`;
    case "environment_only":
      return `${c.where} can only be set in the environment. It is ignored. [setting_forbidden]`;
    case "forbidden":
      return `${c.where} may not be set by a project's file. It is ignored. [setting_forbidden]`;
    case "conflict":
      return `${c.used} and ${c.other} differ. ${c.used} is used. [setting_conflict]`;
    case "unknown_feature":
      return `${c.where} names "${c.name}", which is not a feature switch. It is ignored. [setting_unknown]`;
  }
}

/** The end of a sentence that shows the bad value, unless it may be a secret. */
export function seenValue(row: SettingRow, value: unknown): string {
  return row.secret ? "" : `, found ${(JSON.stringify(value) ?? "nothing").slice(0, 200)}`;
}

function instead(row: SettingRow & { key: SettingKey }, values: Settings, sources: Sources): string {
  const value = row.secret ? "value" : JSON.stringify(values[row.key]);
  if (row.unreadable === "off" && values[row.key] === false) return "It is treated as off.";
  if (sources[row.key] !== "default") return `The value from ${sources[row.key]} is used.`;
  return values[row.key] === undefined
    ? `The default is used${row.defaultText ? ` (${row.defaultText})` : ""}.`
    : `The default ${value} is used.`;
}
