// The environment's word about every setting, and the lists that set several feature switches.
import type { Complaint } from "./complaint.ts";
import { isClamped, ownName, parseBoolean, parseValue, splitList } from "./parse.ts";
import { RANK, type SettingCandidate } from "./resolve.ts";
import type { Value } from "./row.ts";
import { settingsTable, type TableRow } from "./table.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The process's own environment: the one place where it is read; everybody else is given it. */
export const processEnvironment = (): Environment => process.env;
/** From now on this process works in another home, and so do its children. */
export const useHome = (home: string): void => {
  process.env["EVERLONG_HOME"] = home;
};
type EnvironmentReading = { candidates: SettingCandidate[]; complaints: Complaint[] };

export function readEnvironment(env: Environment): EnvironmentReading {
  const result: EnvironmentReading = { candidates: [], complaints: [] };
  for (const row of settingsTable) {
    if (row.key === "home") continue; // needed before everything else: see home.ts
    if (row.key === "featureList") readFeatureLists(row, env, result);
    else readRow(row, env, result);
  }
  readEntries(env, result);
  return result;
}

/** Names with a star, the longest first: what ends in `_KEY` is a key and no address. */
const starred = settingsTable
  .flatMap((row) => row.env.filter((name) => name.includes("*")).map((name) => ({ row, name })))
  .sort((a, b) => b.name.length - a.name.length)
  .map(({ row, name }) => ({ row, fits: new RegExp(`^${name.replace("*", "([A-Z0-9_]*[A-Z0-9])")}$`) }));

/** Variables that hold one entry of a map; its name is the variable's, in lower case. */
function readEntries(env: Environment, layer: EnvironmentReading): void {
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith("EVERLONG_") || text === undefined || text.trim() === "") continue;
    for (const { row, fits } of starred) {
      const entry = fits.exec(name)?.[1]?.toLowerCase();
      if (entry === undefined) continue;
      const value = { [entry]: text.trim() };
      layer.candidates.push({ row, value, rank: RANK.environment, source: `environment ${name}` });
      break;
    }
  }
}

/** Our name comes first and wins; a name further down that says something else is mentioned. */
function readRow(row: TableRow, env: Environment, layer: EnvironmentReading): void {
  let used: { name: string; value: Value } | undefined;
  for (const entry of row.env) {
    const name = entry.replace(/^!/, "");
    const text = env[name];
    if (text === undefined || text.trim() === "") continue;
    if (row.type === "enum" && ownName(row, text) === "") continue;
    let value = entry === name ? parseValue(row, text) : switchedOff(text);
    if (value === "unset") continue;
    if (value === undefined) {
      layer.complaints.push({ type: "invalid", where: name, row, found: text });
      if (row.unreadable !== "off") continue;
      value = false;
    }
    if (isClamped(row, text)) layer.complaints.push({ type: "clamped", where: name, row });
    if (!used) used = { name, value };
    else if (JSON.stringify(used.value) !== JSON.stringify(value)) {
      layer.complaints.push({ type: "conflict", used: used.name, other: name });
    }
  }
  if (used) {
    layer.candidates.push({ row, value: used.value, rank: RANK.environment, source: `environment ${used.name}` });
  }
}

/** A name that disables: true is off, false says nothing. */
function switchedOff(text: string): Value | undefined {
  const disabled = parseBoolean(text);
  return disabled === undefined ? undefined : disabled ? false : "unset";
}

function readFeatureLists(row: TableRow, env: Environment, layer: EnvironmentReading): void {
  row.env.forEach((name, place) => {
    for (const item of splitList(env[name] ?? "")) {
      const wanted = item.replace(/^[+-]/, "");
      const feature = featureNamed(wanted);
      if (feature) {
        const candidate = { row: feature, value: !item.startsWith("-"), source: `environment ${name}` };
        layer.candidates.push({ ...candidate, rank: RANK.featureList - place / 10 });
      } else if (place === 0) layer.complaints.push({ type: "unknown_feature", where: name, name: wanted });
    }
  });
}

function featureNamed(name: string): TableRow | undefined {
  const wanted = name.toLowerCase();
  return settingsTable.find(
    (row) =>
      row.key.startsWith("features.") &&
      [row.key, row.key.slice("features.".length), ...row.env].some((name) => name.toLowerCase() === wanted),
  );
}
