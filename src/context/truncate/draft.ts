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
  /** The cut in force. */
  cut: Cut<Raw> | undefined;
};

/** Above the high-water mark. */
export const isOver = (
  { fixedTokens, effectiveLimit }: { fixedTokens: number; effectiveLimit: number },
  { conversationTokens }: Applied,
): boolean => fixedTokens + conversationTokens > effectiveLimit;

export type Draft<Raw = unknown> = Pick<Cut<Raw>, "dropped" | "gap"> & {
  fit: Fit<Raw>;
  applied: Applied<Raw>;
  /** Of the whole request. */
  total: number;
  /** What each item takes as things stand, by id. */
  sizes: Map<string, number>;
  shortened: Map<string, ContextItem<Raw>>;
  originals: Map<string, ContextItem<Raw>>;
};

export function newDraft<Raw>(fit: Fit<Raw>, applied: Applied<Raw>): Draft<Raw> {
  const { cut, items, fixedTokens } = fit;
  return {
    fit,
    applied,
    total: fixedTokens + applied.conversationTokens,
    sizes: new Map(applied.kept.map(({ id, tokens }) => [id, tokens])),
    shortened: new Map(cut?.shortened),
    originals: new Map(items.map((item) => [item.id, item])),
    dropped: cut?.dropped ?? new Set(),
    ...(cut?.gap ? { gap: cut.gap } : {}),
  };
}

export function cutOf<Raw>({ dropped, shortened, gap }: Draft<Raw>): Cut<Raw> {
  return newCut({ dropped, shortened, ...(gap ? { gap } : {}) });
}

/** Shortens one item to a size, always from its original, so that markers are never nested. */
export async function shrink<Raw>(draft: Draft<Raw>, id: string, target: number): Promise<void> {
  const original = draft.originals.get(id);
  const size = draft.sizes.get(id) ?? 0;
  if (!original || size <= target || !isShortenable(original)) return;
  const short = await shortenItem(original, target, draft.fit);
  if (!short || short.tokens >= size) return;
  draft.total -= size - short.tokens;
  draft.sizes.set(id, short.tokens);
  draft.shortened.set(id, short);
}
