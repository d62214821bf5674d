// `${VAR}` and `${VAR:-default}` in configuration values, expanded once and everywhere.
import { isRecord } from "../../base/json.ts";
import { fail, ok, type Result } from "../../base/result.ts";

export type Variables = Readonly<Record<string, string | undefined>>;
type Missing = { variable: string; field: string };

const VARIABLE = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;
const MAX_DEPTH = 16;

/** What a variable holds is never expanded again: a value cannot ask for another one. */
export function expandText(text: string, variables: Variables, field: string): Result<string, Missing> {
  let missing: Missing | undefined;
  const expanded = text.replace(VARIABLE, (_all, variable: string, otherwise: string | undefined) => {
    const value = variables[variable];
    if (value !== undefined && (value !== "" || otherwise === undefined)) return value;
    if (otherwise === undefined) missing ??= { variable, field };
    return otherwise ?? "";
  });
  return missing ? fail(missing) : ok(expanded);
}

export function expandAll(value: unknown, variables: Variables, field = "", depth = 0): Result<unknown, Missing> {
  if (typeof value === "string") return expandText(value, variables, field);
  if (depth >= MAX_DEPTH || (!Array.isArray(value) && !isRecord(value))) return ok(value);
  const entries: [string, unknown][] = [];
  for (const [key, inner] of Object.entries(value)) {
    const expanded = expandAll(inner, variables, field === "" ? key : `${field}.${key}`, depth + 1);
    if (!expanded.ok) return expanded;
    entries.push([key, expanded.value]);
  }
  return ok(Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries));
}
