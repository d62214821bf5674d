// A call of a free-form tool, as Responses sends it: codex has one that takes a program instead of JSON.
import { type Reply, raw } from "./reply.ts";

let made = 0;

export function customCall(name: string, input: string): Reply {
  made += 1;
  const item = {
    id: `ctc_x${made}`,
    type: "custom_tool_call",
    status: "completed",
    call_id: `call_x${made}`,
    name,
    input,
  };
  const response = {
    id: `resp_x${made}`,
    object: "response",
    created_at: 1_700_000_000,
    model: "scripted",
    error: null,
  };
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 120,
  };
  const at = { output_index: 0, item_id: item.id };
  const events = [
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress", input: "" } },
    { type: "response.custom_tool_call_input.delta", ...at, delta: input },
    { type: "response.custom_tool_call_input.done", ...at, input },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { ...response, status: "completed", output: [item], usage } },
  ];
  const body = events.map(
    (event, n) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: n })}\n\n`,
  );
  return raw(200, { "content-type": "text/event-stream; charset=utf-8" }, body.join(""));
}
