// Cache breakpoints of shortened items: a client moves its own from request to request, so none is kept with the bytes.
import { isRecord } from "../../base/json.ts";

const MARK = "cache_control";

type Block = Readonly<Record<string, unknown>>;

/** The item as it is kept. */
export const withoutMarks = (raw: unknown): string =>
  JSON.stringify(raw, (_key, value: unknown) => {
    if (!isBlock(value) || !(MARK in value)) return value;
    const { [MARK]: _mark, ...rest } = value;
    return rest;
  });

/** The kept bytes, with the breakpoints that the client has on this item now. */
export function withMarksOf(original: unknown, json: string): string {
  const now = blocksOf(original);
  if (!now.some((block) => isRecord(block) && MARK in block)) return json;
  const raw: unknown = JSON.parse(json);
  const blocks = blocksOf(raw);
  if (!isRecord(raw) || blocks.length !== now.length) return json;
  const content = blocks.map((block, at) => {
    const mark = isRecord(now[at]) ? now[at][MARK] : undefined;
    return mark === undefined || !isRecord(block) ? block : { ...block, [MARK]: mark };
  });
  return JSON.stringify({ ...raw, content });
}

const blocksOf = (raw: unknown): readonly unknown[] =>
  isRecord(raw) && Array.isArray(raw["content"]) ? raw["content"] : [];

/** Content has a type; the arguments of a call may have a field of any name. */
const isBlock = (value: unknown): value is Block => isRecord(value) && typeof value["type"] === "string";
