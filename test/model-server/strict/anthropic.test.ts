// Anthropic: each rule of the checker refuses a planted violation, and valid histories pass.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Json } from "../json.ts";
import { calls } from "../reply.ts";
import { type Planted, plant } from "./planted.ts";

let planted: Planted;
beforeAll(async () => {
  planted = await plant("/v1/messages");
});
afterAll(() => planted.server.close());

const text = (value: string, more: Json = {}): Json => ({ type: "text", text: value, ...more });
const user = (...content: Json[]): Json => ({ role: "user", content: content.length > 0 ? content : "Hi" });
const assistant = (...content: Json[]): Json => ({ role: "assistant", content });
const use = (id: string, input: unknown = {}): Json => ({ type: "tool_use", id, name: "view", input });
const result = (id: string, more: Json = {}): Json => ({
  type: "tool_result",
  tool_use_id: id,
  content: "ok",
  ...more,
});
const thinking = (signature: unknown = "sig_x"): Json => ({ type: "thinking", thinking: "Hm.", signature });
const tool = (more: Json = {}): Json => ({ name: "view", input_schema: { type: "object" }, ...more });
const request = (...messages: Json[]): Json => ({ model: "m", max_tokens: 99, tools: [tool()], messages });
const marked = { cache_control: { type: "ephemeral" } };

test.each<[string, Json]>([
  [
    "a whole conversation",
    request(
      user(),
      assistant(thinking(), text("Looking."), use("a"), use("b")),
      user(result("b"), result("a"), text("Go on.")),
      assistant(text("Done.")),
      user(),
    ),
  ],
  [
    "consecutive messages of a role",
    request(user(), user(), assistant(text("a")), assistant(use("x")), user(result("x")), user(text("and"))),
  ],
  [
    "thinking between texts",
    request(user(), assistant(thinking(), text("a"), thinking(), use("x")), user(result("x"))),
  ],
  ["an empty result", request(user(), assistant(use("a")), user(result("a", { content: "" })))],
  [
    "four marks",
    { ...request(user(text("x", marked))), system: [text("s", marked), text("t", marked)], tools: [tool(marked)] },
  ],
  ["tools of the provider's own", { ...request(user()), tools: [{ type: "bash_20250124", name: "bash" }] }],
  ["an assistant message to go on from", request(user(), assistant(text("The answer is")))],
  [
    "thinking by budget in a tool loop",
    {
      ...request(user(), assistant(thinking(), use("a")), user(result("a"))),
      thinking: { type: "enabled", budget_tokens: 9 },
    },
  ],
])("passes: %s", async (_name, body) => {
  expect(await planted.refusal(body)).toBeUndefined();
});

