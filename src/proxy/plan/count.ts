// Sizes of a request's parts: a request brings new objects for old content, so what was counted is kept by content.
import { hash } from "node:crypto";
import { type Content, contentOf, contentOfValue } from "../../model/tokens/content.ts";
import { type TokenCounter, tokenCounter } from "../../model/tokens/counter.ts";
import { estimateTokens } from "../../model/tokens/estimate.ts";
import { ITEM_OVERHEAD } from "../../model/tokens/measure.ts";
import { wireOf } from "../../model/wire/registry.ts";
import type { HistoryItem, ScannedBody } from "../contract.ts";
import { withTokens } from "../history/chain.ts";

/** Estimates are within a tenth for ordinary text and half the truth at worst: above this share of the limit they are not enough. */
const EXACT_FROM = 0.4;

export type RequestSizes = {
  items: HistoryItem[];
  /** System text and tool definitions beside the history. */
  fixedTokens: number;
};

type Size = { tokens: number; exact: boolean };

export class ContentSizes {
  readonly #counter: TokenCounter;
  readonly #most: number;
  /** What comes again with a later request is the very same object: nothing has to be looked at to know it. */
  readonly #known = new WeakMap<object, Size>();
  /** Two generations: what is asked for stays in the young one, the old one goes as a whole. */
  #young = new Map<string, Size>();
  #old = new Map<string, Size>();

  constructor(options: { counter?: TokenCounter; most?: number } = {}) {
    this.#counter = options.counter ?? tokenCounter;
    this.#most = options.most ?? 8_000;
  }

  /** Far from the limit sizes are estimates; once it matters each content is counted exactly, once. */
  async measure(request: { body: ScannedBody; items: readonly HistoryItem[]; limit: number }): Promise<RequestSizes> {
    const { body, items, limit } = request;
    const fixed = this.#known.get(body.around) ?? this.#fixedSize(body);
    const sizes = items.map((item) => this.#sizeOf(item.raw) ?? this.#itemSize(body, item));
    const total = sizes.reduce((sum, { tokens }) => sum + tokens, fixed.tokens);
    if (total >= EXACT_FROM * limit) {
      if (!fixed.exact) await this.#count(fixed, fixedContent(body));
      for (const [at, item] of items.entries()) {
        const size = sizes[at];
        if (size && !size.exact) await this.#count(size, [contentOf(item)]);
      }
    }
    return {
      items: items.map((item, at) => withTokens(item, sizes[at]?.tokens ?? item.tokens)),
      fixedTokens: fixed.tokens,
    };
  }

  #sizeOf(raw: unknown): Size | undefined {
    return typeof raw === "object" && raw !== null ? this.#known.get(raw) : undefined;
  }

  #fixedSize(body: ScannedBody): Size {
    return this.#keep(body.around, aroundKey(body), () => fixedContent(body));
  }

  #itemSize(body: ScannedBody, item: HistoryItem): Size {
    return this.#keep(item.raw, itemKey(body, item), () => [contentOf(item)]);
  }

  #keep(of: unknown, key: string, content: () => Content[]): Size {
    const young = this.#young.get(key);
    const size = young ?? this.#old.get(key) ?? { tokens: sum(content(), estimateTokens), exact: false };
    if (!young && this.#young.size >= this.#most) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    if (!young) this.#young.set(key, size);
    if (typeof of === "object" && of !== null) this.#known.set(of, size);
    return size;
  }

  async #count(size: Size, contents: readonly Content[]): Promise<void> {
    let tokens = 0;
    for (const { text, fixed } of contents) tokens += (await this.#counter.count(text)) + fixed + ITEM_OVERHEAD;
    size.tokens = tokens;
    size.exact = true;
  }
}

/** A block of ours: bounded, so that an estimate will do. */
export const blockTokens = (text: string): number => estimateTokens(text) + ITEM_OVERHEAD;

const sum = (contents: readonly Content[], count: (text: string) => number): number =>
  contents.reduce((total, { text, fixed }) => total + count(text) + fixed + ITEM_OVERHEAD, 0);

/** What the canonical form leaves out (thinking, reminders) is told by the length. */
function itemKey({ bytes, items }: ScannedBody, { own, at }: HistoryItem): string {
  const { start, end } = items[at] ?? { start: 0, end: 0 };
  return own === undefined ? hash("sha1", bytes.subarray(start, end), "hex") : `${own}:${end - start}`;
}

function aroundKey({ bytes, history }: ScannedBody): string {
  const before = hash("sha1", bytes.subarray(0, history.start), "hex");
  return `${before}:${hash("sha1", bytes.subarray(history.end), "hex")}`;
}

function fixedContent({ value, wire }: ScannedBody): Content[] {
  const { request } = wireOf(wire);
  const system = request.system(value);
  const tools = request.tools(value).map((tool) => ({ text: JSON.stringify(tool) ?? "", fixed: 0 }));
  return [...(system === undefined ? [] : [contentOfValue(system)]), ...tools];
}
