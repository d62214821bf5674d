// What OpenAI's Chat Completions refuses, in its words. Stricter than OpenAI in two points that other servers
// of this wire insist on: arguments are a JSON object, and call ids are unique through the whole history.
import { isObjects, type Json, object, objects, parse, string } from "../json.ts";
import { emptyArray, namePattern, schemaViolations, tooLong, wrongPattern } from "./openai-rules.ts";

const partTypes: Record<string, string[]> = {
  system: ["text"],
  developer: ["text"],
  user: ["text", "image_url", "input_audio", "file"],
  assistant: ["text", "refusal"],
  tool: ["text"],
};

export function* chatViolations(body: Json): Generator<string> {
  if (string(body.model) === undefined) yield "you must provide a model parameter";
  if (!isObjects(body.messages)) yield "Invalid type for 'messages': expected an array of objects.";
  const messages = objects(body.messages);
  if (messages.length === 0) yield emptyArray("messages");
  for (const [index, message] of messages.entries()) yield* messageViolations(message, `messages[${index}]`);
  yield* pairingViolations(messages);
  yield* toolViolations(body);
}

function* messageViolations(message: Json, at: string): Generator<string> {
  const role = String(message.role);
  const allowed = partTypes[role];
  if (allowed === undefined) {
    yield `Invalid value: '${role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.`;
    return;
  }
  const { content } = message;
  if (Array.isArray(content)) {
    if (content.length === 0) yield emptyArray(`${at}.content`);
    for (const [index, part] of objects(content).entries()) {
      const type = String(part.type);
      if (!allowed.includes(type))
        yield `Invalid value: '${type}'. Supported values are: ${allowed.map((name) => `'${name}'`).join(", ")}.`;
      if (type === "text" && string(part.text) === undefined)
        yield `Missing required parameter: '${at}.content[${index}].text'.`;
    }
  } else if (typeof content !== "string") {
    const callsOnly =
      role === "assistant" && message.tool_calls !== undefined && (content === null || content === undefined);
    if (!callsOnly)
      yield `Invalid value for 'content': expected a string, got ${content === null ? "null" : typeof content}.`;
  }
  if (message.tool_calls !== undefined) yield* callViolations(message.tool_calls, `${at}.tool_calls`);
}

function* callViolations(calls: unknown, at: string): Generator<string> {
  if (objects(calls).length === 0) yield emptyArray(at);
  for (const [index, call] of objects(calls).entries()) {
    const id = string(call.id);
    if (id === undefined || id === "") yield `Missing required parameter: '${at}[${index}].id'.`;
    else if (id.length > 40) yield tooLong(`${at}[${index}].id`, 40, id.length);
    if (call.type !== "function") yield `Missing required parameter: '${at}[${index}].type'.`;
    const called = object(call.function);
    if (!namePattern.test(String(called?.name))) yield wrongPattern(`${at}[${index}].function.name`);
    const args = string(called?.arguments);
    if (args === undefined) yield `Invalid type for '${at}[${index}].function.arguments': expected a string.`;
    else if (object(parse(args)) === undefined)
      yield `Invalid '${at}[${index}].function.arguments': expected a string with a JSON object.`;
  }
}

function* pairingViolations(messages: Json[]): Generator<string> {
  const everAsked = new Set<string>();
  let asked = new Set<string>();
  let open = new Set<string>();
  for (const [index, message] of [...messages, { role: "end" } as Json].entries()) {
    if (message.role === "tool") {
      const id = String(message.tool_call_id);
      if (asked.size === 0)
        yield "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
      else if (!asked.has(id))
        yield `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`;
      else if (!open.delete(id)) yield duplicateId(id, index);
      continue;
    }
    if (open.size > 0) {
      yield `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(", ")}`;
    }
    const ids = objects(message.tool_calls).map((call) => String(call.id));
    asked = new Set(ids);
    open = new Set(ids);
    for (const id of ids) {
      if (everAsked.has(id)) yield duplicateId(id, index);
      everAsked.add(id);
    }
  }
}

function duplicateId(id: string, index: number): string {
  return `Duplicate value for 'tool_call_id' of '${id}' in message[${index}]`;
}

function* toolViolations(body: Json): Generator<string> {
  if (body.tools === undefined) {
    for (const name of ["tool_choice", "parallel_tool_calls"]) {
      if (body[name] !== undefined)
        yield `Invalid value for '${name}': '${name}' is only allowed when 'tools' are specified.`;
    }
    return;
  }
  const tools = objects(body.tools);
  if (tools.length === 0) yield emptyArray("tools");
  for (const [index, tool] of tools.entries()) {
    const declared = object(tool.function);
    if (declared === undefined) yield `Missing required parameter: 'tools[${index}].function'.`;
    else yield* schemaViolations(declared, `tools[${index}].function`);
  }
}
