// The data of the two compaction events, from the attempt and how it ended.
import type { CompactionFailure, CompactionReason, CompactionTokensUsed } from "../../schema/event/context.ts";
import type { EventData } from "../../schema/event/envelope.ts";
import type { Sizes } from "./budget.ts";
import { bucketsOf, type CompactionFigures } from "./figures.ts";
import type { Applicable } from "./finish.ts";
import type { SessionItem } from "./items.ts";
import type { Summary } from "./summary-input.ts";

type StartData = EventData<"session.compaction_start">;
type CompleteData = EventData<"session.compaction_complete">;

/** `model` writes the summary; `tokenLimit` is L of the session's model. */
export type CompactionAttempt = Pick<StartData, "compactionAttemptId" | "trigger" | "model" | "mode" | "tokenLimit"> &
  Pick<StartData, "customInstructions" | "switchTargetModel" | "targetPromptTokenLimit"> &
  Pick<CompleteData, "initialModel">;

export type AttemptEnd =
  | { outcome: "applied"; summary: Summary; finished: Applicable; checkpointNumber?: number; checkpointPath?: string }
  | { outcome: "not_applicable" | "cancelled"; reason: CompactionReason }
  | { outcome: "failed"; reason: CompactionFailure; error?: string; statusCode?: number };

export function startData(
  attempt: CompactionAttempt,
  targetTokens: number,
  items: readonly SessionItem[],
  sizes: Sizes,
): StartData {
  const { initialModel: _later, ...details } = attempt;
  return { ...details, ...bucketsOf(items, sizes), targetTokens };
}

/** `figures` of a history that stays as it is come from `figuresOf(items, items, sizes)`. */
export function completeData(
  attempt: CompactionAttempt,
  end: AttemptEnd,
  more: {
    figures: CompactionFigures;
    targetTokens: number;
    basis: "estimated" | "calibrated";
    used?: CompactionTokensUsed | undefined;
    requestId?: string | undefined;
  },
): CompleteData {
  const { mode: _known, ...details } = attempt;
  return {
    success: end.outcome === "applied",
    outcome: end.outcome,
    ...endData(end),
    ...details,
    ...more.figures,
    targetTokens: more.targetTokens,
    tokenAccountingBasis: more.basis,
    ...(more.used ? { compactionTokensUsed: more.used } : {}),
    ...(more.requestId === undefined ? {} : { requestId: more.requestId }),
  };
}

function endData(end: AttemptEnd): Partial<CompleteData> {
  switch (end.outcome) {
    case "applied": {
      const { summary, finished, outcome: _same, ...checkpoint } = end;
      const { replacementContent, boundaryEventId, compactedTurns } = finished;
      return {
        summaryContent: summary.text,
        chunks: summary.chunks,
        summaryTruncated: summary.truncated,
        ...(summary.insteadOf ? { builtInBecause: summary.insteadOf.reason } : {}),
        replacementContent,
        boundaryEventId,
        compactedTurns,
        ...checkpoint,
      };
    }
    case "failed": {
      const { outcome: _same, reason, ...error } = end;
      return { failureReason: reason, ...error };
    }
    default:
      return { outcomeReason: end.reason };
  }
}
