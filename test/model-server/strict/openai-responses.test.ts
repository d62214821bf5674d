// Responses: each rule of the checker refuses a planted violation, and valid histories pass.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json } from "../json.ts";
import { calls } from "../reply.ts";
import { type Planted, plant } from "./planted.ts";

let planted: Planted;
beforeAll(async () => {
  planted = await plant("/v1/responses");
});
afterAll(() => planted.server.close());

const user = (content: unknown = "Hi"): Json => ({ role: "user", content });
const says = (text = "Hello."): Json => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text }],
});
const call = (id: string, more: Json = {}): Json => ({
  type: "function_call",
  call_id: id,
  name: "view",
  arguments: "{}",
  ...more,
});
const result = (id: string): Json => ({ type: "function_call_output", call_id: id, output: "ok" });
const thought = (id: string, more: Json = { encrypted_content: "enc_x" }): Json => ({
  type: "reasoning",
  id,
  summary: [],
  ...more,
});
const request = (...input: Json[]): Json => ({ model: "m", store: false, input });

test.each<[string, Json]>([
  ["a string", { model: "m", input: "Hi" }],
  [
    "a whole conversation",
    request(
      { role: "developer", content: "s" },
      user(),
      thought("rs_1"),
      call("a"),
      call("b"),
      result("b"),
      result("a"),
      thought("rs_2"),
      says(),
      user([{ type: "input_text", text: "x" }]),
    ),
  ],
  [
    "reasoning without an id",
    request(
      user(),
      { type: "reasoning", summary: [], encrypted_content: "enc_x" },
      { role: "assistant", content: "Hello." },
    ),
  ],
  ["a call with its id", request(user(), call("a", { id: "fc_1" }), result("a"))],
  [
    "tools",
    {
      ...request(user()),
      tools: [{ type: "function", name: "view", parameters: { type: "object" } }, { type: "web_search" }],
    },
  ],
])("passes: %s", async (_name, body) => {
  expect(await planted.refusal(body)).toBeUndefined();
});

