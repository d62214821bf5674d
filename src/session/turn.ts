// One turn: a message, then steps of model call and tools until the model asks for nothing more.

import { isLoopback } from "../base/address.ts";
import { optional } from "../base/optional.ts";
import { notification } from "../context/fragment/fragment.ts";
import type { MessageSource } from "../schema/event/conversation.ts";
import type { Envelope, EventData } from "../schema/event/envelope.ts";
import type { CallFailureCode } from "../schema/model.ts";
import { promptHook, tellError } from "./hooks.ts";
import { isPromptSource } from "./ref.ts";
import type { Session } from "./session.ts";
import { runStep, type StepEnd, type Turn } from "./step.ts";
import { finish, notRun, REPEAT_LIMIT } from "./tool-call.ts";
import { runToolStep } from "./tool-step.ts";
import type { MessageInput, TurnEnd, TurnInput } from "./turn-input.ts";
import { nextPhase } from "./turn-phase.ts";
import { beginEpoch } from "./window.ts";

export async function runTurn(session: Session, input: TurnInput): Promise<TurnEnd> {
  const { parts, live } = session;
  const abort = new AbortController();
  live.turn.abort = abort;
  live.turn.repeated = { key: "", count: 0 };
  live.window.refused = undefined;
  const startedAt = parts.system.clock.monotonic();
  const turn: Turn = {
    turnId: parts.system.newId(),
    signal: AbortSignal.any([abort.signal, session.signal]),
    initiator: input.source === "user" || input.source === "command" ? "user" : "agent",
  };
  live.turn.phase = nextPhase(live.turn.phase, { type: "call", step: 1 });
  let steps = 0;
  let end: TurnEnd;
  try {
    await refreshSystemPrompt(session);
    await session.emit("turn.start", { turnId: turn.turnId, cause: input.source });
    if ("content" in input) await enter(session, turn, input);
    for (;;) {
      const stop =
        parts.lifecycle.cap?.() ??
        (steps >= parts.limits.maxSteps ? { message: `${steps} steps (turn.maxSteps)` } : undefined);
      if (stop) {
        end = limit(stop.message);
        break;
      }
      const steered = await enterWaiting(session, turn, input.source);
      const initiator = steered ? "user" : steps === 0 ? turn.initiator : "agent";
      const outcome = await runStep(session, { ...turn, initiator }, ++steps);
      const next = await afterStep(session, turn, outcome);
      if (next) {
        end = next;
        break;
      }
    }
    if (end.status === "aborted") await closeAborted(session, turn.turnId, turn.signal);
    await session.emit("turn.end", {
      turnId: turn.turnId,
      ...end,
      steps,
      durationMs: Math.round(parts.system.clock.monotonic() - startedAt),
    });
  } finally {
    live.turn.abort = undefined;
    live.turn.phase = nextPhase(live.turn.phase, { type: "ended" });
  }
  live.turn.last = end;
  return end;
}

function refusedForSize(session: Session, detail: string): EventData<"session.error"> {
  const { window } = session.live;
  const { currentTokens } = window;
  const limit = session.parts.model.promptLimit();
  const times = window.refused?.times ?? 1;
  const often = times === 1 ? "" : `, ${times} times`;
  const advice =
    currentTokens <= limit / 2
      ? "That is far below the model's window, so the limit is somewhere else: ask the provider or the proxy in between, or try again later."
      : "Use a model with a larger window, or start a new session.";
  return {
    errorType: "context_limit",
    code: "context_limit",
    message: `The provider refused the request as too large${often}: ${detail}`,
    hint: `The conversation is saved. The last request had ${currentTokens} tokens, the model's limit is ${limit}. ${advice}`,
  };
}

/** What to do about a call that failed, and the code that people look up. */
function afterFailure({ id, parts }: Session, code: CallFailureCode): { code: string; hint: string } {
  const resume = `everlong --resume ${id.slice(0, 8)}`;
  if (code === "unauthorized")
    return { code: "provider_auth", hint: `Your prompt and session are saved. Set a valid key, then: ${resume}` };
  if (code === "network" || code === "unknown_host") {
    const { provider, baseUrl = "" } = parts.model.target();
    const start = provider === "ollama" ? "Start Ollama" : isLoopback(baseUrl) ? "Start the server" : "Try again later";
    const hint = `Your session is saved. ${start} or pick another model with /model.`;
    return { code: "provider_unreachable", hint };
  }
  return { code, hint: "The conversation is saved. Send any message to try again, or resume the session later." };
}

