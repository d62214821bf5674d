// What an item of the Responses wire is made of: calls, outputs and reasoning are items of their own.
import { isRecord } from "../../../base/json.ts";
import type { WirePart } from "../contract.ts";
import { stringAt } from "../item.ts";
import { blocksOf, messageParts, other, reasoning, resultContent, resultPart } from "../part.ts";

export function responsesParts(raw: unknown): WirePart[] {
  const type = isRecord(raw) ? stringAt(raw, "type") : undefined;
  if (!isRecord(raw) || type === undefined || type === "message" || raw["role"] !== undefined) return messageParts(raw);
  if (type === "reasoning") return [...reasoning(raw["summary"]), ...reasoning(raw["content"])];
  if (type.startsWith("compaction")) return blocksOf(raw["summary"] ?? raw["content"]);
  if (type.endsWith("_call_output")) return [resultPart(raw, stringAt(raw, "call_id"), resultContent(raw["output"]))];
  return type.endsWith("_call") ? callParts(raw, type) : [other(raw)];
}

/** A call; one that the server ran holds its result too. */
function callParts(raw: Record<string, unknown>, type: string): WirePart[] {
  const input = ["arguments", "input", "action", "actions", "operation", "code", "queries"]
    .map((key) => raw[key])
    .find((value) => value !== undefined && value !== null);
  const id = stringAt(raw, "call_id");
  const call: WirePart = { type: "call", id, name: stringAt(raw, "name") ?? type, input };
  if (type === "image_generation_call" && typeof raw["result"] === "string") {
    return [call, { type: "media", mediaType: "image/png", data: raw["result"], inline: true }];
  }
  const answer = raw["output"] ?? raw["outputs"] ?? raw["results"] ?? raw["error"];
  return answer === undefined || answer === null ? [call] : [call, resultPart(raw, id, resultContent(answer))];
}
