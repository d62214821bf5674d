// What the calls of a compaction cost, in the totals of its session.
import type { CompactionTokensUsed } from "../schema/event/context.ts";
import type { Session } from "./session.ts";

/** Its calls count in the session's totals. */
export async function countUsage(
  session: Session,
  attemptId: string,
  used: CompactionTokensUsed | undefined,
): Promise<void> {
  if (!used || used.requestCount === 0 || used.inputTokens + used.outputTokens === 0) return;
  const { duration, requestCount: _n, model, ...tokens } = used;
  await session.emit("assistant.usage", {
    ...tokens,
    reasoningTokens: 0,
    model,
    turnId: session.state.openTurn ?? attemptId,
    step: 0,
    interaction: "conversation-compaction",
    durationMs: duration,
    ttftMs: duration,
  });
}
