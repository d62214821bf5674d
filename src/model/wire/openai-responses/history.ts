// Responses bodies: every input item is an item; calls, outputs and reasoning stand as items of their own.
import { isRecord } from "../../../base/json.ts";
import type { HistoryFormat, WireBody } from "../contract.ts";
import { type ItemSight, itemsOf, listAt, OPAQUE, seeUserContent, stringAt, unchanged } from "../item.ts";
import { replaceTexts } from "../texts.ts";
import { responsesParts } from "./parts.ts";

export const openaiResponsesHistory: HistoryFormat = {
  key: "input",
  toItems: (body) => itemsOf(inputOf(body), see),
  fromItems(items, body) {
    if (typeof body["input"] === "string" && items.length === 1 && isPlainPrompt(items[0]?.raw, body["input"]))
      return body;
    if (unchanged(items, listAt(body, "input"))) return body;
    return { ...body, input: items.map((item) => item.raw) };
  },
  missingResult(call, callId, text) {
    const type = isRecord(call.raw) ? String(call.raw["type"]) : "";
    // A screenshot or an approval cannot be made up.
    if (!TEXT_RESULTS.has(type)) return undefined;
    return { type: `${type}_output`, call_id: callId, output: text };
  },
  withoutResults: () => undefined,
  replaceTexts: ({ raw }, replace) => replaceTexts(raw, replace),
  userMessage: (text) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] }),
  parts: responsesParts,
  sealed(raw) {
    if (!isRecord(raw) || !stringAt(raw, "type")?.startsWith("compaction")) return undefined;
    return stringAt(raw, "encrypted_content");
  },
};

/** Input may be a plain text, which stands for one user message. */
function inputOf(body: WireBody): readonly unknown[] {
  return typeof body["input"] === "string"
    ? [{ type: "message", role: "user", content: body["input"] }]
    : listAt(body, "input");
}
const isPlainPrompt = (raw: unknown, input: string): boolean =>
  isRecord(raw) && raw["role"] === "user" && raw["content"] === input;

const TEXT_RESULTS = new Set(["function_call", "custom_tool_call", "local_shell_call", "mcp_tool_call"]);
/** Calls that the client answers with an output item of the same name. */
const ANSWERED = new Set([...TEXT_RESULTS, "shell_call", "apply_patch_call", "computer_call"]);
/** Calls that the server runs by itself: their results are in the item or never shown. */
const SERVER_RUN = new Set([
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
  "mcp_call",
]);

function see(raw: unknown): ItemSight {
  if (!isRecord(raw)) return OPAQUE;
  const type = stringAt(raw, "type") ?? (raw["role"] === undefined ? "" : "message");
  const id = stringAt(raw, "call_id") ?? stringAt(raw, "id");
  const ids = id === undefined ? [] : [id];
  if (ANSWERED.has(type)) return { role: "assistant", kind: "message", toolCallIds: ids };
  if (type.endsWith("_output") && ANSWERED.has(type.slice(0, -"_output".length))) {
    return { role: "tool", kind: "message", toolResultFor: ids };
  }
  if (SERVER_RUN.has(type)) return { role: "assistant", kind: "message" };
  switch (type) {
    case "message":
      return seeMessage(raw);
    // Tools that stand in the history, as codex sends them for its newer models.
    case "additional_tools":
      return { role: "developer", kind: "message" };
    case "reasoning":
      return { role: "assistant", kind: "reasoning" };
    case "compaction":
    case "compaction_summary":
      return { role: "assistant", kind: "compaction" };
    case "mcp_approval_request":
      return { role: "assistant", kind: "message", toolCallIds: ids };
    case "mcp_approval_response": {
      const request = stringAt(raw, "approval_request_id");
      return { role: "tool", kind: "message", toolResultFor: request === undefined ? [] : [request] };
    }
    default:
      return OPAQUE;
  }
}

function seeMessage(raw: Record<string, unknown>): ItemSight {
  const role = raw["role"];
  if (role === "user") return seeUserContent(raw["content"]);
  return role === "system" || role === "developer" || role === "assistant" ? { role, kind: "message" } : OPAQUE;
}
