// Compaction in a session: begin an attempt, let it write its summary beside the turn, and apply it or give it up.
import { join } from "node:path";
import { errorText } from "../base/failure.ts";
import { checkpointFile, checkpointFileName, checkpointTitle } from "../context/compact/checkpoint.ts";
import { type AttemptEnd, type CompactionAttempt, completeData, startData } from "../context/compact/events.ts";
import { figuresOf } from "../context/compact/figures.ts";
import { type Applicable, finishAttempt } from "../context/compact/finish.ts";
import { tokensOf } from "../context/compact/items.ts";
import { type CompactionPlan, planAttempt } from "../context/compact/plan.ts";
import { nextState } from "../context/compact/state.ts";
import type { Summarised, Summary } from "../context/compact/summary-input.ts";
import { writeSummary } from "../context/compact/write-summary.ts";
import { afterCompaction } from "../context/truncate/cut.ts";
import { shortenItem } from "../context/truncate/shorten-item.ts";
import type { ModelTarget } from "../model/contract.ts";
import type { CompactionReason, CompactionTrigger } from "../schema/event/context.ts";
import type { EventData } from "../schema/event/envelope.ts";
import { carriedOver } from "./carried-over.ts";
import { tellReceived, tellStage } from "./compaction-progress.ts";
import { countUsage } from "./compaction-usage.ts";
import { warnBuiltIn, warnUnreclaimable } from "./compaction-warning.ts";
import { preCompact } from "./pre-compact.ts";
import type { Session } from "./session.ts";
import { atCutSize, beginEpoch, look, shaping, type WindowView } from "./window.ts";
import type { RunningAttempt } from "./window-state.ts";

export type Begin = {
  trigger: CompactionTrigger;
  mode: "background" | "blocking";
  focus?: string;
  /** Switching: the history must fit this model afterwards. */
  switchTo?: ModelTarget;
  /** Who writes the summary; the session's model unless said. */
  summariser?: ModelTarget;
};

export type Completed = EventData<"session.compaction_complete">;

/** Begins an attempt; undefined when the fixed part is so large that none can help, which is warned about. */
export async function beginCompaction(session: Session, begin: Begin): Promise<RunningAttempt | Completed | undefined> {
  const { parts, live } = session;
  const limit = begin.switchTo?.promptLimit ?? parts.model.promptLimit();
  const view = await look(session, limit);
  const items = atCutSize(view.items, live.window.cut);
  const planned = planAttempt({ items, sizes: view.sizes, settings: parts.context.settings(), trigger: begin.trigger });
  if (planned.type === "unreclaimable") {
    await warnUnreclaimable(session, view);
    return undefined;
  }
  const attempt: CompactionAttempt = {
    compactionAttemptId: parts.system.newId(),
    trigger: begin.trigger,
    model: (begin.summariser ?? parts.model.target()).id,
    mode: begin.mode,
    tokenLimit: parts.model.promptLimit(),
    ...(begin.focus ? { customInstructions: begin.focus } : {}),
    ...(begin.switchTo ? { switchTargetModel: begin.switchTo.id, targetPromptTokenLimit: limit } : {}),
  };
  // Too little to be worth a summary: an automatic attempt is not even begun.
  const automatic = begin.trigger === "threshold" || begin.trigger === "memory_pressure";
  if (planned.type === "nothing_to_compact" && automatic) return undefined;
  const targetTokens = planned.type === "planned" ? planned.plan.targetTokens : planned.targetTokens;
  parts.system.crashPoint("start event");
  await session.emit("session.compaction_start", startData(attempt, targetTokens, items, view.sizes));
  parts.system.crashPoint("hook");
  live.window.compaction = nextState(live.window.compaction, { type: "started", trigger: begin.trigger });
  if (planned.type === "nothing_to_compact") {
    return giveUp(
      session,
      { attempt, limit, targetTokens },
      { outcome: "not_applicable", reason: "nothing_to_compact" },
    );
  }
  const abort = new AbortController();
  const running: RunningAttempt = {
    attempt,
    plan: planned.plan,
    abort,
    done: Promise.resolve(),
    summarised: undefined,
    receivedTokens: 0,
    limit,
  };
  live.window.attempt = running;
  running.done = summarise(session, running, view, begin)
    .catch(async (error: unknown) => {
      await giveUp(session, running, { outcome: "failed", reason: "model_error", error: errorText(error) });
    })
    // The log cannot be written: whoever writes the next event is told, and a resume closes the attempt.
    .catch(() => undefined);
  return running;
}

