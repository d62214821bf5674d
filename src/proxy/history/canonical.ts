// The form of an item that stays the same when a client writes its history anew: who said what, which calls, which results.
import { isRecord, parseJson } from "../../base/json.ts";
import type { WireContent, WirePart } from "../../model/wire/contract.ts";
import { SEALED_KEYS } from "../../model/wire/part.ts";
import type { ContextItem } from "../../schema/context-item.ts";
import { withoutInjected, withoutReminders } from "./blocks.ts";

type Canonical = {
  form: string;
  /** The item has a call's id or is long, so nobody else's history has it by chance. */
  telling: boolean;
};

const TELLING = 400;

/** What an item says of a call: it makes it, answers it, or answers it once more. */
export type CallNote = { type: "called" | "answered" | "repeated"; id: string };

/**
 * `answered`: calls that have their result, over the whole history in its order; `notes` gets what this item says of
 * calls. Undefined: nothing is left of the item.
 */
export function canonical(
  role: ContextItem["role"],
  parts: readonly WirePart[],
  answered: Set<string>,
  notes: CallNote[] = [],
): Canonical | undefined {
  const clean = role === "assistant" ? trimmed : spokenText;
  let form = "";
  let texts = "";
  let chars = 0;
  let hasId = false;
  // Every field has its length before it, so that no text can look like another field.
  const add = (kind: string, field: string): void => {
    form += `${kind}${field.length}:${field}`;
    chars += field.length;
  };
  const endText = (): void => {
    if (texts !== "") add("t", texts);
    texts = "";
  };
  for (const part of parts) {
    if (part.type === "reasoning") continue;
    if (part.type === "text") {
      const words = clean(part.text);
      if (words !== "") texts = texts === "" ? words : `${texts}\n${words}`;
      continue;
    }
    if (part.type === "result" && part.answers !== undefined) {
      const isRepeated = answered.has(part.answers);
      notes.push({ type: isRepeated ? "repeated" : "answered", id: part.answers });
      if (isRepeated) continue;
      answered.add(part.answers);
    }
    endText();
    if (part.type === "call") {
      // Some servers begin to count anew: an id may call again.
      if (part.id !== undefined) {
        answered.delete(part.id);
        notes.push({ type: "called", id: part.id });
      }
      add("c", part.id ?? "");
      add("n", part.name);
      add("a", argumentsOf(part.input));
    } else if (part.type === "result") {
      add("r", part.id ?? "");
      for (const one of part.content) add("o", contentForm(one));
    } else add("m", contentForm(part));
    hasId ||= (part.type === "call" || part.type === "result") && part.id !== undefined;
  }
  endText();
  return form === "" ? undefined : { form: `${role} ${form}`, telling: hasId || chars >= TELLING };
}

const trimmed = (text: string): string => text.trim();
const spokenText = (text: string): string => withoutInjected(text).trim();

function contentForm(content: WireContent): string {
  if (content.type === "text") return withoutReminders(content.text).trim();
  return content.type === "media" ? content.data : sortedJson(content.value, FLEETING);
}

/** Arguments as a text and as an object have the same form when they say the same. */
function argumentsOf(input: unknown): string {
  if (typeof input !== "string") return sortedJson(input ?? {});
  const parsed = parseJson(input.trim() || "{}");
  return parsed.ok ? sortedJson(parsed.value) : input.trim();
}

/** What clients add and drop as they like. */
const FLEETING: ReadonlySet<string> = new Set(["id", "status", "cache_control", ...SEALED_KEYS]);
const NONE: ReadonlySet<string> = new Set();
/** Arguments that are a text may be nested without end; what lies deeper makes no difference. */
const DEEPEST = 100;

const sortedJson = (value: unknown, without = NONE): string => JSON.stringify(sorted(value, without, 0)) ?? "";

/** The very value when nothing in it has to change, which is the rule. */
function sorted(value: unknown, without: ReadonlySet<string>, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth > DEEPEST) return undefined;
  if (Array.isArray(value)) {
    const copy = value.map((one) => sorted(one, without, depth + 1));
    return copy.every((one, index) => one === value[index]) ? value : copy;
  }
  if (!isRecord(value)) return undefined;
  let same = true;
  let before = "";
  const fields: [string, unknown][] = [];
  for (const key of Object.keys(value)) {
    const field = value[key];
    const left = field === null || without.has(key);
    const put = left ? undefined : sorted(field, without, depth + 1);
    if (left || put !== field || key < before) same = false;
    before = key;
    if (!left) fields.push([key, put]);
  }
  return same ? value : Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}
