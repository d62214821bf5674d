// The built-in `offline` model as a provider: the same request and stream as any other, without network, clock or chance.
import { cutAt } from "../../base/text.ts";
import type { ContextItem } from "../../schema/context-item.ts";
import type { Message } from "../../schema/message.ts";
import type { CallModel, ModelAnswer, ModelRequest } from "../contract.ts";
import { decide } from "./decide.ts";

const CHUNK = 240;

export const callOffline: CallModel = async (_target, request, { signal, onPart }) => {
  if (signal.aborted) return { type: "aborted" };
  const { text, calls } = decide(request);
  let sent = "";
  while (sent.length < text.length) {
    const delta = cutAt(text.slice(sent.length), CHUNK);
    onPart({ type: "text", delta });
    sent += delta;
    await breathe();
    if (signal.aborted) return { type: "aborted", partial: sent };
  }
  const ids = newCallIds(request.items, calls.length);
  const toolRequests: ModelAnswer["toolRequests"] = [];
  for (const [at, { name, args }] of calls.entries()) {
    const toolCallId = ids[at] ?? "";
    onPart({ type: "call_start", toolCallId, name });
    onPart({ type: "call_arguments", toolCallId, delta: JSON.stringify(args) });
    onPart({ type: "call_end", toolCallId });
    toolRequests.push({ toolCallId, name, arguments: args });
  }
  const output = text.length + JSON.stringify(calls).length;
  const answer: ModelAnswer = {
    content: text,
    toolRequests,
    finishReason: calls.length > 0 ? "tool_calls" : "stop",
    usage: {
      inputTokens: Math.ceil(inputChars(request) / 4),
      outputTokens: Math.ceil(output / 4),
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
      cost: 0,
      estimated: true,
    },
    ttftMs: 0,
  };
  return { type: "answer", answer };
};

/** Lets an interrupt in between two pieces of text. */
function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Named by the place in the history, so that equal requests give equal ids; an id that stands there already is passed over. */
function newCallIds(items: readonly ContextItem<Message>[], count: number): string[] {
  const taken = new Set(items.flatMap((item) => item.toolCallIds));
  const ids: string[] = [];
  for (let n = 1; ids.length < count; n++) {
    const id = `offline_t${items.at(-1)?.turn ?? 0}_${items.length}_${n}`;
    if (!taken.has(id)) ids.push(id);
  }
  return ids;
}

function inputChars(request: ModelRequest): number {
  const items = request.items.reduce((sum, { raw }) => {
    return (
      sum +
      raw.content.length +
      (raw.role === "assistant" && raw.toolRequests.length > 0 ? JSON.stringify(raw.toolRequests).length : 0)
    );
  }, 0);
  return request.system.length + items + JSON.stringify(request.tools).length;
}
