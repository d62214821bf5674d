// What the wires share: raw objects seen as items, and reading fields of which nobody knows the shape.
import { isRecord } from "../../base/json.ts";
import { NOTICE_TAG } from "../../base/tag.ts";
import { blockRemover } from "../../base/tag-block.ts";
import type { ContextItem } from "../../schema/context-item.ts";
import { CLIENT_BLOCKS } from "./client-blocks.ts";
import type { WireBody } from "./contract.ts";

export const listAt = (body: WireBody, key: string): readonly unknown[] => {
  const value = body[key];
  return Array.isArray(value) ? value : [];
};

export const recordsIn = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

export const stringAt = (value: Record<string, unknown>, key: string): string | undefined => {
  const text = value[key];
  return typeof text === "string" && text !== "" ? text : undefined;
};

/** What a wire sees in one raw object. */
export type ItemSight = Pick<ContextItem, "role" | "kind"> &
  Partial<Pick<ContextItem, "isPrompt" | "toolCallIds" | "toolResultFor">>;

export const OPAQUE: ItemSight = { role: "assistant", kind: "opaque" };

/** Most items neither make nor answer calls, and a history has thousands: nobody writes into these lists. */
const NO_IDS: string[] = [];

/** Items over raw objects: ids by position, turns by prompts. */
export function itemsOf<Raw>(raws: readonly Raw[], see: (raw: Raw, index: number) => ItemSight): ContextItem<Raw>[] {
  let turn = 0;
  const sight = once(see);
  return raws.map((raw, index) => {
    const { isPrompt = false, toolCallIds = NO_IDS, toolResultFor = NO_IDS, role, kind } = sight(raw, index);
    if (isPrompt) turn++;
    return { id: String(index), role, kind, isPrompt, turn, toolCallIds, toolResultFor, tokens: 0, raw };
  });
}

const sightsBy = new WeakMap<object, WeakMap<object, ItemSight>>();

/** Raw objects are never changed, so one that comes again is what it was; where its place counts, it is looked at anew. */
function once<Raw>(see: (raw: Raw, index: number) => ItemSight): typeof see {
  if (see.length !== 1) return see;
  const sights = sightsBy.get(see) ?? new WeakMap<object, ItemSight>();
  sightsBy.set(see, sights);
  return (raw, index) => {
    if (typeof raw !== "object" || raw === null) return see(raw, index);
    const sight = sights.get(raw) ?? see(raw, index);
    sights.set(raw, sight);
    return sight;
  };
}

/** Blocks that programs put into user messages; a person wrote what is outside them. */
const withoutInjected = blockRemover([{ name: NOTICE_TAG }, ...CLIENT_BLOCKS]);

/** A user message is a prompt when a person wrote something in it, else a notice. */
export function seeUser(text: string, hasMedia: boolean): ItemSight {
  const isPrompt = hasMedia || withoutInjected(text).trim() !== "";
  return { role: "user", kind: isPrompt || text === "" ? "message" : "notice", isPrompt };
}

/** A user message's content: text, or a list of parts of which some are text. */
export function seeUserContent(content: unknown): ItemSight {
  if (typeof content === "string") return seeUser(content, false);
  const texts = recordsIn(content).map((part) => stringAt(part, "text"));
  return seeUser(texts.filter((text) => text !== undefined).join("\n"), texts.includes(undefined));
}

/** True when the items are the raw objects of this list, one for one. */
export const unchanged = (items: readonly ContextItem[], raws: readonly unknown[]): boolean =>
  items.length === raws.length && items.every((item, index) => Object.is(item.raw, raws[index]));
