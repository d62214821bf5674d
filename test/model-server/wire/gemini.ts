// Google's generateContent: stream chunks and the whole answer.
import { thoughtSignature } from "../issued.ts";
import { type Json, object, parse } from "../json.ts";
import type { Usage } from "../reply.ts";
import { type Frame, frame, split } from "../sse.ts";
import type { Draft, Refusal, WireFormat } from "./wire.ts";

export const gemini: WireFormat = {
  frames,
  body,
  errorBody,
  errorFrames: (_draft, refusal) => [frame(errorBody(refusal))],
  contextLimit: (tokens, limit) => ({
    status: 400,
    message: `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${limit}).`,
    detail: {},
  }),
};

const statuses: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
  529: "UNAVAILABLE",
};

function errorBody({ status, message, detail }: Refusal): Json {
  const name = detail.type ?? statuses[status] ?? (status >= 500 ? "INTERNAL" : "INVALID_ARGUMENT");
  return {
    error: {
      code: status,
      message,
      status: name,
      ...(detail.details === undefined ? {} : { details: detail.details }),
    },
  };
}

function frames(draft: Draft): Frame[] {
  const prompt =
    draft.usage === null ? null : { promptTokenCount: draft.usage.input, totalTokenCount: draft.usage.input };
  const chunk = (part: Json): Json => whole(draft, [part], undefined, prompt);
  const thoughts = split(draft.reasoning, draft.chunk);
  return [
    ...thoughts.map((text, n) => {
      const signed = n === thoughts.length - 1 ? { thoughtSignature: thoughtSignature(draft.id) } : {};
      return frame(chunk({ text, thought: true, ...signed }), "reasoning");
    }),
    ...split(draft.text, draft.chunk).map((text) => frame(chunk({ text }), "text")),
    ...draft.calls.map((_call, index) => frame(chunk(callPart(draft, index)), "args")),
    frame(whole(draft, [{ text: "" }], finishReason(draft), usage(draft.usage))),
  ];
}

function body(draft: Draft): Json {
  const parts: Json[] = [
    ...(draft.reasoning === ""
      ? []
      : [{ text: draft.reasoning, thought: true, thoughtSignature: thoughtSignature(draft.id) }]),
    ...(draft.text === "" ? [] : [{ text: draft.text }]),
    ...draft.calls.map((_call, index) => callPart(draft, index)),
  ];
  return whole(draft, parts.length > 0 ? parts : [{ text: "" }], finishReason(draft), usage(draft.usage));
}

/** The first call of an answer carries the signature, as the newer models send it. */
function callPart(draft: Draft, index: number): Json {
  const call = draft.calls[index];
  const signed = index === 0 && (draft.reasoning !== "" || draft.model.includes("gemini-3"));
  return {
    functionCall: {
      ...(call?.id === undefined ? {} : { id: call.id }),
      name: call?.name,
      args: object(parse(call?.args ?? "")) ?? {},
    },
    ...(signed ? { thoughtSignature: thoughtSignature(draft.id) } : {}),
  };
}

function whole(draft: Draft, parts: Json[], finish: string | undefined, usageMetadata: Json | null): Json {
  return {
    candidates: [
      { content: { parts, role: "model" }, ...(finish === undefined ? {} : { finishReason: finish }), index: 0 },
    ],
    ...(usageMetadata === null ? {} : { usageMetadata }),
    modelVersion: draft.model,
    responseId: draft.id,
  };
}

function finishReason(draft: Draft): string {
  const words = { stop: "STOP", length: "MAX_TOKENS", content_filter: "SAFETY" };
  return draft.finishRaw ?? words[draft.finish];
}

function usage(counts: Usage | null): Json | null {
  if (counts === null) return null;
  return {
    promptTokenCount: counts.input,
    candidatesTokenCount: counts.output - counts.reasoning,
    totalTokenCount: counts.input + counts.output,
    ...(counts.cacheRead > 0 ? { cachedContentTokenCount: counts.cacheRead } : {}),
    ...(counts.reasoning > 0 ? { thoughtsTokenCount: counts.reasoning } : {}),
  };
}
