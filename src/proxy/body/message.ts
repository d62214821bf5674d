// What a message is on each wire, as far as a text of ours may go into it: who takes one, where, and in which form.
import { isRecord } from "../../base/json.ts";
import type { WireName } from "../../schema/model.ts";
import type { ScannedBody, Span } from "../contract.ts";
import { HISTORY_KEY } from "./scan.ts";

type Item = Readonly<Record<string, unknown>>;
export type MessageRules = {
  /** The member that holds the message's text or parts. */
  holder: "content" | "parts";
  /** A text of ours never stands in the assistant's, the system's or the developer's name. */
  mayTake: (item: Item) => boolean;
  /** From a JSON string literal. */
  textPart: (literal: string) => string;
  /** Parts that answer a call have to come before all others. */
  isResult: (part: unknown) => boolean;
  /** Users and assistants take turns, so user messages that a cut brought together become one; this is how it begins. */
  joined?: string;
};

const noResult = (): boolean => false;
const hasRole = (item: Item, ...roles: unknown[]): boolean => roles.includes(item["role"]);
const textPart = (literal: string): string => `{"type":"text","text":${literal}}`;

export const messageRules: Readonly<Record<WireName, MessageRules>> = {
  "openai-chat": {
    holder: "content",
    mayTake: (item) => hasRole(item, "user", "tool", "function"),
    textPart,
    isResult: noResult,
  },
  "openai-responses": {
    holder: "content",
    mayTake: (item) => hasRole(item, "user") && (item["type"] ?? "message") === "message",
    textPart: (literal) => `{"type":"input_text","text":${literal}}`,
    isResult: noResult,
  },
  anthropic: {
    holder: "content",
    mayTake: (item) => hasRole(item, "user"),
    textPart,
    isResult: (part) => isRecord(part) && part["type"] === "tool_result",
    joined: '{"role":"user","content":[',
  },
  gemini: {
    holder: "parts",
    mayTake: (item) => hasRole(item, "user", "function", undefined),
    textPart: (literal) => `{"text":${literal}}`,
    isResult: (part) => isRecord(part) && isRecord(part["functionResponse"]),
    joined: '{"role":"user","parts":[',
  },
};

/** An item in bytes and as a value: one of the body, or one that was made. */
export type Source = { bytes: Buffer; span: Span; value: unknown };

export function sourceOf(body: ScannedBody, item: number | string): Source {
  if (typeof item === "string") {
    const bytes = Buffer.from(item);
    return { bytes, span: { start: 0, end: bytes.length }, value: JSON.parse(item) };
  }
  const span = body.items[item];
  if (!span) throw new Error(`The history has no item ${item}.`);
  const history = body.value[HISTORY_KEY[body.wire]];
  return { bytes: body.bytes, span, value: Array.isArray(history) ? history[item] : history };
}

/** What a text of ours would be added to: a text or a list of parts. Undefined: the item can take none. */
export function contentOf({ value }: Source, wire: WireName): string | readonly unknown[] | undefined {
  // The text that a Responses input may be.
  if (typeof value === "string") return value;
  const rules = messageRules[wire];
  if (!isRecord(value) || !rules.mayTake(value)) return undefined;
  const content = value[rules.holder];
  if (Array.isArray(content)) return content;
  return typeof content === "string" && rules.holder === "content" ? content : undefined;
}

/** Whether texts can be added to this item, given by its index or as JSON; `assemble` throws for one that cannot. */
export const canTake = (body: ScannedBody, item: number | string): boolean =>
  contentOf(sourceOf(body, item), body.wire) !== undefined;
