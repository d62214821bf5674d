// What came back from a model call, written down: the answer with unique call ids, its usage, or what is left of it.
import { shortId } from "../base/id.ts";
import { textLength } from "../base/json.ts";
import { optional } from "../base/optional.ts";
import type { CallOutcome, ContextLimit, ModelAnswer, ModelRequest } from "../model/contract.ts";
import type { CallFailureCode, Usage } from "../schema/model.ts";
import type { Session } from "./session.ts";

export type CallEnd =
  | { type: "answered"; answer: ModelAnswer }
  | { type: "aborted" }
  | ({ type: "context_limit"; message: string; statusCode?: number } & ContextLimit)
  | { type: "failed"; code: CallFailureCode; message: string; statusCode?: number };

type Ended = {
  turnId: string;
  step: number;
  messageId: string;
  model: string;
  durationMs: number;
  outcome: CallOutcome;
  rawTokens: number;
  request: ModelRequest;
};

export async function recordOutcome(session: Session, ended: Ended): Promise<CallEnd> {
  const { outcome, turnId, step, messageId, model } = ended;
  const partialMessage = async (content: string | undefined, finishReason: "aborted" | "error") => {
    if (!content) return;
    await session.emit("assistant.message", {
      messageId,
      turnId,
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
      return outcome;
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
        answer: await recordAnswer(session, ended, uniqueCalls(session, outcome.answer)),
      };
  }
}

async function recordAnswer(session: Session, ended: Ended, answer: ModelAnswer): Promise<ModelAnswer> {
  const { turnId, step, messageId, model, durationMs } = ended;
  await session.emit("assistant.message", {
    messageId,
    turnId,
    step,
    model,
    content: answer.content,
    toolRequests: answer.toolRequests.map(({ cut: _cut, ...request }) => request),
    ...optional("reasoningText", answer.reasoningText),
    ...optional("providerData", answer.providerData),
    finishReason: answer.finishReason,
  });
  for (const compaction of answer.providerCompactions ?? []) {
    const { provider } = session.parts.model.target();
    await session.emit("session.provider_compaction", {
      provider,
      ...compaction,
      ...optional("requestId", answer.requestId),
    });
  }
  const usage = answer.usage ?? estimatedUsage(ended.rawTokens, answer);
  if (!usage.estimated) {
    // What the provider edited itself says nothing about how it counts.
    if (!answer.providerCompactions) session.parts.tokens.calibrate(ended.rawTokens, usage.inputTokens);
    session.live.window.cachedTokens = usage.cacheReadTokens;
  }
  await session.emit("assistant.usage", {
    ...usage,
    model,
    turnId,
    step,
    interaction: ended.request.interaction,
    durationMs,
    ttftMs: answer.ttftMs,
  });
  return answer;
}

/** Arguments of this length are not written out once more only to be counted. */
const LONG_CHARS = 1_000_000;

function estimatedUsage(inputTokens: number, answer: ModelAnswer): Usage {
  const calls = textLength(answer.toolRequests);
  const written = answer.content.length + (calls > LONG_CHARS ? calls : JSON.stringify(answer.toolRequests).length);
  return {
    inputTokens,
    outputTokens: Math.ceil(written / 4),
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    estimated: true,
  };
}

/** Repeated call ids, within the answer, from earlier in the session or of another agent, are made unique, in the provider's data too. */
function uniqueCalls(session: Session, answer: ModelAnswer): ModelAnswer {
  const renamed: { from: string; to: string }[] = [];
  const toolRequests = answer.toolRequests.map((r) => {
    const isFree = r.toolCallId !== "" && session.parts.tools.claimCall(r.toolCallId);
    const toolCallId = isFree ? r.toolCallId : shortId("call");
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
