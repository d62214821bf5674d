// Anthropic's Messages: the event stream and the whole message.
import { thinkingSignature } from "../issued.ts";
import { type Json, object, parse } from "../json.ts";
import type { Usage } from "../reply.ts";
import { type Frame, frame, type Piece, split } from "../sse.ts";
import type { Draft, Refusal, WireFormat } from "./wire.ts";

export const anthropic: WireFormat = {
  frames,
  body: (draft) => message(draft, blocks(draft), stopReason(draft), usage(draft.usage)),
  errorBody,
  errorFrames: (_draft, refusal) => [event(errorBody(refusal))],
  contextLimit: (tokens, limit) => ({
    status: 400,
    message: `prompt is too long: ${tokens} tokens > ${limit} maximum`,
    detail: {},
  }),
};

const types: Record<number, string> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

function errorBody({ status, message: text, detail }: Refusal): Json {
  const type = detail.type ?? types[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
  return { type: "error", error: { type, message: text }, request_id: "req_scripted" };
}

function frames(draft: Draft): Frame[] {
  const counts = usage(draft.usage);
  return [
    event(
      {
        type: "message_start",
        message: message(draft, [], null, { ...counts, output_tokens: Math.min(1, counts.output_tokens) }),
      },
      "open",
    ),
    event({ type: "ping" }, "open"),
    ...blocks(draft).flatMap((block, index) => blockFrames(draft, block, index)),
    event({ type: "message_delta", delta: { stop_reason: stopReason(draft), stop_sequence: null }, usage: counts }),
    event({ type: "message_stop" }),
  ];
}

function blockFrames(draft: Draft, block: Json, index: number): Frame[] {
  const delta = (content: Json, piece?: Piece): Frame =>
    event({ type: "content_block_delta", index, delta: content }, piece);
  const stop = event({ type: "content_block_stop", index });
  const start = (content: Json): Frame =>
    event({ type: "content_block_start", index, content_block: { ...block, ...content } });
  if (block.type === "thinking") {
    return [
      start({ thinking: "", signature: "" }),
      ...split(draft.reasoning, draft.chunk).map((thinking) =>
        delta({ type: "thinking_delta", thinking }, "reasoning"),
      ),
      delta({ type: "signature_delta", signature: block.signature }),
      stop,
    ];
  }
  if (block.type === "text") {
    return [
      start({ text: "" }),
      ...split(draft.text, draft.chunk).map((text) => delta({ type: "text_delta", text }, "text")),
      stop,
    ];
  }
  const args = draft.calls.find((_call, n) => callId(draft, n) === block.id)?.args ?? "";
  return [
    start({ input: {} }),
    delta({ type: "input_json_delta", partial_json: "" }),
    ...split(args, draft.chunk).map((partial_json) => delta({ type: "input_json_delta", partial_json }, "args")),
    stop,
  ];
}

function blocks(draft: Draft): Json[] {
  const signature = thinkingSignature(draft.id);
  if (draft.reasoning !== "") draft.issued.thinking.set(signature, draft.reasoning);
  return [
    ...(draft.reasoning === "" ? [] : [{ type: "thinking", thinking: draft.reasoning, signature }]),
    ...(draft.text === "" ? [] : [{ type: "text", text: draft.text }]),
    ...draft.calls.map((call, index) => ({
      type: "tool_use",
      id: callId(draft, index),
      name: call.name,
      input: object(parse(call.args)) ?? {},
    })),
  ];
}

function message(draft: Draft, content: Json[], stop_reason: string | null, counts: Json): Json {
  return {
    id: `msg_${draft.id}`,
    type: "message",
    role: "assistant",
    model: draft.model,
    content,
    stop_reason,
    stop_sequence: null,
    usage: counts,
  };
}

function callId(draft: Draft, index: number): string {
  return draft.calls[index]?.id ?? `toolu_${draft.id}n${index}`;
}

function stopReason(draft: Draft): string {
  if (draft.finishRaw !== undefined) return draft.finishRaw;
  if (draft.finish === "length") return "max_tokens";
  if (draft.finish === "content_filter") return "refusal";
  return draft.calls.length > 0 ? "tool_use" : "end_turn";
}

/** `input_tokens` leaves out what was read from or written to the cache. */
function usage(counts: Usage | null): Json & { output_tokens: number } {
  if (counts === null) return { input_tokens: 0, output_tokens: 0 };
  return {
    input_tokens: counts.input - counts.cacheRead - counts.cacheWrite,
    cache_creation_input_tokens: counts.cacheWrite,
    cache_read_input_tokens: counts.cacheRead,
    output_tokens: counts.output,
    ...(counts.reasoning > 0 ? { output_tokens_details: { thinking_tokens: counts.reasoning } } : {}),
    service_tier: "standard",
  };
}

function event(data: Json, piece?: Piece): Frame {
  return frame(data, piece, String(data.type));
}
