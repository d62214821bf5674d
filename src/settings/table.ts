// The one table of settings: help texts, the docs page, `everlong settings` and every environment read come from it.
import type { SettingRow, ValueOf } from "./row.ts";
import { agentRows } from "./table/agent.ts";
import { contextRows } from "./table/context.ts";
import { featureRows } from "./table/feature.ts";
import { gatewayRows } from "./table/gateway.ts";
import { graphRows } from "./table/graph.ts";
import { memoryRows } from "./table/memory.ts";
import { modelRows } from "./table/model.ts";
import { orchestrationRows } from "./table/orchestration.ts";
import { proxyRows } from "./table/proxy.ts";
import { proxyStateRows } from "./table/proxy-state.ts";
import { recallRows } from "./table/recall.ts";
import { terminalRows } from "./table/terminal.ts";

const rows = [
  ...modelRows,
  ...agentRows,
  ...contextRows,
  ...recallRows,
  ...orchestrationRows,
  ...memoryRows,
  ...graphRows,
  ...featureRows,
  ...proxyRows,
  ...proxyStateRows,
  ...gatewayRows,
  ...terminalRows,
] as const;

type AnyRow = (typeof rows)[number];
export type SettingKey = AnyRow["key"];
/** Every setting by its key, with the type that its row declares. */
export type Settings = { readonly [R in AnyRow as R["key"]]: R["key"] extends "home" ? string : ValueOf<R> };

export type TableRow = SettingRow & { key: SettingKey };
export const settingsTable: readonly TableRow[] = rows;

const byKey: ReadonlyMap<string, TableRow> = new Map(
  settingsTable.flatMap((row) => [row.key, ...(row.aliases ?? [])].map((key) => [key, row] as const)),
);
const patterns = settingsTable.flatMap((row) => (row.key.includes("*") ? [{ row, fits: keyPattern(row.key) }] : []));

/** The row of a key; of a key that fits a row's pattern, the row with the entry that the star stands for. */
export function rowOf(key: string): TableRow | undefined {
  const row = byKey.get(key);
  if (row) return row;
  for (const { row, fits } of patterns) {
    const entry = fits.exec(key)?.[1];
    if (entry !== undefined) return { ...row, entry: entry.toLowerCase() };
  }
  return undefined;
}

/** True for `provider` when `provider.baseUrl` is a setting: an object stands there in a file. */
export function isGroup(path: string): boolean {
  return groups.has(path) || groupPatterns.some((fits) => fits.test(path));
}

const groups: ReadonlySet<string> = new Set(
  [...byKey.keys()].flatMap((key) => {
    const parts = key.split(".");
    return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join("."));
  }),
);
const groupPatterns = [...groups].filter((path) => path.includes("*")).map(keyPattern);

function keyPattern(key: string): RegExp {
  return new RegExp(`^${key.replaceAll(".", "\\.").replace("*", "([^.]+)")}$`);
}
