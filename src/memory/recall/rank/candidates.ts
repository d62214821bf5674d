// From a million passages to a few hundred: terms rarest first, at a bounded cost.
import type { DatabaseSync } from "node:sqlite";
import type { ResolvedScope } from "../store/scope.ts";
import { column, prepared } from "../store/statement.ts";
import { stem } from "../text/stem.ts";
import { countOf } from "./count.ts";
import { type Filter, type Frame, frameOf, matchOf, termMatch } from "./match.ts";
import type { Channel, Query, QueryTerm } from "./query.ts";
import { BM25, idf, WEIGHTS } from "./weights.ts";

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

const MAX_TERMS = 32;
const MAX_UNSEEN = 3;
/** A beginning that stands in more passages than these says nothing. */
const KIN_COUNT = 20;
const KIN_SHARE = 0.005;
/** How many are compared by their length too. */
const MEASURED = 1_000;
const NEWEST = 5_000;
const ALL = "SELECT rowid FROM recall_terms WHERE recall_terms MATCH ?";
/** Going backwards costs a third more. */
const NEWEST_FIRST = "SELECT rowid FROM recall_terms WHERE recall_terms MATCH ? ORDER BY rowid DESC LIMIT ?";

export class Finder {
  readonly #db: DatabaseSync;
  readonly #frame: Frame;
  readonly #filter: Filter;
  readonly #scope: ResolvedScope;
  readonly #bounds: Bounds;
  readonly #mayGoOn: () => boolean;
  readonly #postings = new Map<string, number[]>();
  /** Not everything could be looked at in time. */
  cutShort = false;

  /** `mayGoOn` is false once time is up: the terms found so far are then all. */
  constructor(db: DatabaseSync, scope: ResolvedScope, filter: Filter, bounds: Bounds, mayGoOn: () => boolean) {
    this.#db = db;
    this.#mayGoOn = mayGoOn;
    this.#scope = scope;
    this.#filter = filter;
    this.#frame = frameOf(scope, filter);
    this.#bounds = bounds;
  }

