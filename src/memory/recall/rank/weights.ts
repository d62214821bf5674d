// The one set of weights, for every caller, corpus and language.

export const SIGNALS = [
  "plain",
  "stem",
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
] as const;
export type Signal = (typeof SIGNALS)[number];
export type ScoreParts = Record<Signal, number>;

export const WEIGHTS = {
  plain: 0.2,
  stem: 0.8,
  ident: 0.6,
  gram: 0.5,
  /** An item gets this part of the score of the best message around it; each step further away counts less. */
  context: 0.5,
  further: 0.5,
  vector: 0.6,
  exact: 0.3,
  user: 0.05,
  tool: -0.05,
  /** Given to the speaker whose words are asked for. */
  speaker: 0.1,
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

export const noParts = (): ScoreParts => Object.fromEntries(SIGNALS.map((signal) => [signal, 0])) as ScoreParts;

export const total = (parts: ScoreParts): number => SIGNALS.reduce((sum, signal) => sum + parts[signal], 0);
