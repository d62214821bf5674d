// Reading one value for one row, from text (environment, flags) or from JSON.
import { isRecord } from "../base/json.ts";
import type { SettingRow, Value } from "./row.ts";

const TRUE = new Set(["1", "true", "yes", "on"]);
const FALSE = new Set(["0", "false", "no", "off"]);
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** The value, or undefined when it does not parse or is out of range. */
export function parseValue(row: SettingRow, raw: unknown): Value | undefined {
  switch (row.type) {
    case "boolean":
      return parseBoolean(raw);
    case "integer":
    case "number":
      return numberIn(row, raw);
    case "string":
      return isText(raw) ? raw.trim() : undefined;
    case "enum":
      return row.values.find((v) => v === ownName(row, raw));
    case "list":
      return typeof raw === "string" ? splitList(raw) : strings(raw);
    case "rules":
      return strings(raw);
    case "map":
      if (row.entry !== undefined) return isText(raw) ? { [row.entry]: raw.trim() } : undefined;
      return typeof raw === "string" ? parseLines(raw, "indexOf") : stringMap(raw);
    case "numbers":
      return numberMap(row, typeof raw === "string" ? parseLines(raw, "lastIndexOf") : raw);
    case "json":
      return isRecord(raw) ? raw : undefined;
  }
}

/** The name of an enum's value as we write it; empty where another program's name for it says nothing. */
export function ownName(row: SettingRow & { type: "enum" }, raw: unknown): string | undefined {
  const name = typeof raw === "string" ? raw.trim().toLowerCase() : undefined;
  return name === undefined ? undefined : (row.otherNames?.[name] ?? name);
}

const isText = (raw: unknown): raw is string => typeof raw === "string" && raw.trim() !== "";

export function parseBoolean(raw: unknown): boolean | undefined {
  if (typeof raw === "boolean") return raw;
  const text = String(raw).trim().toLowerCase();
  return TRUE.has(text) ? true : FALSE.has(text) ? false : undefined;
}

/** What the row wants, as the end of the sentence "… must be". */
export function expectation(row: SettingRow): string {
  switch (row.type) {
    case "boolean":
      return "true or false";
    case "integer":
    case "number": {
      const range = row.max >= 1_000_000 ? `of at least ${row.min}` : `from ${row.min} to ${row.max}`;
      return `a ${row.type === "integer" ? "whole " : ""}number ${range}`;
    }
    case "string":
      return "a non-empty text";
    case "enum":
      return `one of ${row.values.join(", ")}`;
    case "list":
    case "rules":
      return "a list of texts";
    case "map":
      return row.entry === undefined ? "an object of texts, or lines of `Name: value`" : "a non-empty text";
    case "numbers":
      return `an object of whole numbers of at least ${row.min}, or lines of \`Name: number\``;
    case "json":
      return "an object";
  }
}

export function splitList(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function strings(raw: unknown): string[] | undefined {
  const good = Array.isArray(raw) && raw.every((item) => typeof item === "string" && item.trim() !== "");
  return good ? raw.map((item: string) => item.trim()) : undefined;
}

/** `Name: value` a line, parted at the first or the last colon. */
function parseLines(text: string, colonAt: "indexOf" | "lastIndexOf"): Record<string, string> | undefined {
  const pairs: [string, string][] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === "") continue;
    const colon = line[colonAt](":");
    if (colon < 1) return undefined;
    pairs.push([line.slice(0, colon).trim(), line.slice(colon + 1).trim()]);
  }
  return Object.fromEntries(pairs);
}

function stringMap(raw: unknown): Record<string, string> | undefined {
  if (!isRecord(raw)) return undefined;
  const pairs = Object.entries(raw).filter((pair): pair is [string, string] => typeof pair[1] === "string");
  return pairs.length === Object.keys(raw).length ? Object.fromEntries(pairs) : undefined;
}

/** A number above the maximum of a row that then takes the maximum. */
export function isClamped(row: SettingRow, raw: unknown): boolean {
  return "clamp" in row && row.clamp === true && Number(raw) > row.max && parseValue(row, raw) === row.max;
}

function numberIn(row: { type: string; min: number; max: number; clamp?: true }, raw: unknown): number | undefined {
  const value = typeof raw === "string" && NUMBER.test(raw.trim()) ? Number(raw) : raw;
  const n = row.clamp && typeof value === "number" && value > row.max ? row.max : value;
  if (typeof n !== "number" || !(n >= row.min && n <= row.max)) return undefined;
  return row.type === "number" || Number.isInteger(n) ? n : undefined;
}

function numberMap(row: { type: string; min: number; max: number }, raw: unknown): Record<string, number> | undefined {
  if (!isRecord(raw)) return undefined;
  const pairs = Object.entries(raw).map(([name, value]) => [name, numberIn(row, value)] as const);
  const good = pairs.filter((pair): pair is [string, number] => pair[1] !== undefined);
  return good.length === pairs.length ? Object.fromEntries(good) : undefined;
}
