// The order of results: by score, but one neighbourhood or one session does not take all places.
import { byScore, type Ranked } from "./ranked.ts";
import { WEIGHTS } from "./weights.ts";

/** Most of its score must be lent for an item to count as one of a crowd. */
const MOSTLY = 0.5;

/** `isBroad`: everything is asked for, so sessions take turns. */
export function spread(ranked: Ranked[], isBroad: boolean): Ranked[] {
  const crowds = new Map<number, number>();
  for (const one of ranked.sort(byScore)) {
    if (one.lender === undefined || one.parts.context < MOSTLY * one.score) continue;
    lower(one, WEIGHTS.crowd ** next(crowds, one.lender), one.parts.context);
  }
  if (!isBroad) return ranked.sort(byScore);
  const sessions = new Map<number, number>();
  for (const one of ranked.sort(byScore)) lower(one, WEIGHTS.session ** next(sessions, one.item.home), one.score);
  return ranked.sort(byScore);
}

function lower(one: Ranked, share: number, amount: number): void {
  const less = (1 - share) * amount;
  one.parts.spread -= less;
  one.score -= less;
}

/** How many there were before. */
function next(counts: Map<number, number>, key: number): number {
  const count = counts.get(key) ?? 0;
  counts.set(key, count + 1);
  return count;
}
