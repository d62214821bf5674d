// What an item is made of: texts, reasoning, calls, results, media. Its shape tells; what is unknown is kept whole.
import { isRecord } from "../../base/json.ts";
import type { WireContent, WirePart } from "./contract.ts";
import { listAt, stringAt } from "./item.ts";
import { mediaOf } from "./media.ts";

type Fields = Record<string, unknown>;

/** Members that hold what only the provider can read. */
export const SEALED_KEYS = ["encrypted_content", "signature", "thoughtSignature", "thought_signature"] as const;

/** Reads a block that has no type, as far as a wire has such. */
type UntypedReader = (block: Fields) => WirePart[];

const textOrOther: UntypedReader = (block) =>
  typeof block["text"] === "string" ? text(block["text"]) : [other(block)];

/** The parts of a message. An item of an unknown type, which nobody says, is kept whole. */
export function messageParts(raw: unknown, untyped: UntypedReader = textOrOther): WirePart[] {
  if (!isRecord(raw)) return [other(raw)];
  const type = stringAt(raw, "type");
  const isMessage = type === undefined || type === "message" || raw["role"] !== undefined;
  return isMessage ? partsOfMessage(raw, untyped) : [other(raw)];
}

function partsOfMessage(raw: Fields, untyped: UntypedReader): WirePart[] {
  const content = raw["content"] ?? raw["parts"];
  const isResult = raw["role"] === "tool" || (raw["role"] === "function" && raw["parts"] === undefined);
  if (isResult) return [resultPart(raw, stringAt(raw, "tool_call_id"), resultContent(content))];
  return [
    ...reasoning(raw["reasoning_content"] ?? raw["reasoning"]),
    ...blocksOf(content, untyped),
    ...text(raw["refusal"]),
    ...listAt(raw, "tool_calls").flatMap(toolCall),
    ...(isRecord(raw["function_call"]) ? [callPart(raw["function_call"], undefined)] : []),
  ];
}

function toolCall(value: unknown): WirePart[] {
  if (!isRecord(value)) return [];
  const called = value["function"] ?? value["custom"];
  return isRecord(called) ? [callPart(called, stringAt(value, "id"))] : [other(value)];
}

export const callPart = (called: Fields, id: string | undefined): WirePart => ({
  type: "call",
  id,
  name: stringAt(called, "name") ?? "",
  input: called["arguments"] ?? called["input"] ?? called["args"],
});

export function resultPart(raw: Fields, id: string | undefined, content: WireContent[], answers = id): WirePart {
  const error = raw["is_error"] === true || isRecord(raw["error"]) || typeof raw["error"] === "string";
  return { type: "result", id, name: stringAt(raw, "name"), answers, error, content };
}

/** What a result holds: text, blocks, or an object that is its text or JSON. */
export function resultContent(value: unknown): WireContent[] {
  if (Array.isArray(value)) return value.flatMap(resultContent);
  if (!isRecord(value)) return text(value);
  const media = mediaOf(value);
  if (media) return media;
  const content = typeof value["type"] === "string" ? blockOf(value, textOrOther).filter(isContent) : [];
  return content.length > 0 ? content : objectContent(value);
}

const isContent = (part: WirePart): part is WireContent =>
  part.type === "text" || part.type === "media" || part.type === "other";

export function objectContent(value: unknown): WireContent[] {
  if (!isRecord(value)) return resultContent(value);
  const { stdout, stderr, ...rest } = value;
  if (typeof stdout === "string" || typeof stderr === "string") {
    return [...text(stdout), ...text(stderr), ...(Object.keys(rest).length > 0 ? [other(rest)] : [])];
  }
  const fields = Object.values(value);
  return fields.length === 1 && typeof fields[0] === "string" ? text(fields[0]) : [other(value)];
}

export const other = (value: unknown): WireContent => ({ type: "other", value });
export const text = (value: unknown): WireContent[] =>
  typeof value === "string" && value !== "" ? [{ type: "text", text: value }] : [];

export function reasoning(value: unknown): WirePart[] {
  if (typeof value === "string") return value === "" ? [] : [{ type: "reasoning", text: value }];
  return Array.isArray(value) ? value.flatMap((one) => (isRecord(one) ? reasoning(one["text"]) : [])) : [];
}

export function blocksOf(content: unknown, untyped: UntypedReader = textOrOther): WirePart[] {
  if (!Array.isArray(content)) return isRecord(content) ? blockOf(content, untyped) : text(content);
  return content.flatMap((block: unknown) => (isRecord(block) ? blockOf(block, untyped) : text(block)));
}

/** One reader for all wires: servers mix the blocks of several vendors. */
function blockOf(block: Fields, untyped: UntypedReader): WirePart[] {
  const media = mediaOf(block);
  if (media) return media;
  switch (stringAt(block, "type")) {
    case undefined:
      return untyped(block);
    case "text":
    case "input_text":
    case "output_text":
      return text(block["text"]);
    case "refusal":
      return text(block["refusal"]);
    case "thinking":
      return reasoning(block["thinking"]);
    case "redacted_thinking":
      return [];
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use":
      return [callPart(block, stringAt(block, "id"))];
    default:
      return typeof block["tool_use_id"] === "string"
        ? [resultPart(block, block["tool_use_id"], resultContent(block["content"]))]
        : [other(block)];
  }
}

/** The texts among the parts, as one. */
export const wordsOf = (parts: readonly WirePart[]): string =>
  parts.flatMap((part) => (part.type === "text" ? part.text : [])).join("");
