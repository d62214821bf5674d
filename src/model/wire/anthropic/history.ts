// Messages bodies: every message is an item; a user message with tool results answers all their calls at once.
import { isRecord } from "../../../base/json.ts";
import { alternate, OPENING_TEXT, type Turns } from "../alternate.ts";
import type { HistoryFormat } from "../contract.ts";
import { type ItemSight, itemsOf, listAt, OPAQUE, recordsIn, seeUserContent, stringAt, unchanged } from "../item.ts";
import { messageParts } from "../part.ts";
import { replaceTexts } from "../texts.ts";

export const anthropicHistory: HistoryFormat = {
  key: "messages",
  toItems: (body) => itemsOf(listAt(body, "messages"), see),
  fromItems(items, body) {
    const original = listAt(body, "messages");
    return unchanged(items, original) ? body : { ...body, messages: alternate(items, original, turns) };
  },
  missingResult(_call, callId, text) {
    return { role: "user", content: [{ type: "tool_result", tool_use_id: callId, content: text, is_error: true }] };
  },
  withoutResults({ raw }, callIds) {
    if (!isRecord(raw)) return undefined;
    const content = blocks(raw["content"]).filter((block) => !callIds.has(resultId(block) ?? ""));
    return content.length === 0 ? undefined : { ...raw, content };
  },
  replaceTexts: ({ raw }, replace) => replaceTexts(raw, replace),
  userMessage: (content) => ({ role: "user", content }),
  parts: (raw) => messageParts(raw),
};

function see(raw: unknown): ItemSight {
  if (!isRecord(raw)) return OPAQUE;
  const parts = recordsIn(raw["content"]);
  switch (raw["role"]) {
    case "system":
      return { role: "system", kind: "message" };
    case "user": {
      const toolResultFor = [...new Set(parts.flatMap((block) => resultId(block) ?? []))];
      return toolResultFor.length > 0
        ? { role: "tool", kind: "message", toolResultFor }
        : seeUserContent(raw["content"]);
    }
    case "assistant": {
      const toolCallIds = parts.flatMap((block) => (block["type"] === "tool_use" ? (stringAt(block, "id") ?? []) : []));
      const thinkingOnly = parts.length > 0 && parts.every((block) => THINKING.has(String(block["type"])));
      return {
        role: "assistant",
        kind: thinkingOnly ? "reasoning" : "message",
        toolCallIds: [...new Set(toolCallIds)],
      };
    }
    default:
      return OPAQUE;
  }
}

const THINKING = new Set(["thinking", "redacted_thinking"]);
const resultId = (block: unknown): string | undefined =>
  isRecord(block) && block["type"] === "tool_result" ? stringAt(block, "tool_use_id") : undefined;

const blocks = (content: unknown): unknown[] => {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return Array.isArray(content) ? content : [];
};

const turns: Turns = {
  isUser: (raw) => isRecord(raw) && raw["role"] === "user",
  isAssistant: (raw) => isRecord(raw) && raw["role"] === "assistant",
  /** Results come first: they have to follow their calls directly. */
  join(first, second) {
    const all = [first, second].flatMap((raw) => (isRecord(raw) ? blocks(raw["content"]) : []));
    const isResult = (block: unknown): boolean => resultId(block) !== undefined;
    return { role: "user", content: [...all.filter(isResult), ...all.filter((block) => !isResult(block))] };
  },
  opening: () => ({ role: "user", content: OPENING_TEXT }),
};
