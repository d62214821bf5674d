// How far a compaction is, for whoever waits for it: the stage, and what the model has written of its summary.
import { tokensOf } from "../context/compact/items.ts";
import type { StreamPart } from "../model/contract.ts";
import type { CompactionStage } from "../schema/event/context.ts";
import type { Session } from "./session.ts";
import type { RunningAttempt } from "./window-state.ts";

/** A summary comes in thousands of pieces; a person reads a figure a few times a second. */
const LEAST_MS = 250;

export function tellStage(
  { publish }: Pick<Session, "publish">,
  running: RunningAttempt,
  stage: CompactionStage,
): void {
  const { attempt, plan, receivedTokens } = running;
  publish("session.compaction_progress", {
    compactionAttemptId: attempt.compactionAttemptId,
    stage,
    summarisedTokens: tokensOf(plan.replaced),
    receivedTokens,
  });
}

/** Counts what arrives and tells it now and then. */
export function tellReceived({ publish, parts }: Session, running: RunningAttempt): (part: StreamPart) => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  return (part) => {
    if (!("delta" in part)) return;
    running.receivedTokens += parts.tokens.countText(part.delta);
    const now = parts.system.clock.monotonic();
    if (now - toldAt < LEAST_MS) return;
    toldAt = now;
    tellStage({ publish }, running, "summarising");
  };
}
