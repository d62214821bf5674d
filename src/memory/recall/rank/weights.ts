// The channels and signals of ranking, and the one set of weights, for every caller, corpus and language.

/** How a query's words reach a passage; each has a weight of its own. */
export const CHANNELS = ["plain", "stem", "near", "ident", "gram"] as const;
export type Channel = (typeof CHANNELS)[number];
export const byChannel = <T>(make: () => T): Record<Channel, T> =>
  Object.fromEntries(CHANNELS.map((channel) => [channel, make()])) as Record<Channel, T>;

export const SIGNALS = [
  ...CHANNELS,
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
  context: { reply: 1, later: 0.5, earlier: 0.4 },
  further: 0.5,
  /** Each of several that live from one message keeps this part of what the one before it gets. */
  crowd: 0.8,
  /** When everything is asked for, each further item of a session counts this part of the one before it. */
  session: 0.8,
  vector: 0.6,
  exact: 0.3,
  user: 0.05,
  tool: -0.05,
  /** Given to the speaker whose words are asked for, or who is named. */
  speaker: 0.4,
  /** A short question keeps this part of the score of its words: who asks does not know. */
  asking: 0.8,
  standing: 0.1,
  recency: 0.05,
  recencyHalfDays: 30,
  /** When the latest or the earliest is asked for. */
  age: 0.15,
  date: 0.25,
  /** An item's second best passage adds this part of its score. */
  second: 0.1,
} as const;

/** `least`: a shorter passage is measured as if it had this part of the mean length. "How was it?" is about nothing. */
const BM25 = { k1: 1.2, b: 0.75, least: 0.8 } as const;

/** What a term gives that stands `count` times in a passage of this length, 1 being the mean. */
export function gainOf(count: number, length: number): number {
  return (count * (BM25.k1 + 1)) / (count + BM25.k1 * (1 - BM25.b + BM25.b * length));
}
export const measuredLength = (words: number, meanWords: number): number => Math.max(BM25.least, words / meanWords);

/** The rarity of a term that stands in `df` of `n` passages; never negative. */
export const idf = (df: number, n: number): number =>
  Math.max(1e-6, Math.log((Math.max(n, df) - df + 0.5) / (df + 0.5)));

const NO_PARTS = Object.fromEntries(SIGNALS.map((signal) => [signal, 0])) as ScoreParts;
export const noParts = (): ScoreParts => ({ ...NO_PARTS });

export function total(parts: ScoreParts): number {
  let sum = 0;
  for (const signal of SIGNALS) sum += parts[signal];
  return sum;
}
