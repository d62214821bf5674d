// The events with which OpenAI's Responses streams its output items.
import type { Json } from "../json.ts";
import { type Frame, frame, type Piece, split } from "../sse.ts";
import type { Item } from "./openai-responses.ts";
import type { Draft } from "./wire.ts";

export type Event = { data: Json & { type: string }; piece?: Piece };

/** Numbers the events, the first with `from`. */
export function encode(events: Event[], from = 0): Frame[] {
  return events.map(({ data: { type, ...rest }, piece }, index) =>
    frame({ type, sequence_number: from + index, ...rest }, piece, type),
  );
}

export function itemEvents(draft: Draft, item: Item, output_index: number): Event[] {
  const at = { item_id: item.id, output_index };
  const added = (unfinished: Json): Event => ({
    data: { type: "response.output_item.added", output_index, item: { ...item, ...unfinished } },
  });
  const done: Event = { data: { type: "response.output_item.done", output_index, item } };
  switch (item.type) {
    case "reasoning":
      return [added({ summary: [] }), ...reasoningEvents(draft, { ...at, summary_index: 0 }), done];
    case "message":
      return [added({ status: "in_progress", content: [] }), ...textEvents(draft, { ...at, content_index: 0 }), done];
    default: {
      const args = String(item.arguments);
      return [
        added({ status: "in_progress", arguments: "" }),
        ...deltas("response.function_call_arguments.delta", "args", at, args, draft.chunk),
        { data: { type: "response.function_call_arguments.done", ...at, arguments: args } },
        done,
      ];
    }
  }
}

function reasoningEvents(draft: Draft, at: Json): Event[] {
  const text = draft.reasoning;
  const part = { type: "summary_text", text };
  return [
    { data: { type: "response.reasoning_summary_part.added", ...at, part: { ...part, text: "" } } },
    ...deltas("response.reasoning_summary_text.delta", "reasoning", at, text, draft.chunk),
    { data: { type: "response.reasoning_summary_text.done", ...at, text } },
    { data: { type: "response.reasoning_summary_part.done", ...at, part } },
  ];
}

function textEvents(draft: Draft, at: Json): Event[] {
  const text = draft.text;
  const part = { type: "output_text", text, annotations: [], logprobs: [] };
  return [
    { data: { type: "response.content_part.added", ...at, part: { ...part, text: "" } } },
    ...deltas("response.output_text.delta", "text", { ...at, logprobs: [] }, text, draft.chunk),
    { data: { type: "response.output_text.done", ...at, text, logprobs: [] } },
    { data: { type: "response.content_part.done", ...at, part } },
  ];
}

function deltas(type: string, piece: Piece, at: Json, text: string, chunk?: number): Event[] {
  return split(text, chunk).map((delta) => ({ data: { type, ...at, delta }, piece }));
}
