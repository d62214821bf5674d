// Taking back the latest compaction: the full items return, with everything newer, if they fit the window.
import type { Failure } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { effectiveLimit } from "../context/truncate/limit.ts";
import { cancelCompaction } from "./compaction.ts";
import { tellUsage } from "./prepare.ts";
import { itemsWithout } from "./replay.ts";
import { exclusively } from "./run.ts";
import type { Session } from "./session.ts";
import { beginEpoch } from "./window.ts";

const refused = (code: string, what: string, next: string): { ok: false; error: Failure } =>
  fail({ code, what, data: "The conversation is unchanged.", next, exit: 1 });

/** One compaction at a time; it may be repeated. */
export function undoCompaction(session: Session): Promise<Result<string, Failure>> {
  return exclusively(session, () => undo(session), "turn");
}

async function undo(session: Session): Promise<Result<string, Failure>> {
  const { parts, state, live } = session;
  const last = state.checkpoints.findLast((c) => !c.undone);
  if (!last) return refused("nothing_to_undo", "No compaction to undo.", "Just continue the conversation.");
  const { compactionAttemptId, checkpointNumber } = last.data;
  const items = itemsWithout(state, compactionAttemptId);
  const limit = parts.model.promptLimit();
  const request = { system: state.systemText ?? "", tools: parts.tools.offered().definitions, limit };
  const [before, after] = [
    await parts.tokens.measure({ ...request, items: state.items }),
    await parts.tokens.measure({ ...request, items }),
  ];
  const total = after.systemTokens + after.toolDefinitionsTokens + after.conversationTokens;
  const room = Math.floor(
    Math.min(1, parts.context.settings().exhaustion) *
      effectiveLimit({ tokens: limit, retryBuffer: live.window.retryBuffer }),
  );
  if (total > room) {
    const what = `The full history has ${total} tokens, and ${room} fit the window.`;
    return refused("does_not_fit", what, "Switch to a model with a larger window, or recall single turns.");
  }
  await cancelCompaction(session, "history_changed");
  const messagesRestored = Math.max(0, items.length - state.items.length);
  const tokensRestored = Math.max(0, after.conversationTokens - before.conversationTokens);
  await session.emit("session.compaction_undone", {
    compactionAttemptId,
    messagesRestored,
    tokensRestored,
    ...(checkpointNumber === undefined ? {} : { checkpointNumber }),
  });
  live.window.cut = undefined;
  // The next automatic one waits until the history has grown.
  live.window.compaction = { type: "cooling", misses: 0, historyTokens: after.conversationTokens };
  beginEpoch(session, "undo");
  await parts.context.updateIndex();
  await tellUsage(session);
  return ok(
    `The compaction of checkpoint ${checkpointNumber ?? "none"} was undone: ${messagesRestored} messages and ${tokensRestored} tokens are back.`,
  );
}
