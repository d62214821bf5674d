// How large a compacted history may be: T for the whole request, B for the one message that replaces the old items.

/** The request apart from its history, in calibrated tokens. */
export type Sizes = {
  systemTokens: number;
  toolDefinitionsTokens: number;
  /** What later stages declared that they will add. */
  reserve: number;
  /** E: the prompt limit less the retry buffer. */
  effectiveLimit: number;
};

export type BudgetSettings = { target: number; background: number; keepRecent: number };

const TAIL_ROOM = 0.15;
/** From here on compaction cannot help. */
const HOPELESS = 0.85;
export const LEAST_BUDGET = 1_000;

export const fixedTokens = (sizes: Sizes): number => sizes.systemTokens + sizes.toolDefinitionsTokens + sizes.reserve;

/** T. The share stays well below the background threshold, so that a compaction does not call for the next one. */
export function targetTokens(sizes: Sizes, settings: BudgetSettings, tailTokens: number): number {
  const { effectiveLimit } = sizes;
  const share = Math.min(settings.target, 0.75 * settings.background);
  return Math.floor(Math.max(share * effectiveLimit, fixedTokens(sizes) + tailTokens + TAIL_ROOM * effectiveLimit));
}

export const isHopeless = (target: number, { effectiveLimit }: Sizes): boolean => target >= HOPELESS * effectiveLimit;

/** No compaction aims above it. */
export const highestTarget = ({ effectiveLimit }: Sizes): number => Math.floor(HOPELESS * effectiveLimit);

/** T when the result is applied: the unanswered tail may have grown since the start, and may have its room. */
export function targetNow(planned: number, now: number, sizes: Sizes): number {
  return Math.max(planned, Math.min(now, highestTarget(sizes)));
}

/** B as it is used: an automatic attempt must end below what it replaces, so its message may not be larger. */
export function messageBudget(room: number, replacedTokens: number, automatic: boolean): number {
  return Math.max(LEAST_BUDGET, automatic ? Math.min(room, replacedTokens - 1) : room);
}

/** What the message's summary may take of its budget B, in tokens. */
export const summaryShare = (budget: number): number => Math.min(Math.floor(0.45 * budget), 8_000);