async function summarise(session: Session, running: RunningAttempt, view: WindowView, begin: Begin): Promise<void> {
  const { parts, state } = session;
  tellStage(session, running, "hooks");
  const hooked = await preCompact(session, running, view, begin);
  if (hooked.type === "blocked") {
    await giveUp(session, running, { outcome: "not_applicable", reason: "blocked_by_hook" });
    return;
  }
  tellStage(session, running, "summarising");
  const target = begin.summariser ?? parts.model.target();
  await parts.tokens.loadCounter();
  const onPart = tellReceived(session, running);
  // What a cut has shortened already is shortened anew from its original, so that markers are never nested.
  const originals = new Map(view.items.map((item) => [item.id, item]));
  const summarised = await writeSummary({
    items: running.plan.replaced,
    budget: running.plan.budget,
    focus: hooked.focus,
    failedBefore: hasFailed(session.live.window.lastCompleted),
    todos: [...state.todos.values()],
    plan: parts.context.planText(),
    system: view.system,
    tools: view.tools,
    fixedTokens: view.sizes.systemTokens + view.sizes.toolDefinitionsTokens,
    target,
    // A summariser with a smaller window than the session's has the last word.
    effectiveLimit: begin.summariser ? begin.summariser.promptLimit : view.sizes.effectiveLimit,
    sessionId: session.id,
    maxChunks: parts.context.settings().maxChunks,
    call: (request, signal) => parts.model.call(target, request, { signal, onPart, idleMs: parts.limits.streamIdleMs }),
    count: (text) => parts.tokens.countText(text),
    shorten: (item, tokens) => shortenItem(originals.get(item.id) ?? item, tokens, shaping(session, view)),
    signal: running.abort.signal,
    clock: parts.system.clock,
    timeoutMs: parts.context.settings().timeoutMs,
  });
  running.summarised = summarised;
  parts.system.crashPoint("model reply");
  await countUsage(session, running.attempt.compactionAttemptId, summarised.used);
  const { end } = summarised;
  if (end.type === "summary") {
    session.live.window.compaction = nextState(session.live.window.compaction, { type: "summarised" });
  } else if (end.type === "failed") {
    const { type: _type, ...failed } = end;
    await giveUp(session, running, { outcome: "failed", ...failed });
  } else await giveUp(session, running, { outcome: "cancelled", reason: end.reason });
}

/** The last attempt got no summary from the model, whatever became of it. */
const hasFailed = (last: Completed | undefined): boolean =>
  last?.outcome === "failed" || last?.builtInBecause !== undefined;

const ofCalls = ({ summarised }: { summarised?: Summarised | undefined }) => ({
  used: summarised?.used,
  requestId: summarised?.requestId,
});

/** Waits for the attempt and applies it to the history as it is now; gives back how it ended. */
export async function applyCompactionAttempt(session: Session): Promise<Completed | undefined> {
  const running = session.live.window.attempt;
  if (!running) return undefined;
  await running.done;
  const end = running.summarised?.end;
  const { window } = session.live;
  if (window.attempt !== running || end?.type !== "summary") return window.lastCompleted;
  // From here on it can no longer be cancelled: whoever wants to must wait for the end.
  window.attempt = undefined;
  const applying = apply(session, running, end);
  window.applying = applying.then(
    () => undefined,
    () => undefined, // the failure is the caller's to see
  );
  try {
    return await applying;
  } finally {
    window.applying = undefined;
  }
}

