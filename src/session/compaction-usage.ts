// What the calls of a compaction cost, in the totals of its session.
import type { RunningAttempt } from "./compaction.ts";
import type { Session } from "./session.ts";

/** Its calls count in the session's totals. */
export async function countUsage(
  session: Session,
  { attempt, summarised }: Pick<RunningAttempt, "attempt" | "summarised">,
): Promise<void> {
  const used = summarised?.used;
  if (!used || used.requestCount === 0 || used.inputTokens + used.outputTokens === 0) return;
  const { duration, requestCount: _n, model, ...tokens } = used;
  await session.emit("assistant.usage", {
    ...tokens,
    reasoningTokens: 0,
    model,
    turnId: session.state.openTurn ?? attempt.compactionAttemptId,
    step: 0,
    interaction: "conversation-compaction",
    durationMs: duration,
    ttftMs: duration,
  });
}
