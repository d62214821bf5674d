// How much of a model's window a request may fill, and what a refusal for size teaches about it.
import type { ContextLimit } from "../../model/contract.ts";

/** L and the retry buffer, for one session and model. */
type Limit = { tokens: number; retryBuffer: number };

const STEP = 0.1;
const LARGEST_BUFFER = 0.5;
/** A smaller figure in an error is something else than a window. */
const SMALLEST_LIMIT = 1_000;
/** A request that was refused is made at least this much smaller, whatever the limit says: never resent unchanged. */
export const AFTER_REFUSAL = 0.9;

/** E. `refusedTokens`: what the latest refused attempt of this turn was counted at. */
export function effectiveLimit({ tokens, retryBuffer }: Limit, refusedTokens = Number.POSITIVE_INFINITY): number {
  return Math.floor(Math.min(tokens * (1 - retryBuffer), refusedTokens * AFTER_REFUSAL));
}

/** A smaller limit that the error names is learned; else the retry buffer grows. An error never raises a limit. */
export function afterRefusal(limit: Limit, refusal: ContextLimit): Limit & { learned: boolean } {
  const { reportedLimit, unit } = refusal;
  const named = unit === "tokens" && reportedLimit !== undefined && reportedLimit >= SMALLEST_LIMIT;
  if (named && reportedLimit < limit.tokens) return { ...limit, tokens: reportedLimit, learned: true };
  const retryBuffer = Math.min(LARGEST_BUFFER, Math.round((limit.retryBuffer + STEP) * 10) / 10);
  return { ...limit, retryBuffer, learned: false };
}

/** Where a cut aims: far enough below E that it holds for a while, also beside a large fixed part. */
export function lowWaterMark(limit: { effectiveLimit: number; fixedTokens: number; target: number }): number {
  const { effectiveLimit: e, fixedTokens, target } = limit;
  return Math.floor(Math.min(0.95 * e, Math.max(target * e, fixedTokens + 0.15 * e)));
}
