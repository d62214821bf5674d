// The one set of weights, for every caller, corpus and language.

export const SIGNALS = [
  "plain",
  "stem",
  "near",
  "ident",
  "gram",
  "context",
  "vector",
  "exact",
  "role",
  "standing",
  "recency",
  "date",
  "echo",
  "spread",
] as const;
export type Signal = (typeof SIGNALS)[number];
export type ScoreParts = Record<Signal, number>;

export const WEIGHTS = {
  plain: 0.2,
  stem: 0.8,
  /** A word that is used like one of the query's, in a passage that has not that one itself. */
  near: 0.26,
  ident: 0.6,
  gram: 0.5,
  /** An item gets a part of the score of the best message around it; each step further away counts less. */
  context: { reply: 0.8, later: 0.5, earlier: 0.4 },
  further: 0.5,
  /** Of several that live from one message, each keeps this part of what the one before it gets. */
  crowd: 0.8,
  /** When everything is asked for, each further item of a session counts this part of the one before it. */
  session: 0.8,
  vector: 0.6,
  exact: 0.3,
  user: 0.05,
  tool: -0.05,
  /** Given to the speaker whose words are asked for. */
  speaker: 0.3,
  standing: 0.1,
  recency: 0.05,
  recencyHalfDays: 30,
  /** When the latest or the earliest is asked for. */
  age: 0.15,
  date: 0.25,
  /** An item's second best passage adds this part of its score. */
  second: 0.1,
} as const;

export const BM25 = { k1: 1.2, b: 0.75 } as const;

/** The rarity of a term that stands in `df` of `n` passages; never negative. */
export const idf = (df: number, n: number): number =>
  Math.max(1e-6, Math.log((Math.max(n, df) - df + 0.5) / (df + 0.5)));

const NO_PARTS = Object.fromEntries(SIGNALS.map((signal) => [signal, 0])) as ScoreParts;
export const noParts = (): ScoreParts => ({ ...NO_PARTS });

export const total = (parts: ScoreParts): number => SIGNALS.reduce((sum, signal) => sum + parts[signal], 0);
