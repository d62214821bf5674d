// Results that say the same are one result: equal text, or nine tenths of their three-word sequences in common.
import { remembering } from "../../../base/remember.ts";
import { wordsOf } from "../text/words.ts";
import type { Ranked } from "./ranked.ts";

export type Folded = Ranked & { also: string[] };

const SAME = 0.9;

/** The first `limit` of the ranked that differ from each other; each with the ids of those folded into it. */
export function foldNearDuplicates(ranked: readonly Ranked[], limit: number): Folded[] {
  const distinct: { result: Folded; shingles: ReadonlySet<string> }[] = [];
  for (const candidate of ranked) {
    const shingles = shinglesOf(candidate.passages.map((p) => p.text).join("\n"));
    const twin = distinct.find((k) => jaccard(k.shingles, shingles) >= SAME);
    if (twin) twin.result.also.push(candidate.item.key);
    else if (distinct.length === limit) break;
    else distinct.push({ result: { ...candidate, also: [] }, shingles });
  }
  return distinct.map((k) => k.result);
}

/** The same results come again with the next question. */
const shinglesOf = remembering(1_000, (text): ReadonlySet<string> => {
  const words = wordsOf(text);
  const shingles = new Set<string>();
  for (let i = 0; i < Math.max(1, words.length - 2); i++) shingles.add(words.slice(i, i + 3).join(" "));
  return shingles;
});

function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  if (small.size < SAME * large.size) return 0;
  let both = 0;
  for (const shingle of small) if (large.has(shingle)) both++;
  return both / (a.size + b.size - both);
}
