// How large a request is, by part: estimated while it is far from its limit, counted exactly once it matters.
import { textLength } from "../../base/json.ts";
import type { ContextItem } from "../../schema/context-item.ts";
import { type Content, contentOf, contentOfValue } from "./content.ts";
import { type TokenCounter, tokenCounter } from "./counter.ts";
import { estimateTokens, upperBound } from "./estimate.ts";

/** Tokens that a provider adds around each item. */
export const ITEM_OVERHEAD = 4;
/** Below this share of the limit even the upper bound decides nothing, so the tokeniser is not loaded. */
export const EXACT_FROM = 0.5;

/** Windows of history, from the newest item back, that are looked at closely; what is farther away cannot be sent. */
const FAR = 2;
/** The usual length of a token of code and prose. */
const CHARS_PER_TOKEN = 3.5;
/** A longer text may be an image or the like, whose length says nothing. */
const ROUGH_CHARS = 64 * 1024;

export type Measurable = {
  /** Text, or the wire's own system value. */
  system: unknown;
  /** Tool definitions, ours or a wire's. */
  tools: readonly unknown[];
  items: readonly ContextItem[];
  /** Prompt limit. */
  limit: number;
  exactFrom?: number;
  /** Whoever sends it drops the oldest steps first: those that are far away go by their length, without a look at their text. */
  roughSteps?: boolean;
  /** Ends exact counting; what is not counted by then stays an estimate. */
  signal?: AbortSignal;
};
type RequestMeasure = {
  systemTokens: number;
  toolDefinitionsTokens: number;
  conversationTokens: number;
  /** One for each item, in order. */
  itemTokens: number[];
  exact: boolean;
};

/** Sizes of one part; `exact` once it was counted. */
type Size = { bound: number; estimate: number; exact?: number };
export type MeasuredPart = { size: Size; content: () => Content };

/** Raw objects never change, so what was measured of one holds for as long as it lives. */
const sizes = new WeakMap<object, Size>();

function part(key: unknown, content: () => Content): MeasuredPart {
  const cached = typeof key === "object" && key !== null ? sizes.get(key) : undefined;
  if (cached) return { size: cached, content };
  const { text, fixed } = content();
  const size = {
    bound: upperBound(text) + fixed + ITEM_OVERHEAD,
    estimate: estimateTokens(text) + fixed + ITEM_OVERHEAD,
  };
  if (typeof key === "object" && key !== null) sizes.set(key, size);
  return { size, content };
}

export const itemPart = (item: ContextItem): MeasuredPart => part(item.raw, () => contentOf(item));
/** A definition is sent as JSON, names and descriptions of its parameters included. */
export const toolPart = (tool: unknown): MeasuredPart =>
  part(tool, () => ({ text: JSON.stringify(tool) ?? "", fixed: 0 }));
export const systemPart = (system: unknown): MeasuredPart => part(system, () => contentOfValue(system));

export async function exactly({ size, content }: MeasuredPart, counter: TokenCounter): Promise<number> {
  if (size.exact === undefined) {
    const { text, fixed } = content();
    size.exact = (await counter.count(text)) + fixed + ITEM_OVERHEAD;
  }
  return size.exact;
}

/** The exact count of one item; the first call loads the tokeniser. */
export const countItem = (item: ContextItem, counter = tokenCounter): Promise<number> =>
  exactly(itemPart(item), counter);
/** System items of a wire count as system; the three parts add up to the whole request. */
export async function measure(request: Measurable, counter: TokenCounter = tokenCounter): Promise<RequestMeasure> {
  const system = systemPart(request.system);
  const tools = request.tools.map(toolPart);
  const { parts, itemTokens } = partsOf(request);
  const all = [system, ...tools, ...parts];
  const bound = all.reduce((sum, { size }) => sum + size.bound, 0);
  if (counter.loaded || bound >= request.limit * (request.exactFrom ?? EXACT_FROM)) {
    let counted = 0;
    for (const one of [system, ...tools, ...parts.toReversed()]) {
      if (request.signal?.aborted || counted > (request.roughSteps ? 1 : FAR) * request.limit) break;
      counted += one.size.exact ?? (await exactly(one, counter));
    }
  }
  const tokens = ({ size }: MeasuredPart): number => size.exact ?? size.estimate;
  const far = request.items.length - parts.length;
  for (const [at, one] of parts.entries()) itemTokens[far + at] = tokens(one);
  let systemItems = 0;
  let conversationTokens = 0;
  request.items.forEach(({ role }, at) => {
    if (role === "system" || role === "developer") systemItems += itemTokens[at] ?? 0;
    else conversationTokens += itemTokens[at] ?? 0;
  });
  return {
    systemTokens: tokens(system) + systemItems,
    toolDefinitionsTokens: tools.reduce((sum, tool) => sum + tokens(tool), 0),
    conversationTokens,
    itemTokens,
    exact: far === 0 && all.every(({ size }) => size.exact !== undefined),
  };
}

/** The parts of the newest items, and sizes of those before them that only need a rough one. */
function partsOf({ items, limit, roughSteps }: Measurable): { parts: MeasuredPart[]; itemTokens: number[] } {
  const parts: MeasuredPart[] = [];
  const itemTokens = new Array<number>(items.length).fill(0);
  let near = 0;
  let prompts = 0;
  for (let at = items.length - 1; at >= 0; at--) {
    const item = items[at];
    if (!item) continue;
    if (roughSteps && near > FAR * limit) {
      itemTokens[at] = roughTokens(item, prompts < limit);
      if (item.role === "user") prompts += itemTokens[at] ?? 0;
    } else {
      const part = itemPart(item);
      parts.push(part);
      near += part.size.estimate;
    }
  }
  return { parts: parts.reverse(), itemTokens };
}

/** `looks`: prompts may still be sent from so far back, and are looked at. */
function roughTokens(item: ContextItem, looks: boolean): number {
  if (looks && item.role !== "assistant" && item.role !== "tool") return item.estimate ?? itemPart(item).size.estimate;
  const chars = item.chars ?? textLength(item.raw);
  return chars < ROUGH_CHARS ? Math.ceil(chars / CHARS_PER_TOKEN) + ITEM_OVERHEAD : itemPart(item).size.estimate;
}
