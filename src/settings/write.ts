// Changes one setting in a file, keeping its comments, its order and what we do not know.
import { errorText, type Failure } from "../base/failure.ts";
import { isRecord, parseJson } from "../base/json.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { nearNames } from "../base/text.ts";
import { seenValue } from "./complaint.ts";
import { loadParser, parseSettingsFile } from "./file.ts";
import { type CheckRule, isForbidden } from "./file-layer.ts";
import { expectation, parseValue } from "./parse.ts";
import type { SettingRow, Value } from "./row.ts";
import { rowOf, settingsTable } from "./table.ts";

/** Locked read, change and atomic write of a file; the store gives it. Must not write when the change fails. */
export type UpdateFile = (
  path: string,
  change: (text: string | undefined) => Promise<Result<string, Failure>>,
) => Promise<Result<unknown, Failure>>;

export type SettingChange = {
  path: string;
  layer: "user" | "project";
  key: string;
  /** As typed: text as in the environment, or a JSON array or object. Absent: the setting is removed. */
  text?: string;
  checkRule?: CheckRule;
};

export async function writeSetting(change: SettingChange, update: UpdateFile): Promise<Result<SettingRow, Failure>> {
  const row = rowOf(change.key);
  if (!row) return fail(usage(unknownKey(change.key)));
  if (row.scope === "environment")
    return fail(usage(`"${row.key}" can only be set in the environment (${row.env[0]}).`));
  const value = change.text === undefined ? ok(undefined) : readTyped(row, change.text, change.checkRule);
  if (!value.ok) return value;
  if (change.layer === "project" && isForbidden(row, value.value)) {
    const only = row.scope === "off" ? "only be switched off" : "not be set";
    return fail(usage(`"${row.key}" may ${only} by a project's file.`));
  }
  const key = row.entry === undefined ? row.key : change.key;
  const entry = row.entry === undefined ? value.value : change.text?.trim();
  const written = await update(change.path, (text) => editText(change.path, text, key, entry));
  return written.ok ? ok(row) : written;
}

function readTyped(row: SettingRow, text: string, checkRule?: CheckRule): Result<Value, Failure> {
  const json = /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
  const raw = json?.ok ? json.value : row.type === "rules" ? [text] : text;
  const value = parseValue(row, raw);
  if (value === undefined) return fail(usage(`"${row.key}" must be ${expectation(row)}${seenValue(row, text)}.`));
  const isRule = row.type === "rules" && row.key !== "permissions.dirs";
  const reason = isRule && Array.isArray(value) && checkRule && value.map(checkRule).find((r) => r !== undefined);
  return reason ? fail(usage(`"${row.key}": ${reason}.`)) : ok(value);
}

async function editText(
  path: string,
  text: string | undefined,
  key: string,
  value: Value | undefined,
): Promise<Result<string, Failure>> {
  const before = (text ?? "{}\n").replace(/^\uFEFF/, "");
  const file = await parseSettingsFile(path, before);
  if (!file.ok) return file;
  const { applyEdits, modify } = await loadParser();
  const at = pathOf(file.value.value, key);
  if (!at && value === undefined) return ok(before);
  const eol = before.includes("\r\n") ? "\r\n" : "\n";
  const formattingOptions = { insertSpaces: !/^\t/m.test(before), tabSize: 2, eol };
  try {
    return ok(applyEdits(before, modify(before, at ?? key.split("."), value, { formattingOptions })));
  } catch (error) {
    // a number or a text stands where the setting's group should be
    return fail(usage(`"${key}" cannot be written to ${path}: ${errorText(error)}.`));
  }
}

/** Where the key stands already; a file may write `{"a.b": 1}` for `{"a": {"b": 1}}`. */
function pathOf(value: Record<string, unknown>, key: string): string[] | undefined {
  if (Object.hasOwn(value, key)) return [key];
  for (const [name, child] of Object.entries(value)) {
    if (!key.startsWith(`${name}.`) || !isRecord(child)) continue;
    const rest = pathOf(child, key.slice(name.length + 1));
    if (rest) return [name, ...rest];
  }
  return undefined;
}

export function unknownKey(key: string): string {
  const near = nearNames(
    key,
    settingsTable.map((row) => row.key),
  );
  return `"${key}" is not a setting.${near.length > 0 ? ` Did you mean ${near.join(" or ")}?` : ""}`;
}

function usage(what: string): Failure {
  return { code: "setting_invalid", what, data: "No file was changed.", next: "See `everlong settings`.", exit: 2 };
}
