// `POST /api/recall` and `GET /api/recall/items/{id}`: what a search found, with every part of its score.
import * as z from "zod";

const scoreParts = z.record(z.string(), z.number());

const recallHit = z.object({
  id: z.string(),
  ref: z.string().exactOptional(),
  kind: z.string(),
  role: z.string(),
  time: z.string().exactOptional(),
  scope: z.string(),
  source: z.object({
    client: z.string().exactOptional(),
    session: z.string().exactOptional(),
    turn: z.number().exactOptional(),
    seq: z.number(),
  }),
  rewound: z.boolean(),
  /** Absent in a list by time. */
  score: z.number().exactOptional(),
  /** They add up to the score. */
  parts: scoreParts.exactOptional(),
  /** Each signal before it was weighed; with `explain`. */
  raw: scoreParts.exactOptional(),
  snippets: z.array(
    z.object({
      text: z.string(),
      start: z.number(),
      end: z.number(),
      hits: z.array(z.tuple([z.number(), z.number()])),
    }),
  ),
  also: z.array(z.string()).exactOptional(),
  /** When a fact ended, or will. */
  until: z.string().exactOptional(),
  /** The whole text, with `full`. */
  text: z.string().exactOptional(),
});
export type RecallHitShape = z.infer<typeof recallHit>;

/** Only with `explain`. */
const searchPlanShape = z.object({
  terms: z.array(
    z.object({ channel: z.string(), text: z.string(), count: z.number(), rarity: z.number(), use: z.string() }),
  ),
  phrases: z.array(z.string()),
  candidates: z.number(),
  ranked: z.number(),
  passages: z.number(),
  embedder: z.string().exactOptional(),
  milliseconds: z.record(z.string(), z.number()),
});

/** `{query, scope?, session?, repo?, branch?, kind?, role?, since?, until?, asOf?, order?, limit?, cursor?, full?, explain?, without?}`. */
export const recallResults = z.object({
  scope: z.string(),
  results: z.array(recallHit),
  more: z.number(),
  cursor: z.string().exactOptional(),
  partial: z.boolean(),
  skipped: z.array(z.string()),
  unmatched: z.array(z.string()).exactOptional(),
  /** Pins that are in force; they are never among the results. */
  pinned: z.array(z.object({ id: z.string(), text: z.string(), level: z.string() })).exactOptional(),
  plan: searchPlanShape.exactOptional(),
  /** How long the search took. */
  durationMs: z.number().exactOptional(),
});

/** `POST /api/recall/injected`: a message, and the folder of a session; absent: where the gateway was started. */
export const injectionQuestion = z.strictObject({
  query: z.string().min(1).max(10_000),
  folder: z.string().min(1).max(4096).exactOptional(),
});
export type InjectionQuestion = z.infer<typeof injectionQuestion>;
/** What a new session there would be told before that message; `text` null: nothing. */
export const injectionPreview = z.object({
  folder: z.string(),
  text: z.string().nullable(),
  memory: z.boolean(),
  /** Whether earlier words are quoted at all: `recall.auto`. */
  quotes: z.boolean(),
  /** What could not be searched in time, or at all. */
  losses: z.array(z.string()),
});
export type InjectionPreview = z.infer<typeof injectionPreview>;

const passage = z.object({
  ref: z.string().exactOptional(),
  sourceType: z.string().exactOptional(),
  text: z.string(),
  timestamp: z.string().exactOptional(),
  session: z.string().exactOptional(),
});
/** `GET /api/recall/items/{id or session:ref}?around=N`. */
export const recallItemView = z.object({
  item: z.looseObject({ text: z.string() }),
  around: z.array(passage).exactOptional(),
});

/** `GET /api/recall/stats`. */
export const recallStatsShape = z.object({
  enabled: z.boolean(),
  items: z.number(),
  passages: z.number(),
  sessions: z.number(),
  kinds: z.record(z.string(), z.number()),
  embedder: z.string(),
  vectors: z.number(),
  waiting: z.number(),
  parked: z.number(),
});
