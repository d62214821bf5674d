// One model call of a turn: prepare the request, stream the answer, and write down what came back.
import { shortId } from "../base/id.ts";
import { prepareRequest } from "../context/pipeline.ts";
import type { Answer, CallOutcome, ModelRequest, StreamPart } from "../model/contract.ts";
import { callWithRetry } from "../model/retry.ts";
import type { CallFailureCode, Usage } from "../schema/model.ts";
import type { Session } from "./session.ts";
import { nextPhase } from "./turn-phase.ts";

export type StepEnd =
  | { type: "answered"; answer: Answer }
  | { type: "aborted" }
  | { type: "context_limit"; message: string }
  | { type: "failed"; code: CallFailureCode; message: string; statusCode?: number };

export type Turn = { turnId: string; signal: AbortSignal; initiator: "user" | "agent" };

export async function runStep(session: Session, turn: Turn, step: number): Promise<StepEnd> {
  const { parts, live, state } = session;
  const target = parts.target();
  const { tools, definitions } = parts.offered();
  announceTools(session, tools.map((t) => t.name).join(" "));
  const prepared = await prepareRequest({ system: state.systemText ?? "", tools: definitions, items: state.items });
  const measured = await parts.measure(prepared);
  showUsage(session, target.promptLimit, measured, prepared.items.length);

  const request: ModelRequest = {
    ...prepared,
    toolChoice: "auto",
    initiator: step === 1 ? turn.initiator : "agent",
    interaction: step === 1 && turn.initiator === "user" ? "conversation-user" : "conversation-agent",
    sessionId: session.id,
    ...(target.maxOutputTokens === undefined ? {} : { maxOutputTokens: target.maxOutputTokens }),
    ...optional("reasoningEffort", parts.reasoningEffort()),
    ...optional("directive", state.directive),
    ...optional("agentName", state.agent),
    autopilot: state.mode === "autopilot",
  };

  let messageId = startMessage(session);
  live.phase = nextPhase(live.phase, { type: "call", step });
  const startedAt = parts.clock.monotonic();
  const outcome = await callWithRetry(parts.callModel, target, request, {
    signal: turn.signal,
    idleMs: parts.limits.streamIdleMs,
    estimatedTokens: measured.systemTokens + measured.toolDefinitionsTokens + measured.conversationTokens,
    policy: parts.retry,
    clock: parts.clock,
    random: parts.random,
    onPart: (part: StreamPart) => showPart(session, messageId, part),
    onFailure: (f) => {
      session.publish("model.call_failure", { model: target.id, messageId, ...f });
      if (!f.willRetry) return;
      live.phase = nextPhase(live.phase, { type: "retry", attempt: f.attempt, delayMs: f.delayMs ?? 0 });
      messageId = startMessage(session);
    },
  });
  const durationMs = Math.round(parts.clock.monotonic() - startedAt);
  return record(session, turn, {
    step,
    messageId,
    model: target.id,
    durationMs,
    outcome,
    rawTokens: measured.rawTokens,
    request,
  });
}

function startMessage(session: Session): string {
  const messageId = session.parts.newId();
  session.publish("assistant.message_start", { messageId });
  return messageId;
}

function showPart(session: Session, messageId: string, part: StreamPart): void {
  if (part.type === "text") session.publish("assistant.message_delta", { messageId, deltaContent: part.delta });
  if (part.type === "reasoning") session.publish("assistant.reasoning_delta", { messageId, deltaContent: part.delta });
}

type Ended = {
  step: number;
  messageId: string;
  model: string;
  durationMs: number;
  outcome: CallOutcome;
  rawTokens: number;
  request: ModelRequest;
};

