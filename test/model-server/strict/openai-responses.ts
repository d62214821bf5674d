// What OpenAI's Responses API refuses, in its words. As for Chat Completions, arguments must be a JSON object.
import { type Issued, isEncryptedReasoning } from "../issued.ts";
import { isObjects, type Json, object, objects, parse, string } from "../json.ts";
import { emptyArray, namePattern, schemaViolations, tooLong, wrongPattern } from "./openai-rules.ts";

const idPrefix: Record<string, string> = { reasoning: "rs", function_call: "fc", message: "msg" };
const inputTypes = ["input_text", "input_image", "input_file"];
const outputTypes = ["output_text", "refusal"];

export function* responsesViolations(body: Json, issued: Issued): Generator<string> {
  if (string(body.model) === undefined) yield "you must provide a model parameter";
  if (typeof body.input !== "string") {
    if (!isObjects(body.input)) yield "Invalid type for 'input': expected one of an array of objects or string.";
    const items = objects(body.input);
    if (items.length === 0) yield emptyArray("input");
    for (const [index, item] of items.entries()) yield* itemViolations(item, `input[${index}]`);
    yield* idViolations(items, body.store !== false, issued);
    yield* pairingViolations(items, body, issued);
    yield* reasoningViolations(items, issued);
  }
  for (const [index, tool] of objects(body.tools).entries()) {
    if (tool.type === "function") yield* schemaViolations(tool, `tools[${index}]`);
    else if (tool.type === undefined) yield `Missing required parameter: 'tools[${index}].type'.`;
  }
}

function typeOf(item: Json): string {
  return String(item.type ?? "message");
}

function* itemViolations(item: Json, at: string): Generator<string> {
  const prefix = idPrefix[typeOf(item)];
  if (item.id !== undefined && prefix !== undefined && !String(item.id).startsWith(prefix)) {
    yield `Invalid '${at}.id': '${item.id}'. Expected an ID that begins with '${prefix}'.`;
  }
  const callId = string(item.call_id);
  if (callId !== undefined && callId.length > 64) yield tooLong(`${at}.call_id`, 64, callId.length);
  switch (typeOf(item)) {
    case "message":
      yield* messageViolations(item, at);
      return;
    case "reasoning":
      if (!Array.isArray(item.summary)) yield `Missing required parameter: '${at}.summary'.`;
      return;
    case "function_call":
      if (callId === undefined) yield `Missing required parameter: '${at}.call_id'.`;
      if (!namePattern.test(String(item.name))) yield wrongPattern(`${at}.name`);
      if (object(parse(String(item.arguments))) === undefined)
        yield `Invalid '${at}.arguments': expected a string with a JSON object.`;
      return;
    case "function_call_output":
      if (callId === undefined) yield `Missing required parameter: '${at}.call_id'.`;
      if (typeof item.output !== "string" && !Array.isArray(item.output))
        yield `Missing required parameter: '${at}.output'.`;
      return;
    case "item_reference":
      return;
    default:
      yield `Invalid value: '${item.type}'. Supported values are: 'message', 'reasoning', 'function_call', 'function_call_output', and 'item_reference'.`;
  }
}

function* messageViolations(item: Json, at: string): Generator<string> {
  const role = String(item.role);
  if (!["user", "assistant", "system", "developer"].includes(role)) {
    yield `Invalid value: '${role}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.`;
  }
  if (typeof item.content === "string") return;
  if (!Array.isArray(item.content)) yield `Missing required parameter: '${at}.content'.`;
  const allowed = role === "assistant" ? outputTypes : inputTypes;
  for (const part of objects(item.content)) {
    if (!allowed.includes(String(part.type)))
      yield `Invalid value: '${part.type}'. Supported values are: ${allowed.map((name) => `'${name}'`).join(", ")}.`;
  }
}

function* idViolations(items: Json[], storing: boolean, issued: Issued): Generator<string> {
  const seen = new Set<string>();
  for (const item of items) {
    const id = string(item.id);
    if (id !== undefined && seen.has(id))
      yield `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`;
    if (id !== undefined) seen.add(id);
    const encrypted = string(item.encrypted_content);
    if (encrypted !== undefined && !isEncryptedReasoning(encrypted)) {
      yield `The encrypted content for item ${id} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`;
    }
    const byIdOnly = item.type === "item_reference" || (item.type === "reasoning" && encrypted === undefined);
    if (byIdOnly && issued.items.get(id ?? "")?.stored !== true) {
      const hint =
        " Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.";
      yield `Item with id '${id}' not found.${storing ? "" : hint}`;
    }
    const needs = issued.items.get(id ?? "")?.needs;
    if (needs !== undefined && !seen.has(needs)) {
      yield `Item '${id}' of type '${item.type}' was provided without its required 'reasoning' item: '${needs}'.`;
    }
  }
}

function* pairingViolations(items: Json[], body: Json, issued: Issued): Generator<string> {
  const open = new Set<string>();
  for (const item of items) {
    const referred = item.type === "item_reference" ? issued.items.get(String(item.id))?.callId : undefined;
    const called = item.type === "function_call" ? String(item.call_id) : referred;
    if (called !== undefined && open.has(called)) yield `Duplicate function call found with call_id ${called}.`;
    if (called !== undefined) open.add(called);
    if (item.type !== "function_call_output") continue;
    // The call may be in the response that the request continues.
    if (!open.delete(String(item.call_id)) && body.previous_response_id === undefined) {
      yield `No tool call found for function call output with call_id ${item.call_id}.`;
    }
  }
  for (const id of open) yield `No tool output found for function call ${id}.`;
}

function* reasoningViolations(items: Json[], issued: Issued): Generator<string> {
  const isReasoning = (item: Json): boolean =>
    item.type === "reasoning" || (item.type === "item_reference" && String(item.id).startsWith("rs"));
  for (const [index, item] of items.entries()) {
    if (!isReasoning(item)) continue;
    const next = items.slice(index + 1).find((later) => !isReasoning(later));
    const isOutput = next?.type === "function_call" || next?.role === "assistant" || issued.items.has(String(next?.id));
    if (!isOutput) yield `Item '${item.id}' of type 'reasoning' was provided without its required following item.`;
  }
}
