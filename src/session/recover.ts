// After a crash: calls left open get their one result, the open turn its end. Nothing is run again.

import { failure } from "../tool/contract.ts";
import type { Session } from "./session.ts";
import { finish } from "./tool-call.ts";

export async function closeInterrupted(session: Session): Promise<void> {
  for (const open of [...session.state.openCalls]) {
    const message = open.started
      ? "Interrupted: the program ended while this call ran. It may have run, in part or whole; look before you repeat it."
      : "Interrupted: the program ended before this call started. It was not run.";
    const call = { toolCallId: open.toolCallId, name: open.name, arguments: {} };
    await finish(session, call, failure("interrupted", message), 0, "interrupted");
  }
  await closeCompaction(session);
  const turnId = session.state.openTurn;
  if (turnId === undefined) return;
  await session.emit("turn.end", {
    turnId,
    status: "aborted",
    reason: "the program ended during this turn",
    steps: 0,
    durationMs: 0,
  });
}

/** A compaction that was begun and never ended: the history is as it was. */
async function closeCompaction(session: Session): Promise<void> {
  const open = session.state.openCompaction;
  if (!open) return;
  const { mode: _mode, currentTokens, messagesLength, ...known } = open;
  await session.emit("session.compaction_complete", {
    ...known,
    success: false,
    outcome: "failed",
    failureReason: "interrupted",
    preCompactionTokens: currentTokens,
    postCompactionTokens: currentTokens,
    preCompactionMessagesLength: messagesLength,
    postCompactionMessagesLength: messagesLength,
    messagesRemoved: 0,
    tokensRemoved: 0,
    tokenAccountingBasis: "estimated",
  });
}
