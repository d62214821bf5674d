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
