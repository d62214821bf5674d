// JSON: safe parsing, canonical text, and values as people are shown them.
import { clip } from "./text.ts";

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function parseJson(text: string): { ok: true; value: unknown } | { ok: false } {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false };
  }
}

/** What is written by hand has ten levels; what has thousands is made to break whoever walks through it. */
export const MAX_NESTING = 100;

/** True for a value with more levels than any file or answer needs: walking or printing it could end the stack. */
export function isTooDeep(value: unknown, levels = MAX_NESTING): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1));
}

/** A value that is not what was expected, for a message about it. Never throws. */
export function shownValue(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (typeof value === "bigint" || typeof value === "symbol") return String(value);
  if (isTooDeep(value)) return `a value nested deeper than ${MAX_NESTING} levels`;
  return clip(JSON.stringify(value) ?? typeof value, 80);
}

/** Equal values give equal text, whatever the order of their keys; undefined fields count as absent. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, v: unknown) => {
    if (!isRecord(v)) return v;
    return Object.fromEntries(
      Object.keys(v)
        .sort()
        .map((k) => [k, v[k]]),
    );
  });
}

/** The value with every text in it changed; `key`: of the nearest object that the text stands in. */
export function mapTexts<T>(value: T, change: (text: string, key: string) => string, key = ""): T {
  const map = (one: unknown, name: string): unknown => {
    if (typeof one === "string") return change(one, name);
    if (Array.isArray(one)) return one.map((inner) => map(inner, name));
    if (!isRecord(one)) return one;
    return Object.fromEntries(Object.entries(one).map(([inner, text]) => [inner, map(text, inner)]));
  };
  return map(value, key) as T;
}

/** The characters of all texts in a value: how long it is, without writing it out. */
export function textLength(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  let sum = 0;
  for (const key in value) sum += textLength((value as Record<string, unknown>)[key]);
  return sum;
}