test.each<[string, Json, string]>([
  ["no model", { input: "Hi" }, "you must provide a model parameter"],
  [
    "a tool without a type",
    { ...request(user()), tools: [{ name: "view" }] },
    "Missing required parameter: 'tools[0].type'",
  ],
  [
    "a call without an id",
    request(user(), { type: "function_call", name: "view", arguments: "{}" }),
    "Missing required parameter: 'input[1].call_id'",
  ],
  [
    "bad name in a call",
    request(user(), call("a", { name: "vi ew" }), result("a")),
    "Invalid 'input[1].name': string does not match pattern",
  ],
  [
    "a result without an id",
    request(user(), { type: "function_call_output", output: "ok" }),
    "Missing required parameter: 'input[1].call_id'",
  ],
  [
    "a result without output",
    request(user(), call("a"), { type: "function_call_output", call_id: "a" }),
    "Missing required parameter: 'input[2].output'",
  ],
  ["a message without content", request({ role: "user" }), "Missing required parameter: 'input[0].content'"],
  ["no input", { model: "m" }, "Invalid type for 'input'"],
  ["empty input", request(), "Invalid 'input': empty array"],
  ["unknown item", request({ type: "tool_use" }), "Invalid value: 'tool_use'"],
  ["unknown role", request({ role: "tool", content: "x" }), "Invalid value: 'tool'"],
  [
    "input text from the assistant",
    request(user(), { role: "assistant", content: [{ type: "input_text", text: "x" }] }),
    "Invalid value: 'input_text'. Supported values are: 'output_text', 'refusal'",
  ],
  ["unanswered call", request(user(), call("a")), "No tool output found for function call a."],
  ["orphan result", request(user(), result("a")), "No tool call found for function call output with call_id a."],
  ["result before its call", request(user(), result("a"), call("a")), "No tool call found"],
  ["two results", request(user(), call("a"), result("a"), result("a")), "No tool call found"],
  [
    "one call id twice",
    request(user(), call("a"), call("a"), result("a")),
    "Duplicate function call found with call_id a.",
  ],
  [
    "arguments that are not JSON",
    request(user(), call("a", { arguments: "{" }), result("a")),
    "expected a string with a JSON object",
  ],
  [
    "reasoning at the end",
    request(user(), thought("rs_1")),
    "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
  ],
  ["reasoning before a user message", request(user(), thought("rs_1"), user()), "without its required following item"],
  [
    "reasoning before a result",
    request(user(), call("a"), thought("rs_1"), result("a")),
    "without its required following item",
  ],
  [
    "reasoning without a summary",
    request(user(), { type: "reasoning", encrypted_content: "enc_x" }, says()),
    "Missing required parameter: 'input[1].summary'",
  ],
  [
    "another provider's secret",
    request(user(), thought("rs_1", { encrypted_content: "sig_x" }), says()),
    "The encrypted content for item rs_1 could not be verified.",
  ],
  [
    "reasoning by id only",
    request(user(), thought("rs_1", {}), says()),
    "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.",
  ],
  ["unknown reference", request(user(), { type: "item_reference", id: "msg_1" }), "Item with id 'msg_1' not found."],
  [
    "another provider's call id as item id",
    request(user(), call("a", { id: "toolu_1" }), result("a")),
    "Invalid 'input[1].id': 'toolu_1'. Expected an ID that begins with 'fc'.",
  ],
  ["a message's id", request(user(), { ...says(), id: "rs_1" }), "Expected an ID that begins with 'msg'."],
  ["an id of reasoning", request(user(), thought("msg_1"), says()), "Expected an ID that begins with 'rs'."],
  [
    "one id twice",
    request(user(), thought("rs_1"), says(), thought("rs_1"), says()),
    "Duplicate item found with id rs_1.",
  ],
  [
    "long call id",
    request(user(), call("x".repeat(65)), result("x".repeat(65))),
    "Expected a string with maximum length 64",
  ],
  [
    "a tool in the form of Chat Completions",
    { ...request(user()), tools: [{ type: "function", function: { name: "view" } }] },
    "Missing required parameter: 'tools[0].name'.",
  ],
  [
    "schema that is no object",
    { ...request(user()), tools: [{ type: "function", name: "view", parameters: {} }] },
    "Invalid schema for function 'view'",
  ],
])("refuses: %s", async (_name, body, message) => {
  expect(await planted.refusal(body)).toContain(message);
});

describe("items that the server gave out", () => {
  /** The ids of reasoning, item and call of one answered request. */
  async function issue(store: boolean): Promise<{ reasoning: string; item: string; call: string }> {
    const body = JSON.stringify({ model: "m", store, input: "Hi" });
    planted.server.always(() => calls([{ name: "view" }], { reasoning: "Hm." }));
    const response = await fetch(`${planted.server.url}/v1/responses`, { method: "POST", body });
    const text = await response.text();
    const first = (pattern: RegExp): string => pattern.exec(text)?.[0] ?? expect.unreachable();
    return { reasoning: first(/rs_\w+/), item: first(/fc_\w+/), call: first(/call_s\w+/) };
  }

  test("can be referred to when they were stored", async () => {
    const issued = await issue(true);
    const references = [issued.reasoning, issued.item].map((id) => ({ type: "item_reference", id }));
    expect(await planted.refusal({ model: "m", input: [user(), ...references, result(issued.call)] })).toBeUndefined();
    expect(await planted.refusal({ model: "m", input: [user(), ...references] })).toBe(
      `No tool output found for function call ${issued.call}.`,
    );
  });

  test("cannot be referred to when they were not", async () => {
    const issued = await issue(false);
    expect(
      await planted.refusal(request(user(), thought(issued.reasoning, {}), call(issued.call), result(issued.call))),
    ).toContain("not found");
  });

  test("need their reasoning when they come with their id", async () => {
    const issued = await issue(true);
    const alone = request(user(), call(issued.call, { id: issued.item }), result(issued.call));
    expect(await planted.refusal(alone)).toContain(`without its required 'reasoning' item: '${issued.reasoning}'`);
    expect(await planted.refusal(request(user(), call(issued.call), result(issued.call)))).toBeUndefined();
  });
});
