// How large a request is, by part: estimated while it is far from its limit, counted exactly once it matters.
import type { ContextItem } from "../../schema/context-item.ts";
import { type Content, contentOf, contentOfValue } from "./content.ts";
import { type TokenCounter, tokenCounter } from "./counter.ts";
import { estimateTokens, upperBound } from "./estimate.ts";

const ITEM_OVERHEAD = 4;
/** Below this share of the limit even the upper bound decides nothing, so the tokeniser is not loaded. */
export const EXACT_FROM = 0.5;

/** Windows of history, from the newest item back, that are counted exactly; what is farther away cannot be sent. */
export const FAR = 4;

export type Measurable = {
  /** Text, or the wire's own system value. */
  system: unknown;
  /** Tool definitions, ours or a wire's. */
  tools: readonly unknown[];
  items: readonly ContextItem[];
  /** Prompt limit. */
  limit: number;
  exactFrom?: number;
  /** Ends exact counting; what is not counted by then stays an estimate. */
  signal?: AbortSignal;
};
export type Measured = {
  systemTokens: number;
  toolDefinitionsTokens: number;
  conversationTokens: number;
  /** One for each item, in order. */
  itemTokens: number[];
  exact: boolean;
};

/** Sizes of one part; `exact` once it was counted. */
type Size = { bound: number; estimate: number; exact?: number };
export type Part = { size: Size; content: () => Content };

/** Raw objects never change, so what was measured of one holds for as long as it lives. */
const sizes = new WeakMap<object, Size>();

function part(key: unknown, content: () => Content): Part {
  const known = typeof key === "object" && key !== null ? sizes.get(key) : undefined;
  if (known) return { size: known, content };
  const { text, fixed } = content();
  const size = {
    bound: upperBound(text) + fixed + ITEM_OVERHEAD,
    estimate: estimateTokens(text) + fixed + ITEM_OVERHEAD,
  };
  if (typeof key === "object" && key !== null) sizes.set(key, size);
  return { size, content };
}

export const itemPart = (item: ContextItem): Part => part(item.raw, () => contentOf(item));
/** A definition is sent as JSON, names and descriptions of its parameters included. */
export const toolPart = (tool: unknown): Part => part(tool, () => ({ text: JSON.stringify(tool) ?? "", fixed: 0 }));
export const systemPart = (system: unknown): Part => part(system, () => contentOfValue(system));

export async function exactly({ size, content }: Part, counter: TokenCounter): Promise<number> {
  if (size.exact === undefined) {
    const { text, fixed } = content();
    size.exact = (await counter.count(text)) + fixed + ITEM_OVERHEAD;
  }
  return size.exact;
}

/** Exact counts of single parts; the first call loads the tokeniser. */
export const countItem = (item: ContextItem, counter = tokenCounter): Promise<number> =>
  exactly(itemPart(item), counter);
export const countSystem = (system: unknown, counter = tokenCounter): Promise<number> =>
  exactly(systemPart(system), counter);
export async function countTools(tools: readonly unknown[], counter = tokenCounter): Promise<number> {
  let sum = 0;
  for (const tool of tools) sum += await exactly(toolPart(tool), counter);
  return sum;
}

/** System items of a wire count as system; the three parts add up to the whole request. */
export async function measure(request: Measurable, counter: TokenCounter = tokenCounter): Promise<Measured> {
  const system = systemPart(request.system);
  const tools = request.tools.map(toolPart);
  const items = request.items.map(itemPart);
  const all = [system, ...tools, ...items];
  const bound = all.reduce((sum, { size }) => sum + size.bound, 0);
  if (counter.loaded || bound >= request.limit * (request.exactFrom ?? EXACT_FROM)) {
    let counted = 0;
    for (const one of [system, ...tools, ...items.toReversed()]) {
      if (request.signal?.aborted || counted > FAR * request.limit) break;
      counted += one.size.exact ?? (await exactly(one, counter));
    }
  }
  const tokens = ({ size }: Part): number => size.exact ?? size.estimate;
  const itemTokens = items.map(tokens);
  const isSystem = (index: number): boolean => ["system", "developer"].includes(request.items[index]?.role ?? "");
  const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
  return {
    systemTokens: tokens(system) + sum(itemTokens.filter((_, index) => isSystem(index))),
    toolDefinitionsTokens: sum(tools.map(tokens)),
    conversationTokens: sum(itemTokens.filter((_, index) => !isSystem(index))),
    itemTokens,
    exact: all.every(({ size }) => size.exact !== undefined),
  };
}
