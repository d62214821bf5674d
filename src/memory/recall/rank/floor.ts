// What may be put into a prompt that nobody asked for: only text that clearly belongs to the question.
import type { Ranked } from "./rank.ts";

const RARE_SHARE = 0.01;
const RARE_COUNT = 5;
const NEAR = 0.5;

/** Two words of the query, or a rare one, a whole name or phrase, or a near meaning. `passages`: how many the scope has. */
export function passesFloor(ranked: Ranked, passages: number): boolean {
  if (ranked.exact || ranked.passages.some((p) => (p.cosine ?? 0) >= NEAR)) return true;
  return ranked.passages.some(({ scored }) => {
    const queryTerms = scored.matched.filter((t) => !t.hint);
    const words = queryTerms.filter((t) => t.channel !== "ident");
    const rare = queryTerms.some((t) => t.df <= Math.max(RARE_COUNT, passages * RARE_SHARE));
    return rare || new Set(words.map((t) => t.text)).size >= 2;
  });
}
