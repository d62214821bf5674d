// Gemini: each rule of the checker refuses a planted violation, and valid histories pass.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { thoughtSignature } from "../issued.ts";
import type { Json } from "../json.ts";
import { type Planted, plant } from "./planted.ts";

const user = (...parts: Json[]): Json => ({ role: "user", parts: parts.length > 0 ? parts : [{ text: "Hi" }] });
const model = (...parts: Json[]): Json => ({ role: "model", parts });
const call = (name = "view", more: Json = {}): Json => ({ functionCall: { name, args: {}, ...more } });
const result = (name = "view", more: Json = {}): Json => ({
  functionResponse: { name, response: { output: "ok" }, ...more },
});
const request = (...contents: Json[]): Json => ({ contents });
const declares = (more: Json): Json => ({
  ...request(user()),
  tools: [{ functionDeclarations: [{ name: "view", ...more }] }],
});

describe("gemini 2.5", () => {
  let planted: Planted;
  beforeAll(async () => {
    planted = await plant("/v1beta/models/gemini-2.5-pro:generateContent");
  });
  afterAll(() => planted.server.close());

  test.each<[string, Json]>([
    [
      "a whole conversation",
      {
        ...request(
          user(),
          model({ text: "Hm.", thought: true, thoughtSignature: thoughtSignature("x") }, call(), call("grep")),
          user(result("grep"), result()),
          model({ text: "Done." }),
          user(),
        ),
        systemInstruction: { parts: [{ text: "s" }] },
      },
    ],
    [
      "snake case",
      {
        contents: [
          user(),
          { role: "model", parts: [{ function_call: { name: "view" } }] },
          { role: "user", parts: [{ function_response: { name: "view", response: {} } }] },
        ],
      },
    ],
    ["call ids", request(user(), model(call("view", { id: "1" })), user(result("view", { id: "1" })))],
    ["several user turns", request(user(), user(), model({ text: "a" }), model({ text: "b" }), user())],
    ["tools", declares({ parameters: { type: "object", properties: { path: { type: "string" } } } })],
    ["a tool without parameters", declares({})],
    ["an empty JSON Schema", declares({ parametersJsonSchema: { type: "object", properties: {} } })],
  ])("passes: %s", async (_name, body) => {
    expect(await planted.refusal(body)).toBeUndefined();
  });

  const wrongOrder =
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
  const wrongCount =
    "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
  const orphan = "Please ensure that function response turn comes immediately after a function call turn.";

  test.each<[string, Json, string]>([
    ["contents that are no list", { contents: "Hi" }, "Invalid value at 'contents'"],
    ["bad name in a call", request(user(), model(call("1view")), user(result("1view"))), "Invalid function name."],
    ["no contents", {}, "GenerateContentRequest.contents: contents is not specified"],
    ["model first", request(model({ text: "a" }), user()), "starting with a user turn"],
    ["unknown role", request({ role: "assistant", parts: [{ text: "a" }] }), "Please use a valid role: user, model."],
    ["no parts", request({ role: "user", parts: [] }), "contents[0].parts: contents.parts must not be empty."],
    [
      "empty part",
      request(user({ thoughtSignature: thoughtSignature("x") })),
      "required oneof field 'data' must have one initialized field",
    ],
    [
      "foreign part",
      request(user({ type: "text", text: "a" })),
      "Unknown name \"type\" at 'contents[0].parts[0]': Cannot find field.",
    ],
    ["call after a model turn", request(user(), model({ text: "a" }), model(call()), user(result())), wrongOrder],
    ["fewer results", request(user(), model(call(), call()), user(result())), wrongCount],
    ["more results", request(user(), model(call()), user(result(), result())), wrongCount],
    ["results in two turns", request(user(), model(call(), call()), user(result()), user(result())), wrongCount],
    ["no results", request(user(), model(call()), user()), wrongCount],
    ["call at the end", request(user(), model(call())), wrongCount],
    ["orphan result", request(user(), user(result())), orphan],
    [
      "result of another tool",
      request(user(), model(call()), user(result("grep"))),
      "carry the name of the function calls they answer",
    ],
    [
      "result of another call",
      request(user(), model(call("view", { id: "1" })), user(result("view", { id: "2" }))),
      "carry the id of the function calls they answer",
    ],
    [
      "arguments that are no object",
      request(user(), model(call("view", { args: "{" })), user(result())),
      "function_call.args",
    ],
    [
      "result that is no object",
      request(user(), model(call()), user(result("view", { response: "ok" }))),
      "function_response.response",
    ],
    [
      "another provider's secret",
      request(user(), model({ text: "a", thought: true, thoughtSignature: "sig_x" }), user()),
      "Corrupted thought signature.",
    ],
    ["system as text", { ...request(user()), systemInstruction: "s" }, "Invalid value at 'system_instruction'"],
    ["bad tool name", declares({ name: "1view" }), "Invalid function name. Must start with a letter or an underscore."],
    [
      "one tool twice",
      { ...request(user()), tools: [{ functionDeclarations: [{ name: "view" }, { name: "view" }] }] },
      "Duplicate function declaration found: view",
    ],
    ["parameters that are no object", declares({ parameters: { type: "string" } }), "must be an OBJECT"],
    [
      "empty parameters",
      declares({ parameters: { type: "object", properties: {} } }),
      "parameters.properties: should be non-empty for OBJECT type",
    ],
  ])("refuses: %s", async (_name, body, message) => {
    expect(await planted.refusal(body)).toContain(message);
  });
});

describe("gemini 3 wants signatures back", () => {
  let planted: Planted;
  beforeAll(async () => {
    planted = await plant("/v1beta/models/gemini-3-pro:generateContent");
  });
  afterAll(() => planted.server.close());

  const signed = { ...call(), thoughtSignature: thoughtSignature("x") };
  const missing = "Function call is missing a thought_signature in functionCall parts.";

  test("on the first call of each step of the current turn", async () => {
    expect(await planted.refusal(request(user(), model(signed, call()), user(result(), result())))).toBeUndefined();
    expect(await planted.refusal(request(user(), model(call()), user(result())))).toContain(missing);
    expect(
      await planted.refusal(request(user(), model(signed), user(result()), model(call()), user(result()))),
    ).toContain(missing);
    expect(
      await planted.refusal(request(user(), model(call()), user(result()), model({ text: "Done." }), user())),
    ).toBeUndefined();
  });
});
