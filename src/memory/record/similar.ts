// Records that say nearly the same as a new fact, or the opposite of it: shown before it is stored. Words only, no model.
import { within } from "../../base/abort.ts";
import { stem } from "../recall/text/stem.ts";
import { wordsOf } from "../recall/text/words.ts";
import type { MemoryRecord, Place, Scope, Strategy } from "./contract.ts";

export type SimilarRecord = { id: string; fact: string; relation: "near-duplicate" | "contradiction" };
type FactText = Pick<MemoryRecord, "subject" | "fact">;

/** More are not worth a person's time. */
const MOST = 3;
const SAME_SHARE = 0.8;
const RELATED_SHARE = 0.5;
/** About the same subject fewer common words make two facts comparable. */
const SUBJECT_SHARE = 0.4;

const NEGATIONS = new Set([
  "not",
  "never",
  "no",
  "avoid",
  "without",
  "disable",
  "disabled",
  "forbidden",
  "don",
  "stop",
]);

/** The closest come first; what contradicts comes before what repeats. */
export function similarRecords(draft: FactText, records: readonly MemoryRecord[]): SimilarRecord[] {
  const own = wordsOf(draft.fact);
  const matches = records.flatMap(({ id, fact, subject }) => {
    const other = wordsOf(fact);
    const share = sharedWords(own, other);
    const isComparable =
      share >= RELATED_SHARE || (share >= SUBJECT_SHARE && folded(subject) === folded(draft.subject));
    const relation =
      isComparable && (hasOtherSense(own, other) || hasOtherValue(draft.fact, fact))
        ? ("contradiction" as const)
        : share >= SAME_SHARE
          ? ("near-duplicate" as const)
          : undefined;
    return relation ? [{ share, match: { id, fact, relation } }] : [];
  });
  const rank = ({ share, match }: (typeof matches)[number]): number =>
    share + (match.relation === "contradiction" ? 1 : 0);
  return matches
    .sort((a, b) => rank(b) - rank(a))
    .slice(0, MOST)
    .map(({ match }) => match);
}

const folded = (text: string): string => wordsOf(text).join(" ");

/** Jaccard of the stems. */
function sharedWords(own: readonly string[], other: readonly string[]): number {
  const [a, b] = [new Set(own.map(stem)), new Set(other.map(stem))];
  const both = [...a].filter((word) => b.has(word)).length;
  const all = a.size + b.size - both;
  return all === 0 ? 0 : both / all;
}

/** One says it, the other says that it is not so. */
const hasOtherSense = (own: readonly string[], other: readonly string[]): boolean =>
  own.filter((word) => NEGATIONS.has(word)).length % 2 !== other.filter((word) => NEGATIONS.has(word)).length % 2;

/** A number, version, path or name differs where the words around it are the same. */
function hasOtherValue(own: string, other: string): boolean {
  const [a, b] = [tokensOf(own), tokensOf(other)];
  return a.some((token, at) => {
    const before = a[at - 1]?.toLowerCase();
    if (before === undefined || !isValue(token)) return false;
    const places = b.flatMap((_, i) => (i > 0 && b[i - 1]?.toLowerCase() === before ? [b[i] ?? ""] : []));
    return places.some(isValue) && !places.some((one) => one.toLowerCase() === token.toLowerCase());
  });
}

const tokensOf = (fact: string): string[] =>
  fact.split(/\s+/).map((token) => token.replace(/^[("'`]+|[)"'`.,;:!?]+$/g, ""));
const isValue = (token: string): boolean => /\d/.test(token) || /[/\\]/.test(token) || /^\p{Lu}/u.test(token);

const LIMIT_MS = 300;
/** The newest; a page of a list holds no more. */
const MOST_COMPARED = 500;

/** A store is not kept waiting: what is not known in time is not shown. */
export async function similarTo(
  draft: FactText & { scope: Scope },
  strategy: Strategy,
  place: Place,
  signal: AbortSignal,
): Promise<readonly SimilarRecord[]> {
  const { scope } = draft;
  const listing = strategy.list({ place, scope, status: ["active"], limit: MOST_COMPARED }, signal);
  const listed = await within(listing, LIMIT_MS, signal);
  if (listed.type !== "value" || listed.value.type !== "listed") return [];
  return similarRecords(draft, listed.value.records);
}
