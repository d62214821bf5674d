// Chat Completions bodies: every message is an item, system messages included.
import { isRecord } from "../../../base/json.ts";
import type { HistoryFormat } from "../contract.ts";
import { type ItemSight, itemsOf, listAt, OPAQUE, recordsIn, seeUserContent, stringAt, unchanged } from "../item.ts";
import { messageParts } from "../part.ts";
import { replaceTexts } from "../texts.ts";

export const openaiChatHistory: HistoryFormat = {
  key: "messages",
  toItems: (body) => itemsOf(listAt(body, "messages"), see),
  fromItems(items, body) {
    if (unchanged(items, listAt(body, "messages"))) return body;
    return { ...body, messages: items.map((item) => item.raw) };
  },
  missingResult(call, callId, text) {
    const legacy = isRecord(call.raw) && callId === legacyId(call.raw["function_call"]);
    if (legacy) return { role: "function", name: callId.slice(LEGACY.length), content: text };
    return { role: "tool", tool_call_id: callId, content: text };
  },
  withoutResults: () => undefined,
  replaceTexts: ({ raw }, replace) => replaceTexts(raw, replace),
  userMessage: (content) => ({ role: "user", content }),
  parts: (raw) => messageParts(raw),
};

function see(raw: unknown): ItemSight {
  if (!isRecord(raw)) return OPAQUE;
  switch (raw["role"]) {
    case "system":
    case "developer":
      return { role: raw["role"], kind: "message" };
    case "user":
      return seeUserContent(raw["content"]);
    case "assistant":
      return { role: "assistant", kind: "message", toolCallIds: callIds(raw) };
    case "tool":
      return { role: "tool", kind: "message", toolResultFor: present(stringAt(raw, "tool_call_id")) };
    case "function":
      return { role: "tool", kind: "message", toolResultFor: present(legacyId(raw)) };
    default:
      return OPAQUE;
  }
}

/** Function calls of the old form have no id: they are called by name, one at a time. */
const LEGACY = "function:";
const legacyId = (named: unknown): string | undefined => {
  const name = isRecord(named) ? stringAt(named, "name") : undefined;
  return name === undefined ? undefined : LEGACY + name;
};
const present = (id: string | undefined): string[] => (id === undefined ? [] : [id]);

function callIds(raw: Record<string, unknown>): string[] {
  const ids = recordsIn(raw["tool_calls"]).flatMap((call) => present(stringAt(call, "id")));
  return [...new Set([...ids, ...present(legacyId(raw["function_call"]))])];
}
