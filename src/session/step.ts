// One step's model call: prepare the request, stream the answer, and try again smaller when it was refused for its size.
import type { Failure } from "../base/failure.ts";
import { optional } from "../base/optional.ts";
import { afterRefusal } from "../context/truncate/limit.ts";
import type { ContextLimit, ModelRequest, StreamPart } from "../model/contract.ts";
import { outputFor } from "../model/limits.ts";
import { callWithRetry } from "../model/retry.ts";
import { type PreparedCall, prepareRequest } from "./prepare.ts";
import { type CallEnd, recordOutcome } from "./record-outcome.ts";
import { runManual, type Session } from "./session.ts";
import { nextPhase } from "./turn-phase.ts";
import { beginEpoch } from "./window.ts";

export type StepEnd = CallEnd | { type: "cannot_fit"; failure: Failure };

/** `initiator`: whose words the next request is the first to carry. */
export type Turn = { turnId: string; signal: AbortSignal; initiator: "user" | "agent" };

type Ready = Extract<PreparedCall, { type: "ready" }>;

/** A turn survives at most so many refusals. */
const MOST_REFUSALS = 5;
/** A request below this share of the limit that is refused is not too long for the model. */
const SHORT = 0.5;

export async function runStep(session: Session, turn: Turn, step: number): Promise<StepEnd> {
  const { live } = session;
  announceTools(session);
  let refused: (CallEnd & { type: "context_limit"; tokens: number }) | undefined;
  for (;;) {
    await runManual(session);
    const prepared = await prepareRequest(session, turn.signal, mustCompact(session));
    if (prepared.type === "cannot_fit") return refused ?? prepared;
    if (turn.signal.aborted) return { type: "aborted" };
    // Never sent again unless it is smaller, or was so short that the refusal may pass: then once.
    if (refused && prepared.currentTokens >= refused.tokens && !live.window.refused?.isShort) return refused;
    const end = await call(session, turn, step, prepared);
    if (end.type !== "context_limit" || !(await makeSmaller(session, end, prepared.currentTokens))) return end;
    refused = { ...end, tokens: prepared.currentTokens };
  }
}

async function call(session: Session, turn: Turn, step: number, prepared: Ready): Promise<CallEnd> {
  const { parts, live, state } = session;
  const target = parts.model.target();
  const { system, tools, items, currentTokens, rawTokens } = prepared;
  const request: ModelRequest = {
    system,
    tools,
    items,
    toolChoice: "auto",
    initiator: turn.initiator,
    interaction: parts.model.interaction ?? (turn.initiator === "user" ? "conversation-user" : "conversation-agent"),
    sessionId: session.id,
    ...(parts.context.settings().providerCompaction ? { providerCompaction: true } : {}),
    ...optional("maxOutputTokens", outputFor(target, currentTokens)),
    ...optional("reasoningEffort", parts.model.reasoningEffort()),
    ...optional("directive", state.directive),
    ...optional("agentRole", parts.model.role?.()),
    autopilot: state.mode === "autopilot",
  };
  let messageId = startMessage(session);
  live.turn.phase = nextPhase(live.turn.phase, { type: "call", step });
  const startedAt = parts.system.clock.monotonic();
  const outcome = await callWithRetry(parts.model.call, target, request, {
    signal: turn.signal,
    idleMs: parts.limits.streamIdleMs,
    estimatedTokens: currentTokens,
    policy: parts.model.retry,
    clock: parts.system.clock,
    random: parts.system.random,
    onPart: (part: StreamPart) => showPart(session, messageId, part),
    onFailure: (f) => {
      session.publish("model.call_failure", { model: target.id, messageId, ...f });
      if (!f.willRetry) return;
      live.turn.phase = nextPhase(live.turn.phase, { type: "retry", attempt: f.attempt, delayMs: f.delayMs ?? 0 });
      messageId = startMessage(session);
    },
  });
  const durationMs = Math.round(parts.system.clock.monotonic() - startedAt);
  return recordOutcome(session, {
    turnId: turn.turnId,
    step,
    messageId,
    model: target.id,
    durationMs,
    outcome,
    rawTokens,
    request,
  });
}

/** At most one compaction of a turn is forced by a refusal; further ones truncate harder. */
function mustCompact(session: Session): boolean {
  const { refused } = session.live.window;
  if (!refused || refused.compacted) return false;
  refused.compacted = true;
  return true;
}

/** After a refusal for size: the limit is learned or the buffer grows. False when trying again cannot help. */
async function makeSmaller(
  session: Session,
  refusal: ContextLimit & { message: string; statusCode?: number },
  tokens: number,
): Promise<boolean> {
  const { parts, live } = session;
  const { window } = live;
  const times = (window.refused?.times ?? 0) + 1;
  const canShrink =
    parts.context.settings().truncation === "on" ||
    (parts.context.settings().mode === "on" && !window.refused?.compacted);
  const willRetry = times <= MOST_REFUSALS && canShrink;
  session.publish("model.call_failure", {
    model: parts.model.target().id,
    attempt: times,
    code: "context_limit",
    message: refusal.message,
    willRetry,
    ...optional("statusCode", refusal.statusCode),
  });
  const limit = afterRefusal({ tokens: parts.model.promptLimit(), retryBuffer: window.retryBuffer }, refusal);
  const isShort = times === 1 && tokens <= SHORT * limit.tokens;
  window.refused = { tokens, times, compacted: window.refused?.compacted ?? false, isShort };
  if (!willRetry) return false;
  window.retryBuffer = limit.retryBuffer;
  if (limit.learned)
    await session.emit("session.model_limit", {
      model: parts.model.target().id,
      limit: limit.tokens,
      source: "provider",
    });
  const message = `The provider refused the request as too large. Looking for what can be left out (retry ${times} of ${MOST_REFUSALS}).`;
  await session.emit("session.info", { infoType: "context_limit_retry", message });
  return true;
}

function startMessage(session: Session): string {
  const messageId = session.parts.system.newId();
  session.publish("assistant.message_start", { messageId });
  return messageId;
}

function showPart(session: Session, messageId: string, part: StreamPart): void {
  if (part.type === "text") session.publish("assistant.message_delta", { messageId, deltaContent: part.delta });
  if (part.type === "reasoning") session.publish("assistant.reasoning_delta", { messageId, deltaContent: part.delta });
}

function announceTools(session: Session): void {
  const { live, parts } = session;
  const names = parts.tools.offered().tools.map((t) => t.name);
  if (names.join(" ") === live.window.offeredNames) return;
  if (live.window.offeredNames !== "") beginEpoch(session, "tools_changed");
  live.window.offeredNames = names.join(" ");
  session.publish("session.tools_updated", { tools: names });
}
