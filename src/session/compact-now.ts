// Compaction that somebody waits for: by hand, before a switch of models, under memory pressure, at the end of a run.
import { within } from "../base/abort.ts";
import type { Failure } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { guardManual } from "../context/compact/guard.ts";
import { applyCompactionAttempt, type Begin, beginCompaction, type Completed, cancelCompaction } from "./compaction.ts";
import { tellUsage } from "./prepare.ts";
import { exclusively } from "./run.ts";
import type { Session } from "./session.ts";
import { refreshSystemPrompt } from "./turn.ts";

const FOCUS_CHARS = 4000;

/** Begins, waits and applies; undefined when the fixed part leaves nothing to win. */
export async function compactNow(session: Session, begin: Omit<Begin, "mode">): Promise<Completed | undefined> {
  const { window } = session.live;
  const begun = await beginCompaction(session, { ...begin, mode: "blocking" });
  if (!begun || !("done" in begun)) return begun;
  window.blocking = true;
  try {
    return await applyCompactionAttempt(session);
  } finally {
    window.blocking = false;
  }
}

/** /compact: refused with its own words, or run at the next place where nothing else talks to the model. */
export async function compactManually(session: Session, focus: string): Promise<Result<Completed, Failure>> {
  await refreshSystemPrompt(session);
  const refused = guard(session);
  if (refused) return fail(refused);
  const work = async (): Promise<Result<Completed, Failure>> => {
    const late = guard(session);
    if (late) return fail(late);
    await cancelCompaction(session, "superseded");
    const outcome = await compactNow(session, { trigger: "manual", ...(await focusOf(session, focus)) });
    await tellUsage(session);
    return outcome?.outcome === "applied" ? ok(outcome) : fail(whyNot(outcome));
  };
  return exclusively(session, work);
}

function guard(session: Session): Failure | undefined {
  const { window } = session.live;
  return guardManual({
    mode: session.parts.context.settings().mode,
    manualRunning: window.attempt?.attempt.trigger === "manual",
    hasContext: session.state.systemText !== undefined,
    hasModel: true,
    items: session.state.items,
  });
}

async function focusOf(session: Session, focus: string): Promise<{ focus?: string }> {
  if (focus.length > FOCUS_CHARS) {
    const message = `The focus text was cut to its first ${FOCUS_CHARS} characters.`;
    await session.emit("session.warning", { warningType: "focus_clipped", message });
  }
  return focus === "" ? {} : { focus: focus.slice(0, FOCUS_CHARS) };
}

function whyNot(attempt: Completed | undefined): Failure {
  const code = attempt?.outcomeReason ?? attempt?.failureReason ?? "context_unreclaimable";
  const words: Record<string, string> = {
    user: "The compaction was cancelled.",
    no_progress: "The summary would not have made the history smaller.",
    no_room: "No room for a summary next to what must stay.",
    nothing_to_compact: "Nothing to compact.",
    blocked_by_hook: "A hook blocked the compaction.",
    history_changed: "The history changed while it was being summarised.",
    context_unreclaimable: "System prompt and tools take so much of the window that compaction cannot help.",
  };
  return {
    code,
    what: words[code] ?? `The compaction failed (${code})${attempt?.error ? `: ${attempt.error}` : "."}`,
    data: "The conversation is unchanged.",
    next: "Continue, or try again later.",
    exit: 1,
  };
}

/** At the end of a run: a summary that is nearly there is waited for, within the limit and the signal; else it is cancelled. */
export async function settleCompaction(session: Session, waitMs: number, signal: AbortSignal): Promise<void> {
  const running = session.live.window.attempt;
  if (!running) return;
  const ended = await within(running.done, waitMs, signal);
  if (ended.type !== "value" || session.live.window.attempt !== running) await cancelCompaction(session, "shutdown");
  else if ((await applyCompactionAttempt(session))?.outcome === "applied") await tellUsage(session);
}

export function describeCompaction(compaction: Completed, title: string): string {
  const share = (tokens: number): string => `${((tokens / compaction.tokenLimit) * 100).toFixed(0)} %`;
  const messages = `${compaction.messagesRemoved} message${compaction.messagesRemoved === 1 ? "" : "s"}`;
  const removed =
    compaction.tokensRemoved === 0
      ? `${messages} removed, no tokens saved`
      : `${messages} and ${compaction.tokensRemoved} tokens removed`;
  return `Compacted: ${share(compaction.preCompactionTokens)} → ${share(compaction.postCompactionTokens)} of ${compaction.tokenLimit} tokens, ${removed}; checkpoint ${compaction.checkpointNumber}: ${title}`;
}
