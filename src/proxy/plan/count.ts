// Sizes of a request's parts: a request brings new objects for old content, so what was counted is kept by content.
import { hash } from "node:crypto";
import { type Content, contentOf, contentOfValue } from "../../model/tokens/content.ts";
import { type TokenCounter, tokenCounter } from "../../model/tokens/counter.ts";
import { estimateTokens } from "../../model/tokens/estimate.ts";
import { ITEM_OVERHEAD } from "../../model/tokens/measure.ts";
import { wireOf } from "../../model/wire/registry.ts";
import type { HistoryItem, ScannedBody } from "../contract.ts";

/** Estimates are within a tenth for ordinary text and half the truth at worst: above this share of the limit they are not enough. */
const EXACT_FROM = 0.4;

export type RequestSizes = {
  items: HistoryItem[];
  /** System text and tool definitions beside the history. */
  fixedTokens: number;
};

type Size = { tokens: number; exact: boolean };
type Part = { size: Size; content: () => Content[] };

export class ContentSizes {
  readonly #counter: TokenCounter;
  readonly #most: number;
  /** Two generations: what is asked for stays in the young one, the old one goes as a whole. */
  #young = new Map<string, Size>();
  #old = new Map<string, Size>();

  constructor(options: { counter?: TokenCounter; most?: number } = {}) {
    this.#counter = options.counter ?? tokenCounter;
    this.#most = options.most ?? 20_000;
  }

  /** Far from the limit sizes are estimates; once it matters each content is counted exactly, once. */
  async measure(request: { body: ScannedBody; items: readonly HistoryItem[]; limit: number }): Promise<RequestSizes> {
    const { body, items, limit } = request;
    const fixed = this.#part(aroundKey(body), () => fixedContent(body));
    const parts = items.map((item) => this.#part(itemKey(body, item), () => [contentOf(item)]));
    const total = parts.reduce((sum, { size }) => sum + size.tokens, fixed.size.tokens);
    if (total >= EXACT_FROM * limit) for (const part of [fixed, ...parts]) await this.#count(part);
    return {
      items: items.map((item, index) => sized(item, parts[index]?.size.tokens ?? item.tokens)),
      fixedTokens: fixed.size.tokens,
    };
  }

  #part(key: string, content: () => Content[]): Part {
    const young = this.#young.get(key);
    if (young) return { size: young, content };
    const size = this.#old.get(key) ?? { tokens: sum(content(), estimateTokens), exact: false };
    if (this.#young.size >= this.#most) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, size);
    return { size, content };
  }

  async #count({ size, content }: Part): Promise<void> {
    if (size.exact) return;
    let tokens = 0;
    for (const { text, fixed } of content()) tokens += (await this.#counter.count(text)) + fixed + ITEM_OVERHEAD;
    size.tokens = tokens;
    size.exact = true;
  }
}

/** A block of ours: bounded, so that an estimate will do. */
export const blockTokens = (text: string): number => estimateTokens(text) + ITEM_OVERHEAD;

const sum = (contents: readonly Content[], count: (text: string) => number): number =>
  contents.reduce((total, { text, fixed }) => total + count(text) + fixed + ITEM_OVERHEAD, 0);

const sizedItems = new WeakMap<HistoryItem, HistoryItem>();

/** The item with its size; the very same object for an item that comes again. */
function sized(item: HistoryItem, tokens: number): HistoryItem {
  const earlier = sizedItems.get(item);
  if (earlier?.tokens === tokens) return earlier;
  const now = { ...item, tokens };
  sizedItems.set(item, now);
  return now;
}

const keys = new WeakMap<object, string>();

/** Made once for each object: what comes again with a later request is the very same. */
function keyOf(of: unknown, make: () => string): string {
  if (typeof of !== "object" || of === null) return make();
  const key = keys.get(of) ?? make();
  keys.set(of, key);
  return key;
}

/** What the canonical form leaves out (thinking, reminders) is told by the length. */
function itemKey({ bytes, items }: ScannedBody, { own, at, raw }: HistoryItem): string {
  return keyOf(raw, () => {
    const { start, end } = items[at] ?? { start: 0, end: 0 };
    return own === undefined ? hash("sha1", bytes.subarray(start, end), "hex") : `${own}:${end - start}`;
  });
}

function aroundKey({ bytes, history, around }: ScannedBody): string {
  return keyOf(around, () => {
    const before = hash("sha1", bytes.subarray(0, history.start), "hex");
    return `${before}:${hash("sha1", bytes.subarray(history.end), "hex")}`;
  });
}

function fixedContent({ value, wire }: ScannedBody): Content[] {
  const { request } = wireOf(wire);
  const system = request.system(value);
  const tools = request.tools(value).map((tool) => ({ text: JSON.stringify(tool) ?? "", fixed: 0 }));
  return [...(system === undefined ? [] : [contentOfValue(system)]), ...tools];
}