  /** `quoted`: passages must hold all words of the quoted phrases. */
  find(query: Query, quoted: boolean): Candidates {
    const terms = this.#count(query.terms);
    const scores = quoted ? this.#holdingPhrases(query, terms) : this.#holdingTerms(terms);
    this.#keepInTime(scores);
    return { terms, ids: this.#best(scores), found: scores.size };
  }

  #count(terms: readonly QueryTerm[]): CountedTerm[] {
    const isLarge = this.#scope.passages > this.#bounds.postings;
    const counted: CountedTerm[] = [];
    for (const term of terms) {
      if (!this.#inTime()) break;
      const own =
        isLarge && term.channel === "near"
          ? counted.find((t) => t.channel === "stem" && t.text === term.text)
          : undefined;
      // In a large store words of like use are no reason to look further where the word itself stands.
      counted.push(own && own.df > 0 ? { ...own, ...term } : this.#counted(term));
    }
    const unseen = counted.flatMap((t) => (t.df === 0 && t.kin ? [t.kin] : [])).slice(0, MAX_UNSEEN);
    for (const kin of unseen.map((k) => this.#counted(k)))
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

  #counted(term: QueryTerm): CountedTerm {
    const df = this.#df(term);
    return { ...term, df, idf: (term.weight ?? 1) * idf(df, this.#scope.passages), use: "counted" };
  }

  #df(term: QueryTerm): number {
    const match = matchOf([termMatch(term)], this.#frame) ?? "";
    if (this.#scope.passages > this.#bounds.postings) {
      const { count, ids } = countOf(this.#db, match, this.#scope.passages);
      if (ids) this.#postings.set(keyOf(term), ids);
      return count;
    }
    const ids = column(this.#db, ALL, match);
    this.#postings.set(keyOf(term), ids);
    return ids.length;
  }

  /**
   * Rarest first, until what is left could not lift anything new among the kept. A word's stem stands for the word: its
   * postings hold those of the word.
   */
  #holdingTerms(terms: CountedTerm[]): Map<number, number> {
    const scores = new Map<number, number>();
    const stems = new Set(terms.flatMap((t) => (t.channel === "stem" ? [t.text] : [])));
    const searchable = terms.filter((t) => t.channel !== "plain" || !stems.has(stem(t.text)));
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
      for (const id of this.#holding(term)) scores.set(id, (scores.get(id) ?? 0) + weight(term));
    }
    if (postings === 0) this.#newestOfCommon(terms, scores);
    return scores;
  }

  /** Whether as many as will be kept have more than that. */
  #enoughAbove(score: number, scores: Map<number, number>): boolean {
    let count = 0;
    for (const other of scores.values()) if (other > score && ++count >= this.#bounds.kept) return true;
    return false;
  }

  #holding(term: CountedTerm): number[] {
    const cached = this.#postings.get(keyOf(term));
    return (
      cached ?? column(this.#db, NEWEST_FIRST, matchOf([termMatch(term)], this.#frame) ?? "", this.#bounds.postings)
    );
  }

  /** Even the rarest term is everywhere: the newest passages that hold the two rarest. */
  #newestOfCommon(terms: CountedTerm[], scores: Map<number, number>): void {
    const [first] = terms;
    if (!first) return;
    const second = terms.find((t) => t.text !== first.text && !t.tokens.includes(first.text));
    const both = second ? [first, second] : [first];
    for (const term of both) term.use = "searched";
    const { since = Number.MIN_SAFE_INTEGER, before = Number.MAX_SAFE_INTEGER } = this.#filter;
    const timed = this.#filter.since !== undefined || this.#filter.before !== undefined;
    const match = matchOf(both.map(termMatch), this.#frame) ?? "";
    const ids = timed
      ? column(
          this.#db,
          `SELECT t.rowid FROM recall_terms t JOIN recall_passage p ON p.id = t.rowid JOIN recall_item i ON i.id = p.item
           WHERE t.recall_terms MATCH ? AND i.time >= ? AND i.time < ? ORDER BY t.rowid DESC LIMIT ?`,
          ...[match, since, before, NEWEST],
        )
      : column(this.#db, NEWEST_FIRST, match, NEWEST);
    for (const id of ids) scores.set(id, 1);
  }

  /** All words of all phrases; whether they stand side by side is seen in the text. */
  #holdingPhrases(query: Query, terms: CountedTerm[]): Map<number, number> {
    const words = new Set(query.phrases.flatMap((p) => p.split(" ")));
    const must = terms.filter((t) =>
      t.channel === "gram" ? query.phrases.some((p) => p.includes(t.text)) : t.channel === "plain" && words.has(t.text),
    );
    for (const term of must) term.use = "searched";
    const match = must.length > 0 ? matchOf(must.map(termMatch), this.#frame) : undefined;
    const ids = match === undefined ? [] : column(this.#db, NEWEST_FIRST, match, this.#bounds.postings);
    return new Map(ids.map((id) => [id, 1]));
  }

  #keepInTime(scores: Map<number, number>): void {
    const { since, before } = this.#filter;
    if (since === undefined && before === undefined) return;
    const sql = `SELECT p.id FROM recall_passage p JOIN recall_item i ON i.id = p.item
      WHERE p.id IN (SELECT value FROM json_each(?)) AND i.time >= ? AND i.time < ?`;
    const bounds = [since ?? Number.MIN_SAFE_INTEGER, before ?? Number.MAX_SAFE_INTEGER];
    const inTime = new Set(column(this.#db, sql, JSON.stringify([...scores.keys()]), ...bounds));
    for (const id of scores.keys()) if (!inTime.has(id)) scores.delete(id);
  }

  /** Passages are ordered by the rarity of what they hold, then also by length: the short ones say the same more clearly. */
  #best(scores: Map<number, number>): number[] {
    const rough = highest(scores, MEASURED);
    if (rough.length <= this.#bounds.kept) return rough;
    const sql = "SELECT id, words FROM recall_passage WHERE id IN (SELECT value FROM json_each(?))";
    const rows = prepared(this.#db, sql, true).all(JSON.stringify(rough)) as unknown as [number, number][];
    const measured = new Map(
      rows.map(([id, words]) => {
        const length = BM25.k1 * (1 - BM25.b + (BM25.b * words) / this.#scope.meanWords);
        return [id, (scores.get(id) ?? 0) / (1 + length)];
      }),
    );
    return highest(measured, this.#bounds.kept);
  }
}

/** Words of like use are no rarer than the word that they stand for. */
const atMost = (term: CountedTerm, own: CountedTerm | undefined): CountedTerm =>
  own && own.df > 0 ? { ...term, idf: Math.min(term.idf, own.idf) } : term;

const keyOf = (term: QueryTerm): string => `${term.channel} ${term.text}`;

/** The ids of the `count` highest scores, the highest first; of equals the newest. */
function highest(scores: Map<number, number>, count: number): number[] {
  const least = scores.size <= count ? 0 : (Float64Array.from(scores.values()).sort()[scores.size - count] ?? 0);
  const ids: number[] = [];
  for (const [id, score] of scores) if (score >= least) ids.push(id);
  return ids.sort((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0) || b - a).slice(0, count);
}