async function apply(session: Session, running: RunningAttempt, end: Summary): Promise<Completed> {
  const { parts, live } = session;
  tellStage(session, running, "checking");
  const view = await look(session, running.limit);
  const items = atCutSize(view.items, live.window.cut);
  const number = session.state.checkpointCount + 1;
  const finished = await finishAttempt({
    plan: running.plan,
    summary: end.parts,
    isExtract: end.chunks === 0,
    trigger: running.attempt.trigger,
    items,
    sizes: view.sizes,
    settings: parts.context.settings(),
    carried: { ...carriedOver(session), ...(parts.context.writeCheckpoint ? { checkpointNumber: number } : {}) },
    count: (text) => parts.tokens.countText(text),
    countItem: (item) => parts.tokens.countItem(item),
  });
  if (finished.type !== "applied") return giveUp(session, running, { outcome: finished.type, reason: finished.reason });
  return commit(session, running, end, finished, number, view);
}

/** The file first, then the event, which is the commit; what is made from it follows and can be made again. */
async function commit(
  session: Session,
  running: RunningAttempt,
  summary: Summary,
  finished: Applicable,
  number: number,
  view: WindowView,
): Promise<Completed> {
  const { parts, live } = session;
  const { attempt } = running;
  tellStage(session, running, "writing");
  const title = checkpointTitle(summary.parts);
  const name = checkpointFileName(number, title);
  const meta = {
    number,
    title,
    created: parts.system.clock.now(),
    trigger: attempt.trigger,
    model: attempt.model,
    turns: finished.compactedTurns,
    tokensBefore: finished.figures.preCompactionTokens,
    tokensAfter: finished.figures.postCompactionTokens,
    attemptId: attempt.compactionAttemptId,
  };
  parts.system.crashPoint("checkpoint file");
  await parts.context.writeCheckpoint?.(name, checkpointFile(meta, summary.parts));
  parts.system.crashPoint("complete event");
  const checkpoint = parts.context.writeCheckpoint
    ? { checkpointNumber: number, checkpointPath: join(session.dir, "checkpoints", name) }
    : {};
  const end: AttemptEnd = { outcome: "applied", summary, finished, ...checkpoint };
  const data = completeData(attempt, end, { ...finished, basis: view.basis, ...ofCalls(running) });
  await session.emit("session.compaction_complete", data);
  if (summary.insteadOf) await warnBuiltIn(session, summary.insteadOf);
  live.window.attempt = undefined;
  live.window.cut = live.window.cut && afterCompaction(live.window.cut);
  live.window.lastCompleted = data;
  live.window.compaction = nextState(live.window.compaction, { type: "ended", outcome: "applied", historyTokens: 0 });
  beginEpoch(session, "compaction");
  await parts.context.updateIndex();
  return data;
}

async function giveUp(
  session: Session,
  running: Pick<RunningAttempt, "attempt" | "limit"> & {
    plan?: CompactionPlan;
    summarised?: Summarised | undefined;
    targetTokens?: number;
  },
  end: Exclude<AttemptEnd, { outcome: "applied" }>,
): Promise<Completed> {
  const { live } = session;
  const view = await look(session, running.limit);
  const items = atCutSize(view.items, live.window.cut);
  const data = completeData(running.attempt, end, {
    figures: figuresOf(items, items, view.sizes),
    targetTokens: running.plan?.targetTokens ?? running.targetTokens ?? 0,
    basis: view.basis,
    ...ofCalls(running),
  });
  live.window.attempt = undefined;
  live.window.lastCompleted = data;
  const reason = end.outcome === "failed" ? undefined : end.reason;
  live.window.compaction = nextState(live.window.compaction, {
    type: "ended",
    outcome: end.outcome,
    reason,
    historyTokens: tokensOf(items),
  });
  await session.emit("session.compaction_complete", data);
  return data;
}

/** Ends a running attempt or throws its result away; resolves when its event is written. */
export async function cancelCompaction(session: Session, reason: CompactionReason): Promise<boolean> {
  const { window } = session.live;
  await window.applying;
  const running = window.attempt;
  if (!running) return false;
  running.abort.abort(reason);
  await running.done;
  if (window.attempt === running) {
    window.attempt = undefined;
    await giveUp(session, running, { outcome: "cancelled", reason });
  }
  return true;
}
