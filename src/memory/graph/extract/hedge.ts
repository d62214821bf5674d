// Hedges: the words by which a clause is a condition, a wish, a plan or hearsay, and so states nothing.
import type { Token } from "./token.ts";
import { INTENTIONS, MOCK_PRAISE, UNREAL } from "./word-list.ts";

const NO_NOUN_BEFORE = /^(?:the|an?|this|that|my|our|your|his|her|their|i|we|you|he|she|it|they|to|not)$/;

/** "Oh great" mocks, "May" is a month, "or later" a bound, and what follows a noun in "the team plan" is one itself. */
function isHedge({ lower, text, kind }: Token, before: Token | undefined, after: Token | undefined): boolean {
  if (kind === "word" && MOCK_PRAISE.has(lower) && /^(?:oh|yeah|ah|wow)$/.test(before?.lower ?? "")) return true;
  if (kind !== "word" || !UNREAL.has(lower) || text === "May") return false;
  if (lower === "later") return before?.lower !== "or";
  if (lower === "plan" || lower === "plans")
    return (
      before?.kind !== "word" ||
      NO_NOUN_BEFORE.test(before.lower) ||
      /^(?:to|on|for|:|is|was|that)$/.test(after?.lower ?? "")
    );
  return true;
}

export const hedgesOf = (tokens: readonly Token[]): Token[] =>
  tokens.filter((token, i) => isHedge(token, tokens[i - 1], tokens[i + 1]));

export const isIntention = ({ lower }: Token): boolean => INTENTIONS.has(lower);

/** Whether a hedge says something of a clause that ends at `end`: an intention colours only what comes behind it. */
export const concerns = (hedge: Token, end: number): boolean => !isIntention(hedge) || hedge.start < end;
