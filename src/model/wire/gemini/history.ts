// generateContent bodies: every content is an item; calls often have no ids and are then paired by name and order.
import { isRecord } from "../../../base/json.ts";
import { alternate, OPENING_TEXT, type Turns } from "../alternate.ts";
import type { HistoryFormat, WirePart } from "../contract.ts";
import { type ItemSight, itemsOf, listAt, OPAQUE, recordsIn, seeUser, stringAt, unchanged } from "../item.ts";
import { callPart, messageParts, objectContent, other, reasoning, resultContent, resultPart, text } from "../part.ts";
import { type Replace, replaceTexts } from "../texts.ts";
import { answeredCall, type GeminiPairs, pairGemini, standsFor } from "./pairs.ts";

export const geminiHistory: HistoryFormat = {
  key: "contents",
  toItems(body) {
    const contents = listAt(body, "contents");
    const pairs = pairGemini(contents);
    return itemsOf(contents, (raw, index) => see(raw, index, pairs));
  },
  fromItems(items, body) {
    const original = listAt(body, "contents");
    return unchanged(items, original) ? body : { ...body, contents: alternate(items, original, turns) };
  },
  missingResult({ raw, toolCallIds }, callId, text) {
    const call = functionCalls(raw)[toolCallIds.indexOf(callId)];
    if (!call) return undefined;
    const { id, name } = call;
    return {
      role: "user",
      parts: [{ functionResponse: { ...(id === undefined ? {} : { id }), name, response: { error: text } } }],
    };
  },
  withoutResults({ raw }, callIds) {
    if (!isRecord(raw)) return undefined;
    const parts = recordsIn(raw["parts"]).filter((part) => !callIds.has(answeredCall(part) ?? ""));
    return parts.length === 0 ? undefined : { ...raw, parts };
  },
  replaceTexts: ({ raw }, replace) => replaceTexts(raw, replace, replaceResponse),
  userMessage: (text) => ({ role: "user", parts: [{ text }] }),
  parts: (raw) => messageParts(raw, geminiParts),
  accepted: withoutDoubled,
};

/** Gemini refuses a second response to one call; its client sends some all the same when it resumes a session. */
function withoutDoubled(contents: readonly unknown[]): readonly unknown[] {
  const { doubled } = pairGemini(contents);
  if (doubled.size === 0) return contents;
  return contents.map((raw) => {
    const all: unknown[] = isRecord(raw) && Array.isArray(raw["parts"]) ? raw["parts"] : [];
    const parts = all.filter((part) => !doubled.has(part));
    if (parts.length === all.length) return raw;
    return parts.length === 0 ? undefined : { ...(raw as object), parts };
  });
}

const functionCalls = (raw: unknown): Record<string, unknown>[] =>
  isRecord(raw)
    ? recordsIn(raw["parts"]).flatMap((part) => (isRecord(part["functionCall"]) ? [part["functionCall"]] : []))
    : [];

function see(raw: unknown, index: number, pairs: GeminiPairs): ItemSight {
  if (!isRecord(raw)) return OPAQUE;
  const parts = recordsIn(raw["parts"]);
  switch (raw["role"] ?? "user") {
    case "model":
      return {
        role: "assistant",
        kind: parts.length > 0 && parts.every((part) => part["thought"] === true) ? "reasoning" : "message",
        toolCallIds: pairs.calls.get(index) ?? [],
      };
    case "user":
    case "function": {
      const toolResultFor = pairs.responses.get(index) ?? [];
      if (toolResultFor.length > 0) return { role: "tool", kind: "message", toolResultFor };
      const texts = parts.map((part) => stringAt(part, "text"));
      return seeUser(texts.filter((text) => text !== undefined).join("\n"), texts.includes(undefined));
    }
    default:
      return OPAQUE;
  }
}

/** A response is an object: its one text, or, when it is made of more, the whole of it as JSON text. */
function replaceResponse(part: Record<string, unknown>, replace: Replace): Record<string, unknown> | undefined {
  const { functionResponse } = part;
  if (!isRecord(functionResponse)) return undefined;
  const { response } = functionResponse;
  const [field, ...others] = isRecord(response) ? Object.entries(response) : [];
  const [name, text] =
    field && others.length === 0 && typeof field[1] === "string"
      ? [field[0], field[1]]
      : ["output", JSON.stringify(response) ?? ""];
  const replaced = replace(text);
  if (replaced === text) return part;
  return standsFor({ ...part, functionResponse: { ...functionResponse, response: { [name]: replaced } } }, part);
}

const turns: Turns = {
  isUser: (raw) => isRecord(raw) && ["user", "function"].includes(String(raw["role"] ?? "user")),
  isAssistant: (raw) => isRecord(raw) && raw["role"] === "model",
  /** Responses come first: they have to follow their calls directly, in one content. */
  join(first, second) {
    const all = [first, second].flatMap((raw) => (isRecord(raw) ? recordsIn(raw["parts"]) : []));
    const isResponse = (part: Record<string, unknown>): boolean => isRecord(part["functionResponse"]);
    return { role: "user", parts: [...all.filter(isResponse), ...all.filter((part) => !isResponse(part))] };
  },
  opening: () => ({ role: "user", parts: [{ text: OPENING_TEXT }] }),
};

/** What a part is: it has no type, its field tells. */
function geminiParts(part: Record<string, unknown>): WirePart[] {
  const { functionCall, functionResponse } = part;
  if (isRecord(functionCall)) return [callPart(functionCall, stringAt(functionCall, "id"))];
  if (isRecord(functionResponse)) {
    const { response, parts } = functionResponse;
    const id = stringAt(functionResponse, "id");
    const error = isRecord(response) ? response["error"] : undefined;
    const content = [...objectContent(response), ...resultContent(parts)];
    return [resultPart({ ...functionResponse, error }, id, content, answeredCall(part) ?? id)];
  }
  if (typeof part["text"] === "string") return part["thought"] === true ? reasoning(part["text"]) : text(part["text"]);
  return [other(part)];
}
