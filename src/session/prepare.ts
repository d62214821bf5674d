// A request made ready: huge items bounded, compaction decided, truncated to fit, and the figures told.

import { within } from "../base/abort.ts";
import type { Failure } from "../base/failure.ts";
import { type CompactionDecision, decideCompaction, enoughMessages } from "../context/compact/decide.ts";
import { tokensOf } from "../context/compact/items.ts";
import { nextState } from "../context/compact/state.ts";
import { effectiveLimit } from "../context/truncate/limit.ts";
import { boundHuge } from "../context/truncate/shorten-pass.ts";
import { type Truncated, truncate } from "../context/truncate/truncate.ts";
import { cannotFit } from "../context/usage/unreclaimable.ts";
import { type UsageInfo, type UsageInput, usageInfo } from "../context/usage/usage-info.ts";
import type { ContextItem } from "../schema/context-item.ts";
import type { Message } from "../schema/message.ts";
import type { ToolDefinition } from "../schema/tool.ts";
import { applyCompactionAttempt, beginCompaction, cancelCompaction } from "./compaction.ts";
import { warnUnreclaimable } from "./compaction-warning.ts";
import type { Session } from "./session.ts";
import { atCutSize, beginEpoch, look, shaping, type WindowView } from "./window.ts";

export type PreparedCall =
  | {
      type: "ready";
      system: string;
      tools: readonly ToolDefinition[];
      items: readonly ContextItem<Message>[];
      /** The size of what is sent, before calibration. */
      rawTokens: number;
      currentTokens: number;
    }
  | { type: "cannot_fit"; failure: Failure };

/** `forced`: the request before this one was refused as too large. */
export async function prepareRequest(session: Session, signal: AbortSignal, forced: boolean): Promise<PreparedCall> {
  const { live } = session;
  const asItIs = forced ? undefined : await prepareUntouched(session);
  if (asItIs) return asItIs;
  let view = await look(session);
  const huge = await boundHuge(shaping(session, view));
  if (huge.cut !== live.window.cut) await useCut(session, huge.cut);
  const swapped = await compactIfNeeded(session, view, signal, forced);
  if (swapped) view = await look(session);
  const shaped = await truncate(shaping(session, view), swapped ? undefined : huge);
  if (shaped.type === "cannot_fit") {
    if (!live.window.refused) await warnUnreclaimable(session, view);
    return { type: "cannot_fit", failure: cannotFit({ ...shaped, contributors: session.parts.prompt.contributors() }) };
  }
  if (shaped.newCut) await useCut(session, shaped.cut);
  const usage = tell(session, view, shaped);
  const share = view.rawTokens / Math.max(1, usage.untruncatedTokens);
  return {
    type: "ready",
    system: view.system,
    tools: view.tools,
    items: shaped.items,
    rawTokens: Math.round(usage.currentTokens * share),
    currentTokens: usage.currentTokens,
  };
}

/**
 * Most requests: the history is whole, nothing is cut or under way, and it is far from every mark. Then it goes out as it
 * stands, and what that costs follows the new messages only.
 */
async function prepareUntouched(session: Session): Promise<PreparedCall | undefined> {
  const { parts, live, state } = session;
  const { window } = live;
  const { background, exhaustion } = parts.context.settings();
  const isQuiet = window.cut === undefined && window.refused === undefined && window.compaction.type === "idle";
  if (!isQuiet || window.warnedAt !== undefined || state.openCalls.length > 0 || parts.context.isOverMemory())
    return undefined;
  const system = state.systemText ?? "";
  const tools = parts.tools.offered().definitions;
  const limit = parts.model.promptLimit();
  const totals = await parts.tokens.totals({ system, tools, items: state.items, limit });
  if (!totals) return undefined;
  const { rawTokens, basis, systemTokens, toolDefinitionsTokens, conversationTokens } = totals;
  const currentTokens = systemTokens + toolDefinitionsTokens + conversationTokens;
  const e = effectiveLimit({ tokens: limit, retryBuffer: window.retryBuffer });
  if (currentTokens >= Math.min(1, background, exhaustion) * e) return undefined;
  const sizes = { systemTokens, toolDefinitionsTokens, reserve: 0, effectiveLimit: e };
  tell(
    session,
    { sizes, basis },
    {
      conversationTokens,
      messagesLength: state.items.length,
      untruncatedTokens: conversationTokens,
      shortenedItems: 0,
      repairedItems: 0,
    },
  );
  return { type: "ready", system, tools, items: state.items, rawTokens, currentTokens };
}

/** What is left out from now on can be found before the request goes out. */
async function useCut(session: Session, cut: Session["live"]["window"]["cut"]): Promise<void> {
  session.live.window.cut = cut;
  beginEpoch(session, "cut");
  if (session.parts.context.settings().recallOn) await session.parts.context.updateIndex();
}