async function record(session: Session, turn: Turn, ended: Ended): Promise<StepEnd> {
  const { outcome, step, messageId, model } = ended;
  const partialMessage = async (content: string | undefined, finishReason: "aborted" | "error") => {
    if (!content) return;
    await session.emit("assistant.message", {
      messageId,
      turnId: turn.turnId,
      step,
      model,
      content,
      toolRequests: [],
      finishReason,
      complete: false,
    });
  };
  switch (outcome.type) {
    case "aborted":
      await partialMessage(outcome.partial, "aborted");
      return { type: "aborted" };
    case "context_limit":
      return { type: "context_limit", message: outcome.message };
    case "failure":
      await partialMessage(outcome.partial, "error");
      return {
        type: "failed",
        code: outcome.code,
        message: outcome.message,
        ...optional("statusCode", outcome.statusCode),
      };
    case "answer":
      return {
        type: "answered",
        answer: await recordAnswer(session, turn, ended, uniqueCalls(session, outcome.answer)),
      };
  }
}

async function recordAnswer(session: Session, turn: Turn, ended: Ended, answer: Answer): Promise<Answer> {
  const { step, messageId, model, durationMs } = ended;
  await session.emit("assistant.message", {
    messageId,
    turnId: turn.turnId,
    step,
    model,
    content: answer.content,
    toolRequests: answer.toolRequests.map(({ cut: _cut, ...request }) => request),
    ...optional("reasoningText", answer.reasoningText),
    ...optional("providerData", answer.providerData),
    finishReason: answer.finishReason,
  });
  const usage = answer.usage ?? estimatedUsage(ended.rawTokens, answer);
  if (!usage.estimated) session.parts.calibrate(ended.rawTokens, usage.inputTokens);
  await session.emit("assistant.usage", {
    ...usage,
    model,
    turnId: turn.turnId,
    step,
    interaction: ended.request.interaction,
    durationMs,
    ttftMs: answer.ttftMs,
  });
  return answer;
}

function estimatedUsage(inputTokens: number, answer: Answer): Usage {
  const written = answer.content.length + JSON.stringify(answer.toolRequests).length;
  return {
    inputTokens,
    outputTokens: Math.ceil(written / 4),
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    estimated: true,
  };
}

/** Repeated call ids, within the answer or from earlier in the session, are made unique, in the provider's data too. */
function uniqueCalls(session: Session, answer: Answer): Answer {
  const used = new Set(session.state.items.flatMap((i) => i.toolCallIds));
  const renamed: { from: string; to: string }[] = [];
  const toolRequests = answer.toolRequests.map((r) => {
    const fresh = r.toolCallId !== "" && !used.has(r.toolCallId);
    const toolCallId = fresh ? r.toolCallId : shortId("call");
    used.add(toolCallId);
    renamed.push({ from: r.toolCallId, to: toolCallId });
    return { ...r, toolCallId };
  });
  const data = answer.providerData;
  if (!data || renamed.every((r) => r.from === r.to)) return { ...answer, toolRequests };
  let next = 0;
  const content = data.content.map((part) =>
    part.type === "tool-call" ? { ...part, toolCallId: renamed[next++]?.to ?? part["toolCallId"] } : part,
  );
  return { ...answer, toolRequests, providerData: { ...data, content } };
}

function announceTools(session: Session, names: string): void {
  if (names === session.live.offeredNames) return;
  session.live.offeredNames = names;
  session.publish("session.tools_updated", { tools: names === "" ? [] : names.split(" ") });
}

function showUsage(
  session: Session,
  tokenLimit: number,
  m: Awaited<ReturnType<Session["parts"]["measure"]>>,
  messagesLength: number,
): void {
  const currentTokens = m.systemTokens + m.toolDefinitionsTokens + m.conversationTokens;
  session.live.currentTokens = currentTokens;
  session.publish("session.usage_info", {
    tokenLimit,
    currentTokens,
    messagesLength,
    systemTokens: m.systemTokens,
    conversationTokens: m.conversationTokens,
    toolDefinitionsTokens: m.toolDefinitionsTokens,
    isInitial: !session.live.usageShown,
    tokenAccountingBasis: m.basis,
    model: session.parts.target().id,
  });
  session.live.usageShown = true;
}

function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V });
}
