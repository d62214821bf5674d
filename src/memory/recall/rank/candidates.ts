// From a million passages to a few hundred: terms rarest first, at a bounded cost.
import type { TermFrame, TermMatch, TermQuestion } from "../../../store/term-step.ts";
import { askTerms } from "../../../store/terms.ts";
import { arrayRows, type Unit } from "../../../store/unit.ts";
import type { ResolvedScope } from "../store/scope.ts";
import type { SmallIndex } from "../store/small-index.ts";
import { stem } from "../text/stem.ts";
import { countMatches, type TermCount, type TermCounts } from "./count.ts";
import { type Filter, frameOf, groupOf } from "./match.ts";
import type { Query, QueryTerm } from "./query.ts";
import { type Channel, gainOf, idf, measuredLength, WEIGHTS } from "./weights.ts";

export type CountedTerm = QueryTerm & { df: number; idf: number; use: "searched" | "counted" };
type Candidates = {
  /** Those that stand in the scope, rarest first. */
  terms: CountedTerm[];
  /** Ids of passages, the most promising first. */
  ids: number[];
  /** How many passages hold any searched term. */
  found: number;
};
export type Bounds = {
  /** The most postings of one term; commoner terms are not searched for and only count in what others found. */
  postings: number;
  /** The most postings of all terms together. */
  allPostings: number;
  /** How many go on to be scored by their text. */
  kept: number;
};
export const BOUNDS: Bounds = { postings: 20_000, allPostings: 60_000, kept: 120 };

/** The bounds of a search where the settings have one of their own: the narrower counts. */
export const boundsWithin = (maxPostings: number | undefined, bounds: Bounds | undefined): Bounds => ({
  ...(bounds ?? BOUNDS),
  postings: Math.min(maxPostings ?? BOUNDS.postings, bounds?.postings ?? Number.POSITIVE_INFINITY),
});

const MAX_TERMS = 32;
const MAX_UNSEEN = 3;
/** A beginning that stands in more passages than these says nothing. */
const KIN_COUNT = 20;
const KIN_SHARE = 0.005;
/** How many are compared by their length too. */
const MEASURED = 1_000;
const NEWEST = 5_000;
const MOST_ALIKE = 24;

type FinderOptions = {
  scope: ResolvedScope;
  filter: Filter;
  bounds: Bounds;
  /** What was counted by earlier searches. */
  counts: TermCounts;
  /** All that is stored, in memory. */
  small?: SmallIndex | undefined;
  /** False once time is up: the terms found so far are then all. */
  mayGoOn: () => boolean;
};

export class Finder {
  #frame: TermFrame;
  readonly #filter: Filter;
  readonly #scope: ResolvedScope;
  readonly #bounds: Bounds;
  readonly #counts: TermCounts;
  readonly #small: SmallIndex | undefined;
  readonly #ask: typeof askTerms;
  readonly #mayGoOn: () => boolean;
  readonly #postings = new Map<string, number[]>();
  /** Not everything could be looked at in time. */
  cutShort = false;

  constructor({ scope, filter, bounds, counts, small, mayGoOn }: FinderOptions) {
    this.#small = small;
    this.#ask = small ? small.ask.bind(small) : askTerms;
    this.#mayGoOn = mayGoOn;
    this.#scope = scope;
    this.#filter = filter;
    this.#frame = frameOf(scope, filter);
    this.#bounds = bounds;
    this.#counts = counts;
  }

  /** `quoted`: passages must hold all words of the quoted phrases. */
  *find(query: Query, quoted: boolean): Unit<Candidates> {
    yield* this.#excludeOnlyWhatIsThere();
    const terms = yield* this.#count(query.terms);
    const scores = quoted ? yield* this.#holdingPhrases(query, terms) : yield* this.#holdingTerms(terms);
    yield* this.#keepInTime(scores);
    return { terms, ids: yield* this.#best(scores), found: scores.size };
  }

  /** Most scopes hold nothing that a search leaves out; every term would look for it again. */
  *#excludeOnlyWhatIsThere(): Unit<void> {
    const { not, ...frame } = this.#frame;
    if (not.length === 0) return;
    const match = { groups: [{ tokens: not }], frame: { ...frame, not: [] } };
    const [excluded] = yield* this.#ask([{ match, want: "few", most: 1 }], () => true);
    if (excluded?.count === 0) this.#frame = match.frame;
  }

