// An item with its score, and the order of such items.
import type { IndexedItem } from "../store/indexed-item.ts";
import type { RankedPassage } from "./input.ts";
import type { ScoreParts } from "./weights.ts";

export type Ranked = {
  item: IndexedItem;
  /** The best passage comes first. */
  passages: RankedPassage[];
  parts: ScoreParts;
  score: number;
  /** A phrase or a whole name of the query stands in it. */
  exact: boolean;
  /** The message that lent it the most. */
  lender: number | undefined;
};

/** The newer of equals first, then by id. */
export function byScore(a: Ranked, b: Ranked): number {
  return b.score - a.score || (b.item.time ?? 0) - (a.item.time ?? 0) || byKey(a.item.key, b.item.key);
}

const byKey = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
