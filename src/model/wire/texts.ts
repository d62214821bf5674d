// The texts of an item that people and tools wrote, on any wire and in our own messages, replaced in a copy.
import { isRecord } from "../../base/json.ts";

export type Replace = (text: string) => string;
/** Takes over a part that is not made of plain texts; undefined leaves it to the general rule. */
type ReplacePart = (part: Record<string, unknown>, replace: Replace) => Record<string, unknown> | undefined;

/** Where such texts stand, as strings or deeper in lists and parts. Media, ids, arguments and signatures are elsewhere. */
const HOLDERS = ["content", "text", "output", "parts", "stdout", "stderr"];
/** A document's source is no text itself, but may hold one; other sources hold bytes. */
const inSource = (source: unknown): string[] => (isRecord(source) && source["type"] === "text" ? ["data"] : HOLDERS);

/** The same object when no text changed; parts without a changed text stay the same objects too. */
export function replaceTexts<Raw>(raw: Raw, replace: Replace, replacePart?: ReplacePart): Raw;
export function replaceTexts(raw: unknown, replace: Replace, replacePart?: ReplacePart): unknown {
  return walk(raw, HOLDERS, replace, replacePart);
}

function walk(raw: unknown, holders: string[], replace: Replace, replacePart?: ReplacePart): unknown {
  if (Array.isArray(raw)) {
    const copy = raw.map((one: unknown) => (isRecord(one) ? walk(one, HOLDERS, replace, replacePart) : one));
    return copy.every((one, index) => one === raw[index]) ? raw : copy;
  }
  if (!isRecord(raw)) return raw;
  const taken = replacePart?.(raw, replace);
  if (taken) return taken;
  let copy = raw;
  const put = (key: string, replaced: unknown): void => {
    if (replaced !== raw[key]) copy = { ...copy, [key]: replaced };
  };
  for (const key of holders) {
    const value = raw[key];
    put(key, typeof value === "string" ? replace(value) : walk(value, HOLDERS, replace, replacePart));
  }
  if (isRecord(raw["source"])) put("source", walk(raw["source"], inSource(raw["source"]), replace, replacePart));
  return copy;
}