  *#count(terms: readonly QueryTerm[]): Unit<CountedTerm[]> {
    const isLarge = this.#scope.passages > this.#bounds.postings;
    const isLater = (term: QueryTerm) => isLarge && term.channel === "near";
    const first = yield* this.#counted(terms.filter((t) => !isLater(t)));
    const own = new Map([...first.values()].flatMap((t) => (t.channel === "stem" && t.df > 0 ? [[t.text, t]] : [])));
    // In a large store words of like use are no reason to look further where the word itself stands.
    const later = yield* this.#counted(terms.filter((t) => isLater(t) && !own.has(t.text)));
    const counted = terms.flatMap((term): CountedTerm[] => {
      const standing = isLater(term) ? own.get(term.text) : undefined;
      const answer = standing ? { ...standing, ...term } : (first.get(term) ?? later.get(term));
      return answer ? [answer] : [];
    });
    const unseen = counted.flatMap((t) => (t.df === 0 && t.kin ? [t.kin] : [])).slice(0, MAX_UNSEEN);
    for (const kin of (yield* this.#counted(unseen)).values())
      if (kin.df <= Math.max(KIN_COUNT, this.#scope.passages * KIN_SHARE)) counted.push(kin);
    const ownOf = new Map(counted.flatMap((t) => (t.channel === "stem" ? [[t.text, t]] : [])));
    const taken = new Map<Channel, number>();
    return counted
      .map((t) => (t.channel === "near" ? atMost(t, ownOf.get(t.text)) : t))
      .filter((t) => t.df > 0)
      .sort((a, b) => a.df - b.df || (a.text < b.text ? -1 : 1))
      .filter((t) => {
        const count = (taken.get(t.channel) ?? 0) + 1;
        taken.set(t.channel, count);
        return count <= MAX_TERMS;
      });
  }

  #inTime(): boolean {
    if (!this.#mayGoOn()) this.cutShort = true;
    return !this.cutShort;
  }

  /** With how many passages hold each; those that were not reached in time are not in it. */
  *#counted(terms: readonly QueryTerm[]): Unit<Map<QueryTerm, CountedTerm>> {
    const counts = yield* this.#countsOf(terms);
    if (counts.length < terms.length) this.cutShort = true;
    const counted = new Map<QueryTerm, CountedTerm>();
    for (const [i, { count: df, ids }] of counts.entries()) {
      const term = terms[i];
      if (!term) continue;
      if (ids) this.#postings.set(keyOf(term), ids);
      counted.set(term, { ...term, df, idf: (term.weight ?? 1) * idf(df, this.#scope.passages), use: "counted" });
    }
    return counted;
  }

  #countsOf(terms: readonly QueryTerm[]): Unit<TermCount[]> {
    const { passages } = this.#scope;
    const mayGoOn = () => this.#inTime();
    const matches = terms.map((t) => this.#match(t));
    if (passages > this.#bounds.postings) return countMatches(matches, passages, this.#counts, mayGoOn);
    const isSearched = searchedAmong(terms);
    const questions = terms.map((term, i): TermQuestion[] => {
      const match = matches[i];
      return match ? [{ match, want: isSearched(term) ? "ids" : "count" }] : [];
    });
    return this.#ask(questions.flat(), mayGoOn);
  }

  #match(...terms: readonly QueryTerm[]): TermMatch {
    return { groups: terms.map(groupOf), frame: this.#frame };
  }

  *#newest(match: TermMatch, most: number, time?: readonly [number, number]): Unit<number[]> {
    const [answer] = yield* this.#ask([{ match, want: "ids", most, ...(time ? { time } : {}) }], () => true);
    return answer?.ids ?? [];
  }

  /** Rarest first, until what is left could not lift anything new among the kept. */
  *#holdingTerms(terms: CountedTerm[]): Unit<Map<number, number>> {
    const scores = new Map<number, number>();
    const searchable = terms.filter(searchedAmong(terms));
    const weight = (t: CountedTerm) =>
      (t.channel === "stem" ? WEIGHTS.plain + WEIGHTS.stem : WEIGHTS[t.channel]) * t.idf;
    let left = searchable.reduce((sum, t) => sum + weight(t), 0);
    let postings = 0;
    for (const term of searchable) {
      if (term.df > this.#bounds.postings || postings + term.df > this.#bounds.allPostings) break;
      if (postings > 0 && (this.#enoughAbove(left, scores) || !this.#inTime())) break;
      term.use = "searched";
      postings += term.df;
      left -= weight(term);
      for (const id of yield* this.#holding(term)) scores.set(id, (scores.get(id) ?? 0) + weight(term));
    }
    if (postings === 0) yield* this.#newestOfCommon(terms, scores);
    return scores;
  }

  /** Whether as many as will be kept have more than that. */
  #enoughAbove(score: number, scores: Map<number, number>): boolean {
    let count = 0;
    for (const other of scores.values()) if (other > score && ++count >= this.#bounds.kept) return true;
    return false;
  }

  *#holding(term: CountedTerm): Unit<number[]> {
    return this.#postings.get(keyOf(term)) ?? (yield* this.#newest(this.#match(term), this.#bounds.postings));
  }

  /** Even the rarest term is everywhere: the newest passages that hold the two rarest, or the rarest where none has both. */
  *#newestOfCommon(terms: CountedTerm[], scores: Map<number, number>): Unit<void> {
    const [first] = terms;
    if (!first) return;
    const second = terms.find((t) => t.text !== first.text && !t.tokens.includes(first.text));
    const both = second ? [first, second] : [first];
    for (const term of both) term.use = "searched";
    const { since = Number.MIN_SAFE_INTEGER, before = Number.MAX_SAFE_INTEGER } = this.#filter;
    const timed = this.#filter.since !== undefined || this.#filter.before !== undefined;
    const time = timed ? ([since, before] as const) : undefined;
    const ids = yield* this.#newest(this.#match(...both), NEWEST, time);
    const either = ids.length > 0 || !second ? ids : yield* this.#newest(this.#match(first), NEWEST, time);
    for (const id of either) scores.set(id, 1);
  }

  /** All words of all phrases; whether they stand side by side is seen in the text. */
  *#holdingPhrases(query: Query, terms: CountedTerm[]): Unit<Map<number, number>> {
    const words = new Set(query.phrases.flatMap((p) => p.split(" ")));
    const must = terms.filter((t) =>
      t.channel === "gram" ? query.phrases.some((p) => p.includes(t.text)) : t.channel === "plain" && words.has(t.text),
    );
    for (const term of must) term.use = "searched";
    const ids = must.length === 0 ? [] : yield* this.#newest(this.#match(...must), this.#bounds.postings);
    return new Map(ids.map((id) => [id, 1]));
  }

  *#keepInTime(scores: Map<number, number>): Unit<void> {
    const { since, before } = this.#filter;
    if (since === undefined && before === undefined) return;
    const sql = `SELECT p.id FROM recall_passage p JOIN recall_item i ON i.id = p.item
      WHERE p.id IN (SELECT 0 + value FROM json_each(?)) AND i.time >= ? AND i.time < ?`;
    const bounds = [since ?? Number.MIN_SAFE_INTEGER, before ?? Number.MAX_SAFE_INTEGER];
    const inTime = new Set(
      (yield* arrayRows(sql, JSON.stringify([...scores.keys()]), ...bounds)).map(([id]) => Number(id)),
    );
    for (const id of scores.keys()) if (!inTime.has(id)) scores.delete(id);
  }

  /** Passages are ordered by the rarity of what they hold, then also by length: the short ones say the same more clearly. */
  *#best(scores: Map<number, number>): Unit<number[]> {
    if (scores.size <= this.#bounds.kept) return highest(scores, this.#bounds.kept);
    const rough = scores.size <= MEASURED ? [...scores.keys()] : highest(scores, MEASURED);
    const rows = yield* this.#lengthsOf(rough);
    const measured = new Map(
      rows.map(([id, words]) => [id, (scores.get(id) ?? 0) * gainOf(1, measuredLength(words, this.#scope.meanWords))]),
    );
    return highest(withoutCrowds(measured), this.#bounds.kept);
  }

  *#lengthsOf(ids: readonly number[]): Unit<[id: number, words: number][]> {
    const small = this.#small;
    if (small) return ids.map((id) => [id, small.wordsOf(id)]);
    const sql = "SELECT id, words FROM recall_passage WHERE id IN (SELECT 0 + value FROM json_each(?))";
    return (yield* arrayRows(sql, JSON.stringify(ids))) as [number, number][];
  }
}

/** A word's stem stands for the word: its postings hold those of the word. */
function searchedAmong(terms: readonly QueryTerm[]): (term: QueryTerm) => boolean {
  const stems = new Set(terms.flatMap((t) => (t.channel === "stem" ? [t.text] : [])));
  return (t) => t.channel !== "plain" || !stems.has(stem(t.text));
}

/** Words of like use are no rarer than the word that they stand for. */
const atMost = (term: CountedTerm, own: CountedTerm | undefined): CountedTerm =>
  own && own.df > 0 ? { ...term, idf: Math.min(term.idf, own.idf) } : term;

const keyOf = (term: QueryTerm): string => `${term.channel} ${term.text}`;

/** The newest are enough of what scores exactly the same, such as one line said by the hundred: others are to be looked at too. */
function withoutCrowds(scores: Map<number, number>): Map<number, number> {
  const counts = new Map<number, number>();
  const newestFirst = [...scores].sort(([a], [b]) => b - a);
  return new Map(
    newestFirst.filter(([, score]) => {
      const count = counts.get(score) ?? 0;
      counts.set(score, count + 1);
      return count < MOST_ALIKE;
    }),
  );
}

/** The ids of the `count` highest scores, the highest first; of equals the newest. */
function highest(scores: Map<number, number>, count: number): number[] {
  const least = scores.size <= count ? 0 : (Float64Array.from(scores.values()).sort()[scores.size - count] ?? 0);
  const entries: [id: number, score: number][] = [];
  for (const entry of scores) if (entry[1] >= least) entries.push(entry);
  return entries
    .sort((a, b) => b[1] - a[1] || b[0] - a[0])
    .slice(0, count)
    .map(([id]) => id);
}
