// Chat Completions: each rule of the checker refuses a planted violation, and valid histories pass.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Json } from "../json.ts";
import { type Planted, plant } from "./planted.ts";

let planted: Planted;
beforeAll(async () => {
  planted = await plant("/v1/chat/completions");
});
afterAll(() => planted.server.close());

const user = (content: unknown = "Hi"): Json => ({ role: "user", content });
const call = (id: string, name = "view", args: unknown = "{}"): Json => ({
  id,
  type: "function",
  function: { name, arguments: args },
});
const asks = (...calls: Json[]): Json => ({ role: "assistant", content: null, tool_calls: calls });
const result = (id: string): Json => ({ role: "tool", tool_call_id: id, content: "ok" });
const request = (...messages: Json[]): Json => ({ model: "m", messages });
const tool = (name = "view", parameters: unknown = { type: "object", properties: {} }): Json => ({
  type: "function",
  function: { name, parameters },
});

test.each<[string, Json]>([
  [
    "a whole conversation",
    request(
      { role: "system", content: "s" },
      user(),
      asks(call("a"), call("b")),
      result("b"),
      result("a"),
      { role: "assistant", content: "" },
      user(),
    ),
  ],
  [
    "content parts",
    request(
      { role: "developer", content: [{ type: "text", text: "s" }] },
      user([
        { type: "text", text: "x" },
        { type: "image_url", image_url: { url: "data:," } },
      ]),
    ),
  ],
  ["a system message in the middle", request(user(), { role: "system", content: "s" }, user())],
  ["text beside calls", request(user(), { ...asks(call("a")), content: "Looking." }, result("a"))],
  [
    "tools",
    { ...request(user()), tools: [tool(), { type: "function", function: { name: "none" } }], tool_choice: "auto" },
  ],
])("passes: %s", async (_name, body) => {
  expect(await planted.refusal(body)).toBeUndefined();
});

test.each<[string, Json, string]>([
  [
    "a call without an id",
    request(user(), asks({ type: "function", function: { name: "view", arguments: "{}" } })),
    "Missing required parameter: 'messages[1].tool_calls[0].id'",
  ],
  [
    "a call without a type",
    request(user(), asks({ id: "a", function: { name: "view", arguments: "{}" } }), result("a")),
    "Missing required parameter: 'messages[1].tool_calls[0].type'",
  ],
  [
    "a tool in the form of Responses",
    { ...request(user()), tools: [{ type: "function", name: "view" }] },
    "Missing required parameter: 'tools[0].function'",
  ],
  ["no model", { messages: [user()] }, "you must provide a model parameter"],
  ["no messages", { model: "m" }, "Invalid type for 'messages'"],
  ["a message that is no object", { model: "m", messages: ["Hi"] }, "Invalid type for 'messages'"],
  ["empty messages", request(), "Invalid 'messages': empty array"],
  ["unknown role", request({ role: "human", content: "Hi" }), "Invalid value: 'human'. Supported values are"],
  ["half a surrogate pair", request(user("\ud83d")), "We could not parse the JSON body"],
  ["unanswered call", request(user(), asks(call("a"), call("b")), result("a")), "did not have response messages: b"],
  [
    "a message between call and result",
    request(user(), asks(call("a")), user(), result("a")),
    "did not have response messages: a",
  ],
  [
    "orphan result",
    request(user(), result("a")),
    "messages with role 'tool' must be a response to a preceeding message",
  ],
  [
    "result of an earlier call",
    request(user(), asks(call("a")), result("a"), user(), result("a")),
    "messages with role 'tool' must be a response",
  ],
  [
    "result of an unknown call",
    request(user(), asks(call("a")), result("x"), result("a")),
    "'tool_call_id' of 'x' not found",
  ],
  [
    "two results",
    request(user(), asks(call("a")), result("a"), result("a")),
    "Duplicate value for 'tool_call_id' of 'a' in message[3]",
  ],
  [
    "one id twice in a message",
    request(user(), asks(call("a"), call("a")), result("a")),
    "Duplicate value for 'tool_call_id' of 'a'",
  ],
  [
    "one id twice in the history",
    request(user(), asks(call("a")), result("a"), asks(call("a")), result("a")),
    "Duplicate value for 'tool_call_id' of 'a' in message[3]",
  ],
  [
    "long id",
    request(user(), asks(call("x".repeat(41))), result("x".repeat(41))),
    "Expected a string with maximum length 40, but got a string with length 41",
  ],
  [
    "arguments as an object",
    request(user(), asks(call("a", "view", {})), result("a")),
    "function.arguments': expected a string.",
  ],
  [
    "arguments that are not JSON",
    request(user(), asks(call("a", "view", "{")), result("a")),
    "expected a string with a JSON object",
  ],
  [
    "arguments of another kind",
    request(user(), asks(call("a", "view", '"{"')), result("a")),
    "expected a string with a JSON object",
  ],
  [
    "bad name in a call",
    request(user(), asks(call("a", "vi ew")), result("a")),
    "tool_calls[0].function.name': string does not match pattern",
  ],
  [
    "empty tool_calls",
    request(user(), { role: "assistant", content: "Hi", tool_calls: [] }),
    "Invalid 'messages[1].tool_calls': empty array",
  ],
  ["no content and no calls", request(user(), { role: "assistant", content: null }), "expected a string, got null"],
  ["user without content", request(user(null)), "expected a string, got null"],
  ["empty content array", request(user([])), "Invalid 'messages[0].content': empty array"],
  ["foreign part type", request(user([{ type: "tool_result", content: "x" }])), "Invalid value: 'tool_result'"],
  [
    "image in an assistant message",
    request(user(), { role: "assistant", content: [{ type: "image_url" }] }),
    "Invalid value: 'image_url'",
  ],
  [
    "text part without text",
    request(user([{ type: "text" }])),
    "Missing required parameter: 'messages[0].content[0].text'",
  ],
  [
    "bad tool name",
    { ...request(user()), tools: [tool("vi.ew")] },
    "Invalid 'tools[0].function.name': string does not match pattern",
  ],
  ["long tool name", { ...request(user()), tools: [tool("x".repeat(65))] }, "string does not match pattern"],
  [
    "schema that is no object",
    { ...request(user()), tools: [tool("view", { type: "string" })] },
    "Invalid schema for function 'view'",
  ],
  ["empty tools", { ...request(user()), tools: [] }, "Invalid 'tools': empty array"],
  [
    "choice without tools",
    { ...request(user()), tool_choice: "auto" },
    "'tool_choice' is only allowed when 'tools' are specified",
  ],
])("refuses: %s", async (_name, body, message) => {
  expect(await planted.refusal(body)).toContain(message);
});
