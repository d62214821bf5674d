// What a part of a Gemini content is: it has no type, its field tells.
import { isRecord } from "../../../base/json.ts";
import type { WirePart } from "../contract.ts";
import { stringAt } from "../item.ts";
import { callPart, objectContent, other, reasoning, resultContent, resultPart, text } from "../part.ts";
import { answeredCall } from "./pairs.ts";

export function geminiParts(part: Record<string, unknown>): WirePart[] {
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
