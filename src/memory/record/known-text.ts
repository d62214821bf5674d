// Whether the instructions say a fact already: by runs of words that both have.
import { wordsOf } from "../recall/text/words.ts";

const RUN = 5;
const MOST = 0.8;

/** The part of the fact's 5-word runs that stand in the text is 80 % or more. A shorter fact is one run. */
export function alreadySaid(fact: string, text: string): boolean {
  const words = wordsOf(fact);
  if (words.length === 0) return false;
  const haystack = ` ${wordsOf(text).join(" ")} `;
  const size = Math.min(RUN, words.length);
  let matchCount = 0;
  const runs = words.length - size + 1;
  for (let i = 0; i < runs; i++) if (haystack.includes(` ${words.slice(i, i + size).join(" ")} `)) matchCount++;
  return matchCount / runs >= MOST;
}
