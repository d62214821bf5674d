// What ranking works on: the question, the candidates, and what is known of their passages.
import type { StoredPassage } from "../store/indexed-item.ts";
import type { CountedTerm } from "./candidates.ts";
import type { DateSpan } from "./date-cue.ts";
import type { Query } from "./query.ts";
import type { Scored } from "./score.ts";
import type { Signal } from "./weights.ts";

export type RankInput = {
  query: Query;
  /** Only what holds every quoted phrase counts. */
  quoted: boolean;
  terms: readonly CountedTerm[];
  meanWords: number;
  scopeIds: readonly number[];
  candidates: readonly number[];
  /** Cosine with the query, for passages that have a vector. */
  cosine?: (passage: number) => number | undefined;
  spans: readonly DateSpan[];
  /** Nothing from then on exists for this query. */
  before: number;
  /** The present, for recency; without it no item is newer than another. */
  now?: number;
  use: (signal: Signal) => boolean;
  /** False once time is up: what is ready is ranked as it is. */
  mayGoOn: () => boolean;
};
export type RankedPassage = StoredPassage & { scored: Scored; own: number; cosine: number | undefined };
