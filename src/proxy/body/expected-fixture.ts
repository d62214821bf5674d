// What assembling pieces should give, said of values instead of bytes: the measure that the property tests hold it to.
import { isRecord } from "../../base/json.ts";
import type { WireName } from "../../schema/model.ts";

export type Given = { value: unknown; at: number | undefined; append: readonly string[]; prepend: readonly string[] };
type Message = Record<string, unknown>;

const TAKERS: Record<WireName, unknown[]> = {
  "openai-chat": ["user", "tool", "function"],
  "openai-responses": ["user"],
  anthropic: ["user"],
  gemini: ["user", "function", undefined],
};
const holderOf = (wire: WireName): string => (wire === "gemini" ? "parts" : "content");

export function takes(value: unknown, wire: WireName): boolean {
  if (!isRecord(value)) return typeof value === "string";
  if (!TAKERS[wire].includes(value["role"])) return false;
  if (wire === "openai-responses" && (value["type"] ?? "message") !== "message") return false;
  const content = value[holderOf(wire)];
  return Array.isArray(content) || (typeof content === "string" && wire !== "gemini");
}

const partOf = (text: string, wire: WireName): Message => {
  if (wire === "gemini") return { text };
  return { type: wire === "openai-responses" ? "input_text" : "text", text };
};
const answers = (part: unknown, wire: WireName): boolean => {
  if (!isRecord(part)) return false;
  return wire === "gemini"
    ? isRecord(part["functionResponse"])
    : wire === "anthropic" && part["type"] === "tool_result";
};

const withTexts = (text: string, { append, prepend }: Given): string =>
  [...prepend, ...(text === "" ? [] : [text]), ...append].join("\n\n");

function one(given: Given, wire: WireName): unknown {
  const { value, append, prepend } = given;
  if (append.length + prepend.length === 0) return value;
  if (!isRecord(value)) return withTexts(String(value), given);
  const content = value[holderOf(wire)];
  if (!Array.isArray(content)) return { ...value, content: withTexts(String(content), given) };
  const place = content.findLastIndex((part) => answers(part, wire)) + 1;
  const added = (texts: readonly string[]): Message[] => texts.map((text) => partOf(text, wire));
  const parts = [...content.slice(0, place), ...added(prepend), ...content.slice(place), ...added(append)];
  return { ...value, [holderOf(wire)]: parts };
}

function joined(group: readonly Given[], wire: WireName): unknown {
  const parts = group.flatMap(({ value, append, prepend }) => {
    const content = (value as Message)[holderOf(wire)];
    const own = Array.isArray(content) ? content : content === "" ? [] : [partOf(String(content), wire)];
    const results = own.filter((part) => answers(part, wire));
    const others = own.filter((part) => !answers(part, wire));
    const [before, after] = [prepend, append].map((texts) => texts.map((text) => partOf(text, wire)));
    return [{ results, others: [...(before ?? []), ...others, ...(after ?? [])] }];
  });
  const all = [...parts.flatMap((part) => part.results), ...parts.flatMap((part) => part.others)];
  return { role: "user", [holderOf(wire)]: all };
}

/** `groups` are the pieces that become one item each. */
export function expectedHistory(wire: WireName, given: readonly Given[]): { history: unknown; groups: Given[][] } {
  const [only] = given;
  if (given.length === 1 && typeof only?.value === "string") return { history: one(only, wire), groups: [[only]] };
  const groups: Given[][] = [];
  for (const next of given) {
    const last = groups.at(-1)?.at(-1);
    const joins =
      (wire === "anthropic" || wire === "gemini") && last && takes(last.value, wire) && takes(next.value, wire);
    const neighbours = last?.at !== undefined && next.at === last.at + 1;
    if (joins && !neighbours) groups.at(-1)?.push(next);
    else groups.push([next]);
  }
  const history = groups.map((group) => {
    const [first] = group as [Given];
    if (group.length > 1) return joined(group, wire);
    const item = one(first, wire);
    return typeof item === "string" ? { type: "message", role: "user", content: item } : item;
  });
  return { history, groups };
}