test.each<[string, Json, string]>([
  ["no model", { max_tokens: 9, messages: [user()] }, "model: Field required"],
  ["a message that is no object", { ...request(), messages: ["Hi"] }, "messages: Input should be a valid list"],
  ["system that is no text", { ...request(user()), system: 1 }, "system: Input should be a valid list"],
  [
    "an image in the system text",
    { ...request(user()), system: [{ type: "image", text: "x" }] },
    "system.0.type: Input should be 'text'",
  ],
  [
    "a result without an id",
    request(user({ type: "tool_result" })),
    "messages.0.content.0.tool_result.tool_use_id: Field required",
  ],
  ["text block without text", request(user({ type: "text" })), "text: Field required"],
  ["thinking by the user", request(user(thinking())), "can only be in `assistant` messages"],
  ["no max_tokens", { model: "m", messages: [user()] }, "max_tokens: Field required"],
  ["no messages", request(), "messages: at least one message is required"],
  ["system as a message", request({ role: "system", content: "s" }, user()), 'Unexpected role "system"'],
  ["unknown role", request(user(), { role: "tool", content: "x" }), 'Unexpected role "tool"'],
  ["assistant first", request(assistant(text("a")), user()), 'first message must use the "user" role'],
  ["half a surrogate pair", request(user(text("\ud83d"))), "not valid JSON: no low surrogate in string"],
  [
    "unanswered call",
    request(user(), assistant(use("a"), use("b")), user(result("a"))),
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: b.",
  ],
  [
    "call at the end",
    request(user(), assistant(use("a"))),
    "`tool_use` ids were found without `tool_result` blocks immediately after: a.",
  ],
  ["result after a text", request(user(), assistant(use("a")), user(text("x"), result("a"))), "immediately after: a."],
  [
    "orphan result",
    request(user(result("a"))),
    "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a.",
  ],
  [
    "result of an earlier call",
    request(user(), assistant(use("a")), user(result("a")), assistant(text("x")), user(result("a"))),
    "messages.4.content.0: unexpected `tool_use_id`",
  ],
  [
    "two results",
    request(user(), assistant(use("a")), user(result("a"), result("a"))),
    "each tool_use must have a single result",
  ],
  [
    "one id twice",
    request(user(), assistant(use("a")), user(result("a")), assistant(use("a")), user(result("a"))),
    "messages.3: `tool_use` ids must be unique",
  ],
  [
    "bad id",
    request(user(), assistant(use("a|b")), user(result("a|b"))),
    "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  ],
  [
    "input that is no object",
    request(user(), assistant(use("a", "{}")), user(result("a"))),
    "tool_use.input: Input should be a valid dictionary",
  ],
  ["a call by the user", request(user(use("a")), assistant(text("x")), user()), "can only be in `assistant` messages"],
  ["empty text", request(user(text(""))), "messages: text content blocks must be non-empty"],
  [
    "empty text in a result",
    request(user(), assistant(use("a")), user(result("a", { content: [text("")] }))),
    "messages: text content blocks must be non-empty",
  ],
  ["whitespace text", request(user(text(" \n"))), "messages: text content blocks must contain non-whitespace text"],
  [
    "whitespace system",
    { ...request(user()), system: [text(" ")] },
    "system: text content blocks must contain non-whitespace text",
  ],
  [
    "empty message",
    request(user(), { role: "assistant", content: [] }, user()),
    "messages.1: all messages must have non-empty content",
  ],
  [
    "trailing whitespace",
    request(user(), assistant(text("The answer is "))),
    "final assistant content cannot end with trailing whitespace",
  ],
  [
    "foreign block",
    request(user({ type: "input_text", text: "x" })),
    "Input tag 'input_text' found using 'type' does not match",
  ],
  [
    "unsigned thinking",
    request(user(), assistant(thinking(null), text("a")), user()),
    "messages.1.content.0.thinking.signature: Field required",
  ],
  [
    "another provider's secret",
    request(user(), assistant(thinking("enc_x"), text("a")), user()),
    "messages.1.content.0: Invalid `signature` in `thinking` block",
  ],
  [
    "thinking after a text",
    request(user(), assistant(text("a"), thinking()), user()),
    "Expected `thinking` or `redacted_thinking`, but found `text`",
  ],
  [
    "a mark on thinking",
    request(user(), assistant({ ...thinking(), ...marked }, text("a")), user()),
    "thinking.cache_control: Extra inputs are not permitted",
  ],
  [
    "budget without thinking in a tool loop",
    { ...request(user(), assistant(use("a")), user(result("a"))), thinking: { type: "enabled", budget_tokens: 9 } },
    "When `thinking` is enabled, a final `assistant` message must start with a thinking block",
  ],
  [
    "budget over the output",
    { ...request(user()), thinking: { type: "enabled", budget_tokens: 99 } },
    "`max_tokens` must be greater than `thinking.budget_tokens`",
  ],
  [
    "calls without tools",
    { ...request(user(), assistant(use("a")), user(result("a"))), tools: [] },
    "blocks must define tools",
  ],
  [
    "five marks",
    request(user(...["a", "b", "c", "d", "e"].map((value) => text(value, marked)))),
    "A maximum of 4 blocks with cache_control may be provided. Found 5.",
  ],
  [
    "bad tool name",
    { ...request(user()), tools: [tool({ name: "vi.ew" })] },
    "tools.0.custom.name: String should match pattern",
  ],
  ["one tool twice", { ...request(user()), tools: [tool(), tool()] }, "tools: Tool names must be unique."],
  ["no schema", { ...request(user()), tools: [{ name: "view" }] }, "tools.0.custom.input_schema: Field required"],
  [
    "schema that is no object",
    { ...request(user()), tools: [tool({ input_schema: {} })] },
    "tools.0.custom.input_schema.type: Input should be 'object'",
  ],
])("refuses: %s", async (_name, body, message) => {
  expect(await planted.refusal(body)).toContain(message);
});

test("refuses a request without the version header", async () => {
  const body = JSON.stringify(request(user()));
  const response = await fetch(`${planted.server.url}/v1/messages`, { method: "POST", body });
  expect(await response.json()).toMatchObject({
    type: "error",
    error: { type: "invalid_request_error", message: "anthropic-version: header is required" },
  });
});

test("refuses thinking that was changed under its signature", async () => {
  planted.server.always(() => calls([{ name: "view", id: "a" }], { reasoning: "As it was." }));
  const headers = { "anthropic-version": "2023-06-01" };
  const response = await fetch(`${planted.server.url}/v1/messages`, {
    method: "POST",
    headers,
    body: JSON.stringify(request(user())),
  });
  const { content } = (await response.json()) as { content: Json[] };
  const [thought = {}, ...rest] = content;
  expect(await planted.refusal(request(user(), assistant(thought, ...rest), user(result("a"))))).toBeUndefined();
  const changed = { ...thought, thinking: "As it was not." };
  expect(await planted.refusal(request(user(), assistant(changed, ...rest), user(result("a"))))).toContain(
    "cannot be modified",
  );
});
