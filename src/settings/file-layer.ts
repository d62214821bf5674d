// One settings file's word about every setting, and what of it may not count.
import type { Failure } from "../base/failure.ts";
import { isRecord } from "../base/json.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { type Complaint, seenValue } from "./complaint.ts";
import { type FilePath, refusal, type SettingsFile } from "./file.ts";
import { expectation, isClamped, parseValue } from "./parse.ts";
import { RANK, type SettingCandidate } from "./resolve.ts";
import type { SettingRow, Value } from "./row.ts";
import { isGroup, rowOf } from "./table.ts";

type FileLayer = {
  candidates: SettingCandidate[];
  /** What a project that is not trusted says, and what counts once it is. */
  withheld: SettingCandidate[];
  complaints: Complaint[];
};
export type CheckRule = (rule: string) => string | undefined;

type Leaf = { key: string; path: FilePath; value: unknown };
type Options = { layer: "user" | "project"; trusted: boolean; checkRule?: CheckRule | undefined };

/** What a project may not say, settings that are not in the table included. */
const NEVER_PROJECT = /^(provider|providers|trust|consent)(\.|$)/;
const RULES = new Set(["permissions.allow", "permissions.deny", "permissions.ask"]);

export async function readFileLayer(file: SettingsFile, options: Options): Promise<Result<FileLayer, Failure>> {
  const { layer, trusted } = options;
  const result: FileLayer = { candidates: [], withheld: [], complaints: [] };
  for (const leaf of leaves(file.value)) {
    const { key, path, value } = leaf;
    const row = rowOf(key);
    const where = async () => `${file.path} line ${(await file.position(path)).line}: "${key}"`;
    const parsed = row && parseValue(row, value);
    if (layer === "project" && (row ? isForbidden(row, parsed) : NEVER_PROJECT.test(key))) {
      result.complaints.push({ type: "forbidden", where: await where() });
      continue;
    }
    if (row?.scope === "environment") {
      result.complaints.push({ type: "environment_only", where: await where() });
      continue;
    }
    if (parsed === undefined && /^permissions(\.|$)/.test(key) && (row || isGroup(key))) {
      const reason = row ? `${expectation(row)}${seenValue(row, value)}` : "an object";
      return fail(refusal(file.path, await file.position(path), `"${key}" must be ${reason}`));
    }
    if (!row) result.complaints.push({ type: isGroup(key) ? "not_a_group" : "unknown", where: await where(), key });
    else if (parsed === undefined) {
      result.complaints.push({ type: "invalid", where: await where(), row, found: value });
    } else {
      const bad = await badRule(file, leaf, options.checkRule);
      if (bad) return fail(bad);
      if (isClamped(row, value)) result.complaints.push({ type: "clamped", where: await where(), row });
      const isHeldBack = layer === "project" && row.scope === "trusted" && !trusted;
      (isHeldBack ? result.withheld : result.candidates).push({ row, value: parsed, rank: RANK[layer], source: layer });
    }
  }
  return ok(result);
}

/** A project's file sets neither the user's own settings nor, except to false, those that it may only switch off. */
export function isForbidden(row: SettingRow, value: Value | undefined): boolean {
  return row.scope === "user" || (row.scope === "off" && value !== undefined && value !== false);
}

/** Values by dotted key; `{"a": {"b": 1}}` and `{"a.b": 1}` say the same. */
function* leaves(value: Record<string, unknown>, parent: FilePath = []): Generator<Leaf> {
  for (const [name, child] of Object.entries(value)) {
    const path = [...parent, name];
    const key = path.join(".");
    if (isGroup(key) && isRecord(child)) yield* leaves(child, path);
    else if (name !== "$schema") yield { key, path, value: child };
  }
}

async function badRule(file: SettingsFile, leaf: Leaf, checkRule?: CheckRule): Promise<Failure | undefined> {
  if (!checkRule || !RULES.has(leaf.key) || !Array.isArray(leaf.value)) return undefined;
  for (const [index, rule] of leaf.value.entries()) {
    const reason = checkRule(String(rule));
    if (reason === undefined) continue;
    return refusal(file.path, await file.position([...leaf.path, index]), `"${leaf.key}": ${reason}`);
  }
  return undefined;
}