/** Undefined when the turn goes on. */
async function afterStep(session: Session, turn: Turn, outcome: StepEnd): Promise<TurnEnd | undefined> {
  switch (outcome.type) {
    case "aborted":
      return { status: "aborted" };
    case "context_limit":
      await tellError(session, refusedForSize(session, outcome.message));
      return { status: "failed", reason: "context_limit" };
    case "cannot_fit": {
      const { code, what, data, next } = outcome.failure;
      const hint = [data, next].filter(Boolean).join(" ");
      await tellError(session, { errorType: code, code, message: what, ...(hint ? { hint } : {}) });
      return { status: "failed", reason: what };
    }
    case "failed":
      await tellError(session, {
        errorType: outcome.code,
        message: outcome.message,
        ...afterFailure(session, outcome.code),
        ...(outcome.statusCode === undefined ? {} : { statusCode: outcome.statusCode }),
      });
      return { status: "failed", reason: outcome.message, code: outcome.code };
    case "answered": {
      const { toolRequests, finishReason, content, providerCompactions } = outcome.answer;
      await warnAboutFinish(session, finishReason);
      if (toolRequests.length === 0) {
        if (turn.signal.aborted) return { status: "aborted" };
        // The provider only made room: it answers when it is asked again.
        if (content === "" && providerCompactions) return undefined;
        return session.state.queue.some((m) => m.delivery === "steer") ? undefined : { status: "done" };
      }
      await runToolStep(session, turn.turnId, toolRequests, turn.signal);
      if (turn.signal.aborted) return { status: "aborted" };
      if (session.live.turn.repeated.count >= REPEAT_LIMIT)
        return { ...limit(`the same call failing ${REPEAT_LIMIT} times in a row`), code: "repeated_failure" };
      return isComplete(session) ? { status: "done" } : undefined;
    }
  }
}

/** The model has declared the task complete with its last calls: there is nothing to ask it any more. */
function isComplete({ state }: Session): boolean {
  const last = state.chain.findLast(
    (e) => e.agentId === undefined && (e.type === "assistant.message" || e.type === "session.task_complete"),
  );
  return last?.type === "session.task_complete";
}

const limit = (what: string): TurnEnd => ({
  status: "limit",
  reason: `Stopped at ${what}. Send any message to continue.`,
});

async function warnAboutFinish(session: Session, finishReason: string): Promise<void> {
  if (finishReason === "length") {
    const message = "The answer stopped at the model's output limit; what had arrived is kept.";
    await session.emit("session.warning", { warningType: "output_limit", message });
  }
  if (finishReason === "content_filter") {
    const message = "The provider's content filter stopped the answer; what had arrived is kept.";
    await session.emit("session.warning", { warningType: "content_filter", message });
  }
}

/** Notifications first, then the messages that steer: both become part of history when they enter. True when any steers. */
async function enterWaiting(session: Session, turn: Turn, cause: MessageSource): Promise<boolean> {
  const notices = [...session.live.loop.notices.splice(0), ...session.parts.lifecycle.news(cause)];
  // All at once: what is told is how things stood when it was put into words.
  await Promise.all(
    notices.map(({ kind, content, agentIds, data, maxTokens, isBlock }) =>
      session.emit("system.notification", {
        ...data,
        kind,
        content: notification(content, maxTokens, isBlock),
        ...(agentIds ? { agentIds } : {}),
      }),
    ),
  );
  for (const { kind, content } of notices) await session.parts.hook("notification", { kind, content }, turn.signal);
  const steers = session.state.queue.filter((m) => m.delivery === "steer");
  for (const { delivery: _, ...m } of steers) {
    const prompt = await promptHook(session, { ...m, source: m.source ?? "user" });
    if (prompt.type === "go") await enter(session, turn, prompt.input);
  }
  if (steers.length > 0) session.publish("pending_messages.modified", { count: session.state.queue.length });
  return steers.length > 0;
}

async function enter(
  session: Session,
  { turnId, signal }: Pick<Turn, "turnId" | "signal">,
  input: MessageInput,
): Promise<Envelope<"user.message">> {
  const start = performance.now();
  const recalled = isPromptSource(input.source) ? await session.parts.lifecycle.recalled?.(input, signal) : undefined;
  return session.emit("user.message", {
    ...input,
    ...optional("recalled", recalled),
    ...(recalled === undefined ? {} : { recalledMs: Math.round(performance.now() - start) }),
    turnId,
    ...(isPromptSource(input.source) ? { ref: `t${session.state.promptCount + 1}` } : {}),
    mode: session.state.mode,
  });
}

/** The system text is written anew only when it differs: at start, at resume, after a change of mode, tools or instructions. */
export async function refreshSystemPrompt(session: Session): Promise<void> {
  // Also before a summary or a report that no turn precedes: they show what the next request will hold.
  if (session.state.openTurn === undefined) await session.parts.lifecycle.beforeTurn();
  const { text, warnings } = session.parts.prompt.system();
  const before = session.state.systemText;
  if (text === before) return;
  for (const w of warnings) await session.emit("session.warning", { warningType: w.type, message: w.message });
  if (before !== undefined) beginEpoch(session, "system_changed");
  await session.emit("system.message", { content: text, reason: before === undefined ? "start" : "changed" });
}

/** Gives every open call its result and records the abort. Messages that were handed back go; later ones stay. */
async function closeAborted(session: Session, turnId: string, signal: AbortSignal): Promise<void> {
  for (const open of [...session.state.openCalls]) {
    await finish(session, { toolCallId: open.toolCallId, name: open.name, arguments: {} }, notRun(), 0, "interrupted");
  }
  await session.emit("abort", { reason: typeof signal.reason === "string" ? signal.reason : "user", turnId });
  const { handedBack } = session.live.loop;
  for (const m of session.state.queue.filter((q) => handedBack.has(q.messageId))) {
    await session.emit("message.dequeued", { messageId: m.messageId });
  }
  handedBack.clear();
  session.publish("pending_messages.modified", { count: session.state.queue.length });
}
