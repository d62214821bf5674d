// `GET /api/overview?range=24h|7d|30d`: counts, charts, the latest sessions, what needs attention.
import * as z from "zod";
import { sessionRow } from "./session.ts";

export const overviewRange = z.enum(["24h", "7d", "30d"]);
export type OverviewRange = z.infer<typeof overviewRange>;

/** Milliseconds; null where nothing was measured. */
const percentiles = z.object({ p50: z.number(), p95: z.number() }).nullable();

/** Tokens that memory itself cost. */
const tokensSpent = z.object({ summaries: z.number(), sidekicks: z.number(), embeddings: z.number() });

const figures = {
  turns: z.number(),
  requests: z.number(),
  tokensAsked: z.number(),
  tokensSent: z.number(),
  spent: tokensSpent,
  /** Asked minus sent minus spent; negative when it was a loss. */
  netSaved: z.number(),
  /** The part of the input that upstreams read from their cache, 0 to 1; null where none was reported. */
  cachedShare: z.number().nullable(),
  recallMs: percentiles,
  /** What the gateway added to a request. */
  addedMs: percentiles,
};

/** One step of a chart: an hour of a day, six hours of a week, a day of a month. */
const overviewPoint = z.object({ at: z.string(), ...figures });
export type OverviewPoint = z.infer<typeof overviewPoint>;

const overviewWarning = z.object({ name: z.string(), finding: z.string(), fix: z.string().exactOptional() });

export const overview = z.object({
  range: overviewRange,
  since: z.string(),
  now: z.string(),
  /** Everything of this home, whatever the range. */
  counts: z.object({
    sessions: z.number(),
    turns: z.number(),
    memories: z.number(),
    /** Memories that wait for a review. */
    pending: z.number(),
    facts: z.number(),
    boardItems: z.number(),
  }),
  totals: z.object(figures),
  /** From `since` to `now`, without holes. */
  points: z.array(overviewPoint),
  /** The latest ten. */
  sessions: z.array(sessionRow),
  warnings: z.array(overviewWarning),
});
export type Overview = z.infer<typeof overview>;
