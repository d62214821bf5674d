// What every wire's adapter does: a body seen as items, and items put back into a body.
import { isRecord } from "../../base/json.ts";
import { NOTICE_TAG } from "../../base/tag.ts";
import { blockRemover } from "../../base/tag-block.ts";
import type { ContextItem } from "../../schema/context-item.ts";
import { CLIENT_BLOCKS } from "./client-blocks.ts";

export type Body = Readonly<Record<string, unknown>>;

/** What shaping a history needs to know of its raw objects. Every rule gives a new object and leaves the old one alone. */
export type ItemRules<Raw = unknown> = {
  /** A result for a call that has none, to stand right after the calling item; undefined when none can be made up. */
  missingResult: (call: ContextItem<Raw>, callId: string, text: string) => Raw | undefined;
  /** The item without its results of these calls; undefined when nothing is left of it. */
  withoutResults: (item: ContextItem<Raw>, callIds: ReadonlySet<string>) => Raw | undefined;
  /** The item with each of its user and result texts put through `replace`; the same raw object when none changed. */
  replaceTexts: (item: ContextItem<Raw>, replace: (text: string) => string) => Raw;
  /** A user message of this text. */
  userMessage: (text: string) => Raw;
};

export type WireAdapter = ItemRules & {
  /** The history of a body, in order. Never throws: what it does not know is opaque. */
  toItems: (body: Body) => ContextItem[];
  /** The body with this history. Unchanged items come back as the same objects, an unchanged history as the same body. */
  fromItems: (items: readonly ContextItem[], body: Body) => Body;
  /** System text outside the history, and tool definitions, as the body has them; for counting. */
  system: (body: Body) => unknown;
  tools: (body: Body) => readonly unknown[];
};

export const listAt = (body: Body, key: string): readonly unknown[] => {
  const value = body[key];
  return Array.isArray(value) ? value : [];
};

export const recordsIn = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

export const stringAt = (value: Record<string, unknown>, key: string): string | undefined => {
  const found = value[key];
  return typeof found === "string" && found !== "" ? found : undefined;
};

/** What an adapter sees in one raw object. */
export type Seen = Pick<ContextItem, "role" | "kind"> &
  Partial<Pick<ContextItem, "isPrompt" | "toolCallIds" | "toolResultFor">>;

export const OPAQUE: Seen = { role: "assistant", kind: "opaque" };

/** Items over raw objects: ids by position, turns by prompts. */
export function itemsOf<Raw>(raws: readonly Raw[], see: (raw: Raw, index: number) => Seen): ContextItem<Raw>[] {
  let turn = 0;
  return raws.map((raw, index) => {
    const { isPrompt = false, toolCallIds = [], toolResultFor = [], role, kind } = see(raw, index);
    if (isPrompt) turn++;
    return { id: String(index), role, kind, isPrompt, turn, toolCallIds, toolResultFor, tokens: 0, raw };
  });
}

/** Blocks that programs put into user messages; a person wrote what is outside them. */
const withoutInjected = blockRemover([{ name: NOTICE_TAG }, ...CLIENT_BLOCKS]);

/** A user message is a prompt when a person wrote something in it, else a notice. */
export function seeUser(text: string, hasMedia: boolean): Seen {
  const isPrompt = hasMedia || withoutInjected(text).trim() !== "";
  return { role: "user", kind: isPrompt || text === "" ? "message" : "notice", isPrompt };
}

/** A user message's content: text, or a list of parts of which some are text. */
export function seeUserContent(content: unknown): Seen {
  if (typeof content === "string") return seeUser(content, false);
  const texts = recordsIn(content).map((part) => stringAt(part, "text"));
  return seeUser(texts.filter((text) => text !== undefined).join("\n"), texts.includes(undefined));
}

/** True when the items are the raw objects of this list, one for one. */
export const unchanged = (items: readonly ContextItem[], raws: readonly unknown[]): boolean =>
  items.length === raws.length && items.every((item, index) => Object.is(item.raw, raws[index]));
