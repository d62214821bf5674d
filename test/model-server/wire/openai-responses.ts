// OpenAI's Responses: output items and the whole response object; its stream is in `openai-responses-events.ts`.
import { encryptedReasoning } from "../issued.ts";
import type { Json } from "../json.ts";
import type { Usage } from "../reply.ts";
import type { Frame } from "../sse.ts";
import { openaiError } from "./openai-error.ts";
import { type Event, encode, itemEvents } from "./openai-responses-events.ts";
import type { Draft, Refusal, WireFormat } from "./wire.ts";

export const openaiResponses: WireFormat = {
  frames,
  body: (draft) => response(draft, endState(draft), output(draft)),
  errorBody: openaiError,
  errorFrames,
  contextLimit: () => ({
    status: 400,
    message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
    detail: { code: "context_length_exceeded" },
  }),
};

export type Item = Json & { id: string; type: string };

type State = "in_progress" | "completed" | "incomplete" | "failed";

function frames(draft: Draft): Frame[] {
  const items = output(draft);
  const started = response(draft, "in_progress", []);
  const opening: Event[] = [
    { data: { type: "response.created", response: started }, piece: "open" },
    { data: { type: "response.in_progress", response: started }, piece: "open" },
  ];
  const content = items.flatMap((item, index) => itemEvents(draft, item, index));
  const end = endState(draft);
  return encode([...opening, ...content, { data: { type: `response.${end}`, response: response(draft, end, items) } }]);
}

function errorFrames(draft: Draft, refusal: Refusal, sent: number): Frame[] {
  const { message } = refusal;
  const code = refusal.detail.code ?? (refusal.status === 429 ? "rate_limit_exceeded" : "server_error");
  const failed = { ...response(draft, "failed", []), error: { code, message } };
  const event: Event = { data: { type: "error", code, message, param: null } };
  return encode([event, { data: { type: "response.failed", response: failed } }], sent);
}

function output(draft: Draft): Item[] {
  const items: Item[] = [];
  const status = endState(draft);
  if (draft.reasoning !== "") {
    const include = draft.request.include;
    const encrypted = Array.isArray(include) && include.includes("reasoning.encrypted_content");
    items.push({
      id: `rs_${draft.id}`,
      type: "reasoning",
      summary: [{ type: "summary_text", text: draft.reasoning }],
      ...(encrypted ? { encrypted_content: encryptedReasoning(draft.id) } : {}),
    });
  }
  if (draft.text !== "") {
    const content = [{ type: "output_text", text: draft.text, annotations: [], logprobs: [] }];
    items.push({ id: `msg_${draft.id}`, type: "message", status, role: "assistant", content });
  }
  for (const [index, { id, name, args }] of draft.calls.entries()) {
    const callId = id ?? `call_${draft.id}n${index}`;
    const call = { type: "function_call", status, call_id: callId, name, arguments: args };
    items.push({ id: `fc_${draft.id}n${index}`, ...call });
  }
  remember(draft, items);
  return items;
}

function remember(draft: Draft, items: Item[]): void {
  const reasoning = items.find((item) => item.type === "reasoning");
  for (const item of items) {
    draft.issued.items.set(item.id, {
      stored: draft.request.store !== false,
      ...(typeof item.call_id === "string" ? { callId: item.call_id } : {}),
      ...(reasoning !== undefined && item !== reasoning ? { needs: reasoning.id } : {}),
    });
  }
}

function endState(draft: Draft): State {
  return draft.finish === "stop" && draft.finishRaw === undefined ? "completed" : "incomplete";
}

function response(draft: Draft, status: State, items: Item[]): Json {
  const reason = draft.finishRaw ?? (draft.finish === "length" ? "max_output_tokens" : draft.finish);
  const counted = status === "completed" || status === "incomplete";
  return {
    id: `resp_${draft.id}`,
    object: "response",
    created_at: draft.created,
    status,
    background: false,
    error: null,
    incomplete_details: status === "incomplete" ? { reason } : null,
    instructions: draft.request.instructions ?? null,
    max_output_tokens: draft.request.max_output_tokens ?? null,
    metadata: {},
    model: draft.model,
    output: items,
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    service_tier: "default",
    store: draft.request.store !== false,
    temperature: 1,
    text: { format: { type: "text" } },
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    truncation: "disabled",
    usage: counted && draft.usage !== null ? usage(draft.usage) : null,
    user: null,
  };
}

function usage(counts: Usage): Json {
  return {
    input_tokens: counts.input,
    input_tokens_details: {
      cached_tokens: counts.cacheRead,
      ...(counts.cacheWrite > 0 ? { cache_write_tokens: counts.cacheWrite } : {}),
    },
    output_tokens: counts.output,
    output_tokens_details: { reasoning_tokens: counts.reasoning },
    total_tokens: counts.input + counts.output,
  };
}
