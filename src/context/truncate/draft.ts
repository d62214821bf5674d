// A cut in the making: how large the request would be, and which items it would drop or shorten.
import type { ContextItem } from "../../schema/context-item.ts";
import { type Applied, type Cut, newCut } from "./cut.ts";
import { isShortenable, type Shaping, shortenItem } from "./shorten-item.ts";

/** A history and the room for it. Sizes are calibrated tokens; every item has its own in `tokens`. */
export type Fit<Raw = unknown> = Shaping<Raw> & {
  items: readonly ContextItem<Raw>[];
  /** System prompt (system items of the list included), tool definitions and reserve. */
  fixedTokens: number;
  /** E. */
  effectiveLimit: number;
  /** `off`: nothing is dropped or shortened, orphans are still repaired. */
  mode: "on" | "off";
  /** The cut in force. */
  cut: Cut<Raw> | undefined;
  /** Stricter than the rules that hold anyway. */
  keep?: Keep;
  /** Pass 0 takes items with more characters than this, and leaves them so many; without it a share of E. */
  longChars?: number;
  /** Where shortening what may not be dropped begins; without it E. */
  hardLimit?: number;
};

/** Ids of items that stay. */
export type Keep = {
  /** Dropped never, shortened by the last pass only. */
  always: ReadonlySet<string>;
  /** Dropped after everything else. */
  ifRoom: ReadonlySet<string>;
  /** Neither dropped nor shortened. */
  untouched: ReadonlySet<string>;
};

/** Above the high-water mark. */
export const isOver = (
  { fixedTokens, effectiveLimit }: { fixedTokens: number; effectiveLimit: number },
  { conversationTokens }: Applied,
): boolean => fixedTokens + conversationTokens > effectiveLimit;

export type CutDraft<Raw = unknown> = Pick<Cut<Raw>, "dropped" | "gap"> & {
  fit: Fit<Raw>;
  applied: Applied<Raw>;
  /** The tokens of the whole request. */
  total: number;
  shortened: Map<string, ContextItem<Raw>>;
  /** What the items shortened for this cut take now, by id. */
  sizes: Map<string, number>;
  /** The history by id; made when something has to be shortened. */
  originals?: ReadonlyMap<string, ContextItem<Raw>>;
};

export function newDraft<Raw>(fit: Fit<Raw>, applied: Applied<Raw>): CutDraft<Raw> {
  const { cut, fixedTokens } = fit;
  return {
    fit,
    applied,
    total: fixedTokens + applied.conversationTokens,
    shortened: new Map(cut?.shortened),
    sizes: new Map(),
    dropped: cut?.dropped ?? new Set(),
    ...(cut?.gap ? { gap: cut.gap } : {}),
  };
}

export function cutOf<Raw>({ dropped, shortened, gap }: CutDraft<Raw>): Cut<Raw> {
  return newCut({ dropped, shortened, ...(gap ? { gap } : {}) });
}

/** What an item that is still kept takes as things stand. */
export const sizeIn = <Raw>(draft: CutDraft<Raw>, { id, tokens }: ContextItem<Raw>): number =>
  draft.sizes.get(id) ?? tokens;

/** Shortens one item to a size, always from its original, so that markers are never nested. */
export async function shrink<Raw>(draft: CutDraft<Raw>, item: ContextItem<Raw>, target: number): Promise<void> {
  const size = sizeIn(draft, item);
  if (size <= target || !isShortenable(item) || draft.fit.keep?.untouched.has(item.id)) return;
  draft.originals ??= new Map(draft.fit.items.map((one) => [one.id, one]));
  const original = draft.originals.get(item.id);
  const short = original && (await shortenItem(original, target, draft.fit));
  if (!short || short.tokens >= size) return;
  draft.total -= size - short.tokens;
  draft.sizes.set(item.id, short.tokens);
  draft.shortened.set(item.id, short);
}
