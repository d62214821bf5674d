// OpenAI's Chat Completions: chunks and the whole completion.
import { type Json, object } from "../json.ts";
import type { Usage } from "../reply.ts";
import { type Frame, frame, split } from "../sse.ts";
import { openaiError } from "./openai-error.ts";
import type { Draft, WireFormat } from "./wire.ts";

export const openaiChat: WireFormat = {
  frames,
  body,
  errorBody: openaiError,
  errorFrames: (_draft, refusal) => [frame(openaiError(refusal))],
  contextLimit: (tokens, limit) => ({
    status: 400,
    message: `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
    detail: { code: "context_length_exceeded" },
  }),
};

function frames(draft: Draft): Frame[] {
  const withUsage = object(draft.request.stream_options)?.include_usage === true;
  const chunk = (choices: Json[], usage: Json | null = null): Json => ({
    ...head(draft, "chat.completion.chunk"),
    choices,
    ...(withUsage ? { usage } : {}),
  });
  const delta = (content: Json, finish: string | null = null): Json =>
    chunk([{ index: 0, delta: content, logprobs: null, finish_reason: finish }]);

  const onlyCalls = draft.calls.length > 0 && draft.text === "";
  return [
    frame(delta({ role: "assistant", content: onlyCalls ? null : "", refusal: null }), "open"),
    ...split(draft.reasoning, draft.chunk).map((piece) => frame(delta({ reasoning_content: piece }), "reasoning")),
    ...split(draft.text, draft.chunk).map((piece) => frame(delta({ content: piece }), "text")),
    ...draft.calls.flatMap((call, index) => [
      frame(
        delta({
          tool_calls: [
            { index, id: callId(draft, index), type: "function", function: { name: call.name, arguments: "" } },
          ],
        }),
      ),
      ...split(call.args, draft.chunk).map((piece) =>
        frame(delta({ tool_calls: [{ index, function: { arguments: piece } }] }), "args"),
      ),
    ]),
    frame(delta({}, finishReason(draft))),
    ...(withUsage && draft.usage !== null ? [frame(chunk([], usage(draft.usage)))] : []),
    { bytes: "data: [DONE]\n\n" },
  ];
}

function body(draft: Draft): Json {
  const toolCalls = draft.calls.map((call, index) => ({
    id: callId(draft, index),
    type: "function",
    function: { name: call.name, arguments: call.args },
  }));
  const message = {
    role: "assistant",
    content: toolCalls.length > 0 && draft.text === "" ? null : draft.text,
    refusal: null,
    annotations: [],
    ...(draft.reasoning === "" ? {} : { reasoning_content: draft.reasoning }),
    ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
  };
  return {
    ...head(draft, "chat.completion"),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(draft) }],
    ...(draft.usage === null ? {} : { usage: usage(draft.usage) }),
  };
}

function head(draft: Draft, kind: string): Json {
  return {
    id: `chatcmpl-${draft.id}`,
    object: kind,
    created: draft.created,
    model: draft.model,
    service_tier: "default",
    system_fingerprint: "fp_scripted",
  };
}

function callId(draft: Draft, index: number): string {
  return draft.calls[index]?.id ?? `call_${draft.id}n${index}`;
}

function finishReason(draft: Draft): string {
  if (draft.finishRaw !== undefined) return draft.finishRaw;
  return draft.finish === "stop" && draft.calls.length > 0 ? "tool_calls" : draft.finish;
}

function usage(counts: Usage): Json {
  return {
    prompt_tokens: counts.input,
    completion_tokens: counts.output,
    total_tokens: counts.input + counts.output,
    prompt_tokens_details: {
      cached_tokens: counts.cacheRead,
      audio_tokens: 0,
      ...(counts.cacheWrite > 0 ? { cache_write_tokens: counts.cacheWrite } : {}),
    },
    completion_tokens_details: {
      reasoning_tokens: counts.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
