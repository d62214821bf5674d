// Reads the fields of a definition: each bad optional one is dropped with a warning, a bad required one ends the file.
import { isRecord } from "../../base/json.ts";
import { clip } from "../../base/text.ts";
import { parseRule } from "../../permission/rule.ts";
import type { Rule } from "../../schema/permission.ts";
import { expected, type FileWarning } from "./warning.ts";

const MAX_DESCRIPTION = 1024;

export class FieldReader {
  readonly warnings: FileWarning[] = [];
  /** A required field is bad: the file cannot be used. */
  unusable = false;
  readonly #path: string;
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(path: string, fields: Readonly<Record<string, unknown>>) {
    this.#path = path;
    this.#fields = fields;
  }

  /** The first of these names that is there: aliases of one field. */
  #get(names: readonly string[]): { field: string; value: unknown } | undefined {
    const field = names.find((name) => this.#fields[name] !== undefined && this.#fields[name] !== null);
    return field === undefined ? undefined : { field, value: this.#fields[field] };
  }

  warn(field: string, message: string): undefined {
    this.warnings.push({ path: this.#path, field, message, skipped: false });
  }

  refuse(field: string, message: string): undefined {
    this.unusable = true;
    this.warnings.push({ path: this.#path, field, message, skipped: true });
  }

  raw(...names: string[]): unknown {
    return this.#get(names)?.value;
  }

  text(...names: string[]): string | undefined {
    const field = this.#get(names);
    if (!field) return undefined;
    if (typeof field.value === "string" && field.value.trim() !== "") return field.value.trim();
    // YAML reads an unquoted 2024 or true as what it looks like.
    if (typeof field.value === "number" || typeof field.value === "boolean") return String(field.value);
    return this.warn(field.field, expected("a text", field.value));
  }

  description(): string {
    const value = this.raw("description");
    const isGood = typeof value === "string" && value.trim() !== "" && value.trim().length <= MAX_DESCRIPTION;
    if (isGood) return value.trim();
    const described = typeof value === "string" ? `a text of ${value.trim().length} characters` : value;
    this.refuse("description", expected(`a text of 1 to ${MAX_DESCRIPTION} characters`, described));
    return "";
  }

  flag(field: string, otherwise: boolean): boolean {
    const value = this.raw(field);
    if (value === undefined || typeof value === "boolean") return value ?? otherwise;
    if (value === "true" || value === "false") return value === "true";
    this.warn(field, expected("true or false", value));
    return otherwise;
  }

  positive(...names: string[]): number | undefined {
    const field = this.#get(names);
    if (!field) return undefined;
    if (typeof field.value === "number" && Number.isInteger(field.value) && field.value > 0) return field.value;
    return this.warn(field.field, expected("a whole number above 0", field.value));
  }

  /** A list of texts, or one text with commas between them (not inside parentheses). */
  list(...names: string[]): string[] | undefined {
    const field = this.#get(names);
    if (!field) return undefined;
    const parts = typeof field.value === "string" ? splitList(field.value) : field.value;
    if (Array.isArray(parts) && parts.every((part) => typeof part === "string"))
      return parts.map((part) => part.trim()).filter((part) => part !== "");
    return this.warn(field.field, expected("a list or a text with commas", field.value));
  }

  map(field: string): Record<string, unknown> | undefined {
    const value = this.raw(field);
    if (value === undefined || isRecord(value)) return value;
    return this.warn(field, expected("a map", value));
  }
}

const splitList = (text: string): string[] => clip(text, 20_000).split(/,(?![^(]*\))/);

/** `allowed-tools` of skills and commands: permission rules from the moment it is used. What names no permission is warned about. */
export function readToolRules(read: FieldReader): Rule[] {
  return (read.list("allowed-tools") ?? []).flatMap((text) => {
    const rule = parseRule(text);
    if (!rule.ok) read.warn("allowed-tools", `${rule.error}.`);
    return rule.ok ? [rule.value] : [];
  });
}
