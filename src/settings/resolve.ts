// Precedence: defaults < user file < project file < feature lists < environment < flags.
import { isRecord } from "../base/json.ts";
import type { SettingRow, Value } from "./row.ts";
import { type SettingKey, type Settings, settingsTable } from "./table.ts";

export const RANK = { user: 1, project: 2, featureList: 3, environment: 4, flag: 5 } as const;

/** One layer's word about one setting. */
export type SettingCandidate = {
  row: SettingRow & { key: SettingKey };
  value: Value;
  rank: number;
  /** "user", "project", "environment NAME" or "flag". */
  source: string;
};
export type Sources = Readonly<Record<SettingKey, string>>;

/** The result depends on ranks alone, never on the order of the candidates. */
export function resolve(candidates: readonly SettingCandidate[]): { values: Settings; sources: Sources } {
  const values: Partial<Record<SettingKey, unknown>> = {};
  const sources: Partial<Record<SettingKey, string>> = {};
  const sorted = [...candidates].sort((a, b) => a.rank - b.rank);
  for (const row of settingsTable) {
    values[row.key] = row.default;
    sources[row.key] = "default";
  }
  for (const { row, value, source } of sorted) {
    const before = values[row.key];
    const joins = row.type === "rules" || row.type === "map" || row.type === "numbers" || row.type === "json";
    values[row.key] = joins ? join(before, value) : value;
    const earlier = sources[row.key];
    sources[row.key] = joins && earlier !== "default" ? `${earlier}, ${source}` : source;
  }
  return { values: values as Settings, sources: sources as Sources };
}

function join(before: unknown, value: Value): Value {
  if (Array.isArray(value)) return [...new Set([...(Array.isArray(before) ? before : []), ...value])];
  return isRecord(before) && isRecord(value) ? ({ ...before, ...value } as Record<string, unknown>) : value;
}
