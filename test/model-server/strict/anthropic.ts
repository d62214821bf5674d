// What Anthropic's Messages API refuses, in its words.
import type { Issued } from "../issued.ts";
import { isObjects, type Json, object, objects, string } from "../json.ts";
import { pairingViolations } from "./anthropic-pairing.ts";
import { thinkingViolations } from "./anthropic-thinking.ts";

/** One turn: consecutive messages of a role, which the API joins. `at` is the block's place in the request. */
export type TurnBlocks = { role: string; at: string; blocks: { block: Json; at: string }[] };

export function* anthropicViolations(body: Json, issued: Issued): Generator<string> {
  if (string(body.model) === undefined) yield "model: Field required";
  if (typeof body.max_tokens !== "number") yield "max_tokens: Field required";
  if (!isObjects(body.messages)) yield "messages: Input should be a valid list";
  const messages = objects(body.messages);
  if (messages.length === 0) yield "messages: at least one message is required";
  yield* roleViolations(messages);
  yield* systemViolations(body);
  const turns = joinTurns(messages);
  const last = messages.at(-1);
  for (const message of messages) {
    const isEmpty = message.content === "" || (Array.isArray(message.content) && message.content.length === 0);
    if (isEmpty && (message !== last || message.role !== "assistant")) {
      yield `messages.${messages.indexOf(message)}: all messages must have non-empty content except for the optional final assistant message`;
    }
  }
  for (const turn of turns) for (const { block, at } of turn.blocks) yield* blockViolations(block, at);
  yield* pairingViolations(turns);
  yield* thinkingViolations(body, turns, issued);
  yield* toolViolations(body, turns);
  yield* cacheViolations(body, turns);
  const end = turns.at(-1);
  const endText = end?.role === "assistant" ? string(end.blocks.at(-1)?.block.text) : undefined;
  if (endText !== undefined && endText !== endText.trimEnd())
    yield "messages: final assistant content cannot end with trailing whitespace";
}

function joinTurns(messages: Json[]): TurnBlocks[] {
  const turns: TurnBlocks[] = [];
  for (const [index, message] of messages.entries()) {
    const content =
      typeof message.content === "string" ? [{ type: "text", text: message.content }] : objects(message.content);
    const blocks = content.map((block, n) => ({ block, at: `messages.${index}.content.${n}` }));
    const previous = turns.at(-1);
    if (previous?.role === message.role) previous?.blocks.push(...blocks);
    else turns.push({ role: String(message.role), at: `messages.${index}`, blocks });
  }
  return turns;
}

function* roleViolations(messages: Json[]): Generator<string> {
  for (const { role } of messages) {
    if (role === "user" || role === "assistant") continue;
    yield role === "system"
      ? 'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.'
      : `messages: Unexpected role "${role}". Allowed roles are "user" or "assistant"`;
  }
  if (messages[0]?.role === "assistant") yield 'messages: first message must use the "user" role';
}

function* systemViolations(body: Json): Generator<string> {
  const { system } = body;
  if (system !== undefined && typeof system !== "string" && !Array.isArray(system))
    yield "system: Input should be a valid list";
  for (const block of objects(system)) {
    if (block.type !== "text") yield "system.0.type: Input should be 'text'";
    yield* textViolations(block, "system");
  }
}

function* blockViolations(block: Json, at: string): Generator<string> {
  switch (block.type) {
    case "text":
      yield* textViolations(block, "messages");
      return;
    case "tool_use":
      if (!/^[a-zA-Z0-9_-]+$/.test(String(block.id)))
        yield `${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
      if (object(block.input) === undefined) yield `${at}.tool_use.input: Input should be a valid dictionary`;
      return;
    case "tool_result":
      if (string(block.tool_use_id) === undefined) yield `${at}.tool_result.tool_use_id: Field required`;
      for (const inner of objects(block.content)) {
        if (inner.type === "text" && inner.text === "") yield "messages: text content blocks must be non-empty";
      }
      return;
    case "thinking":
      if (block.cache_control !== undefined) yield `${at}.thinking.cache_control: Extra inputs are not permitted`;
      return;
    case "redacted_thinking":
    case "image":
    case "document":
      return;
    default:
      yield `${at}: Input tag '${block.type}' found using 'type' does not match any of the expected tags: 'document', 'image', 'redacted_thinking', 'text', 'thinking', 'tool_result', 'tool_use'`;
  }
}

function* textViolations(block: Json, where: string): Generator<string> {
  const text = string(block.text);
  if (text === undefined) yield `${where}: text: Field required`;
  else if (text === "") yield `${where}: text content blocks must be non-empty`;
  else if (text.trim() === "") yield `${where}: text content blocks must contain non-whitespace text`;
}

function* toolViolations(body: Json, turns: TurnBlocks[]): Generator<string> {
  const tools = objects(body.tools);
  const usesTools = turns.some((turn) =>
    turn.blocks.some(({ block }) => block.type === "tool_use" || block.type === "tool_result"),
  );
  if (usesTools && tools.length === 0)
    yield "Requests which include `tool_use` or `tool_result` blocks must define tools.";
  if (new Set(tools.map((tool) => tool.name)).size < tools.length) yield "tools: Tool names must be unique.";
  for (const [index, tool] of tools.entries()) {
    // Tools of the provider's own have a dated type and bring no schema.
    if (tool.type !== undefined && tool.type !== "custom") continue;
    const at = `tools.${index}.custom`;
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(String(tool.name)))
      yield `${at}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
    if (object(tool.input_schema) === undefined) yield `${at}.input_schema: Field required`;
    else if (object(tool.input_schema)?.type !== "object") yield `${at}.input_schema.type: Input should be 'object'`;
  }
}

function* cacheViolations(body: Json, turns: TurnBlocks[]): Generator<string> {
  const blocks = turns.flatMap((turn) => turn.blocks.flatMap(({ block }) => [block, ...objects(block.content)]));
  const marked = [...objects(body.system), ...objects(body.tools), ...blocks].filter(
    (block) => object(block.cache_control) !== undefined,
  );
  if (marked.length > 4) yield `A maximum of 4 blocks with cache_control may be provided. Found ${marked.length}.`;
}
