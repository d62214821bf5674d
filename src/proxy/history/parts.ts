// What an item of any wire is made of: texts, reasoning, calls, results, media. Its shape tells; what is unknown is kept whole.
import { isRecord } from "../../base/json.ts";
import { listAt, stringAt } from "../../model/wire/adapter.ts";
import { answeredCall } from "../../model/wire/gemini-pairs.ts";
import { mediaOf } from "./media.ts";

type Fields = Record<string, unknown>;

export type Content =
  | { type: "text"; text: string }
  /** `data` is base64 where `inline`, else where it can be had. */
  | { type: "media"; mediaType: string; data: string; inline: boolean }
  | { type: "other"; value: unknown };
export type Part =
  | Content
  | { type: "reasoning"; text: string }
  | { type: "call"; id?: string | undefined; name: string; input: unknown }
  | {
      type: "result";
      id?: string | undefined;
      name?: string | undefined;
      /** The call it answers, also where the wire has no ids. */
      answers: string | undefined;
      error: boolean;
      content: Content[];
    };

export function partsOf(raw: unknown): Part[] {
  if (!isRecord(raw)) return [other(raw)];
  const type = stringAt(raw, "type");
  if (type === undefined || type === "message" || raw["role"] !== undefined) return messageParts(raw);
  if (type === "reasoning") return [...reasoning(raw["summary"]), ...reasoning(raw["content"])];
  if (type.startsWith("compaction")) return blocksOf(raw["summary"] ?? raw["content"]);
  if (type.endsWith("_call_output")) return [result(raw, stringAt(raw, "call_id"), contentOf(raw["output"]))];
  return type.endsWith("_call") ? callParts(raw, type) : [other(raw)];
}

function messageParts(raw: Fields): Part[] {
  const content = raw["content"] ?? raw["parts"];
  const isResult = raw["role"] === "tool" || (raw["role"] === "function" && raw["parts"] === undefined);
  if (isResult) return [result(raw, stringAt(raw, "tool_call_id"), contentOf(content))];
  return [
    ...reasoning(raw["reasoning_content"] ?? raw["reasoning"]),
    ...blocksOf(content),
    ...text(raw["refusal"]),
    ...listAt(raw, "tool_calls").flatMap(toolCall),
    ...(isRecord(raw["function_call"]) ? [call(raw["function_call"], undefined)] : []),
  ];
}

/** A call of the Responses wire; one that the server ran holds its result too. */
function callParts(raw: Fields, type: string): Part[] {
  const input = ["arguments", "input", "action", "actions", "operation", "code", "queries"]
    .map((key) => raw[key])
    .find((value) => value !== undefined && value !== null);
  const id = stringAt(raw, "call_id");
  const made: Part = { type: "call", id, name: stringAt(raw, "name") ?? type, input };
  if (type === "image_generation_call" && typeof raw["result"] === "string") {
    return [made, { type: "media", mediaType: "image/png", data: raw["result"], inline: true }];
  }
  const answer = raw["output"] ?? raw["outputs"] ?? raw["results"] ?? raw["error"];
  return answer === undefined || answer === null ? [made] : [made, result(raw, id, contentOf(answer))];
}

function toolCall(value: unknown): Part[] {
  if (!isRecord(value)) return [];
  const called = value["function"] ?? value["custom"];
  return isRecord(called) ? [call(called, stringAt(value, "id"))] : [other(value)];
}

const call = (called: Fields, id: string | undefined): Part => ({
  type: "call",
  id,
  name: stringAt(called, "name") ?? "",
  input: called["arguments"] ?? called["input"] ?? called["args"],
});

function result(raw: Fields, id: string | undefined, content: Content[], answers = id): Part {
  const error = raw["is_error"] === true || isRecord(raw["error"]) || typeof raw["error"] === "string";
  return { type: "result", id, name: stringAt(raw, "name"), answers, error, content };
}

/** Of a result: text, blocks, or an object that is its text or JSON. */
function contentOf(value: unknown): Content[] {
  if (Array.isArray(value)) return value.flatMap(contentOf);
  if (!isRecord(value)) return text(value);
  const media = mediaOf(value);
  if (media) return media;
  const said = typeof value["type"] === "string" ? blockOf(value).filter(isContent) : [];
  return said.length > 0 ? said : objectContent(value);
}

const isContent = (part: Part): part is Content =>
  part.type === "text" || part.type === "media" || part.type === "other";

function objectContent(value: unknown): Content[] {
  if (!isRecord(value)) return contentOf(value);
  const { stdout, stderr, ...rest } = value;
  if (typeof stdout === "string" || typeof stderr === "string") {
    return [...text(stdout), ...text(stderr), ...(Object.keys(rest).length > 0 ? [other(rest)] : [])];
  }
  const fields = Object.values(value);
  return fields.length === 1 && typeof fields[0] === "string" ? text(fields[0]) : [other(value)];
}

const other = (value: unknown): Content => ({ type: "other", value });
const text = (value: unknown): Content[] =>
  typeof value === "string" && value !== "" ? [{ type: "text", text: value }] : [];

function reasoning(value: unknown): Part[] {
  if (typeof value === "string") return value === "" ? [] : [{ type: "reasoning", text: value }];
  return Array.isArray(value) ? value.flatMap((one) => (isRecord(one) ? reasoning(one["text"]) : [])) : [];
}

function blocksOf(content: unknown): Part[] {
  if (!Array.isArray(content)) return isRecord(content) ? blockOf(content) : text(content);
  return content.flatMap((block: unknown) => (isRecord(block) ? blockOf(block) : text(block)));
}

function blockOf(block: Fields): Part[] {
  const media = mediaOf(block);
  if (media) return media;
  switch (stringAt(block, "type")) {
    case undefined:
      return geminiPart(block);
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
      return [call(block, stringAt(block, "id"))];
    default:
      return typeof block["tool_use_id"] === "string"
        ? [result(block, block["tool_use_id"], contentOf(block["content"]))]
        : [other(block)];
  }
}

function geminiPart(part: Fields): Part[] {
  const { functionCall, functionResponse } = part;
  if (isRecord(functionCall)) return [call(functionCall, stringAt(functionCall, "id"))];
  if (isRecord(functionResponse)) {
    const { response, parts } = functionResponse;
    const id = stringAt(functionResponse, "id");
    const error = isRecord(response) ? response["error"] : undefined;
    const content = [...objectContent(response), ...contentOf(parts)];
    return [result({ ...functionResponse, error }, id, content, answeredCall(part) ?? id)];
  }
  if (typeof part["text"] === "string") return part["thought"] === true ? reasoning(part["text"]) : text(part["text"]);
  return [other(part)];
}
