// The one table of settings: help texts, the docs page, `everlong settings` and every environment read come from it.
import type { Row, ValueOf } from "./row.ts";
import { agentRows } from "./table/agent.ts";
import { contextRows } from "./table/context.ts";
import { featureRows } from "./table/feature.ts";
import { modelRows } from "./table/model.ts";

const rows = [...modelRows, ...agentRows, ...contextRows, ...featureRows] as const;

type AnyRow = (typeof rows)[number];
export type SettingKey = AnyRow["key"];
/** Every setting by its key, with the type that its row declares. */
export type Settings = { readonly [R in AnyRow as R["key"]]: R["key"] extends "home" ? string : ValueOf<R> };

export const settingsTable: readonly (Row & { key: SettingKey })[] = rows;

const byKey: ReadonlyMap<string, Row & { key: SettingKey }> = new Map(settingsTable.map((row) => [row.key, row]));

export function rowOf(key: string): (Row & { key: SettingKey }) | undefined {
  return byKey.get(key);
}

/** True for `provider` when `provider.baseUrl` is a setting: an object stands there in a file. */
export function isGroup(path: string): boolean {
  return groups.has(path);
}

const groups: ReadonlySet<string> = new Set(
  settingsTable.flatMap(({ key }) => {
    const parts = key.split(".");
    return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join("."));
  }),
);