/** True when the history was swapped. */
async function compactIfNeeded(
  session: Session,
  view: WindowView,
  signal: AbortSignal,
  forced: boolean,
): Promise<boolean> {
  const { window } = session.live;
  const settings = session.parts.context.settings();
  const items = atCutSize(view.items, window.cut);
  const { sizes } = view;
  const historyTokens = tokensOf(items);
  const u = (sizes.systemTokens + sizes.toolDefinitionsTokens + sizes.reserve + historyTokens) / sizes.effectiveLimit;
  window.compaction = nextState(window.compaction, { type: "measured", historyTokens });
  const enough = () =>
    enoughMessages({
      items,
      marker: session.state.marker,
      minMessages: settings.minMessages,
      u,
      exhaustion: settings.exhaustion,
      effectiveLimit: sizes.effectiveLimit,
    });
  const { mode, background, exhaustion } = settings;
  const decision = decideCompaction(window.compaction, { mode, u, background, exhaustion, forced, enough });
  if (
    decision === "send" &&
    mode === "on" &&
    window.compaction.type === "idle" &&
    enough() &&
    session.parts.context.underPressure()
  ) {
    await relieve(session);
    return false;
  }
  return carryOut(session, decision, signal, forced);
}

/** Memory runs short: the history is summarised beside the work, and what is compacted may leave memory. */
async function relieve(session: Session): Promise<void> {
  const message = "This process uses a lot of memory; compacting the history to free some.";
  await session.emit("session.warning", { warningType: "memory_pressure", message });
  await beginCompaction(session, { trigger: "memory_pressure", mode: "background" });
}

async function carryOut(
  session: Session,
  decision: CompactionDecision,
  signal: AbortSignal,
  forced: boolean,
): Promise<boolean> {
  const trigger = forced ? "context_limit_retry" : "threshold";
  switch (decision) {
    case "send":
      return false;
    case "discard":
      await cancelCompaction(session, "turned_off");
      return false;
    case "start":
      await beginCompaction(session, { trigger, mode: "background" });
      return false;
    case "start_and_wait": {
      const begun = await beginCompaction(session, { trigger, mode: "blocking" });
      return begun !== undefined && "done" in begun && waitAndApply(session, signal);
    }
    case "wait":
      return waitAndApply(session, signal);
    case "apply":
      return (await applyCompactionAttempt(session))?.outcome === "applied";
  }
}

/** The turn's own abort ends the wait; a person's interrupt during it ends the compaction only. */
async function waitAndApply(session: Session, signal: AbortSignal): Promise<boolean> {
  const { window } = session.live;
  const running = window.attempt;
  if (!running) return false;
  window.blocking = true;
  try {
    const waited = await within(running.done, Number.POSITIVE_INFINITY, signal);
    if (waited.type === "aborted") {
      await cancelCompaction(session, "user");
      return false;
    }
    return (await applyCompactionAttempt(session))?.outcome === "applied";
  } finally {
    window.blocking = false;
  }
}

type Fits = UsageInput["sent"] & Partial<Pick<Extract<Truncated<Message>, { type: "fits" }>, "report">>;
type Sized = Pick<WindowView, "sizes" | "basis">;

function tell(session: Session, view: Sized, shaped: Fits): UsageInfo {
  if (shaped.report) session.publish("session.truncation", shaped.report);
  const usage = usageOf(session, view, shaped);
  session.publish("session.usage_info", usage);
  session.live.window.usageShown = true;
  session.live.window.currentTokens = usage.currentTokens;
  return usage;
}

export function usageOf(session: Session, view: Sized, shaped: Fits): UsageInfo {
  const { parts, live } = session;
  const { mode, background } = parts.context.settings();
  return usageInfo({
    tokenLimit: parts.model.promptLimit(),
    effectiveLimit: view.sizes.effectiveLimit,
    systemTokens: view.sizes.systemTokens,
    toolDefinitionsTokens: view.sizes.toolDefinitionsTokens,
    memoryTokens: memoryShares(session, view).reduce((sum, { tokens }) => sum + tokens, 0),
    isInitial: !live.window.usageShown,
    tokenAccountingBasis: view.basis,
    model: parts.model.target().id,
    epoch: live.window.epoch,
    sent: shaped,
    background: mode === "on" ? background : undefined,
    cachedTokens: live.window.cachedTokens,
  });
}

/** What is remembered, out of the system text; in proportion, so that it never is more than that. */
export function memoryShares({ parts, state }: Session, { sizes }: Sized): { source: string; tokens: number }[] {
  const system = state.systemText ?? "";
  return parts.prompt
    .memoryTexts()
    .filter(({ text }) => text !== "" && system.includes(text.trim()))
    .map(({ source, text }) => ({
      source,
      tokens: Math.round((sizes.systemTokens * text.length) / Math.max(text.length, system.length)),
    }));
}

/** Called after something else than a request changed the history. */
export async function tellUsage(session: Session): Promise<void> {
  const view = await look(session);
  const shaped = await truncate(shaping(session, view));
  if (shaped.type === "fits") tell(session, view, shaped);
}
