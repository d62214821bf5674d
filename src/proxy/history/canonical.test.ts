// What counts in an item and what does not, on every wire.
import { describe, expect, it } from "vitest";
import type { WireName } from "../../schema/model.ts";
import { recallBlock } from "../plan/recall-block.ts";
import { gapNotice } from "../plan/words.ts";
import { itemsOf, owns } from "./history-fixture.ts";

const own = (wire: WireName, raw: unknown): string | undefined => owns(itemsOf(wire, [raw]))[0];
const user = (content: unknown) => ({ role: "user", content });
const chatCall = (args: unknown, more: object = {}) => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: args } }],
  ...more,
});
const gemini = (...parts: unknown[]) => ({ role: "model", parts });
const claude = (...content: unknown[]) => ({ role: "assistant", content });
const results = (...content: unknown[]) => ({ role: "user", content });
const use = (input: unknown, more: object = {}) => ({ type: "tool_use", id: "t1", name: "f", input, ...more });
const recalled = (tag: "everlong_recall" | "memory") =>
  recallBlock(
    [{ text: "a fact", ref: "s:t1.1", role: "user", score: 1, from: "session" }],
    { recall: { maxSnippets: 8, maxChars: 6000 }, semantic: { maxSnips: 4, maxChars: 3000 } },
    { tag },
  )?.text ?? "";

describe("canonical items", () => {
  const same: [string, WireName, unknown, unknown][] = [
    ["text or one part", "openai-chat", user("hi"), user([{ type: "text", text: "hi" }])],
    ["white space around", "openai-chat", user("hi"), user("  hi\n")],
    [
      "cache marks",
      "anthropic",
      user("hi"),
      user([{ type: "text", text: "hi", cache_control: { type: "ephemeral" } }]),
    ],
    [
      "null and absent content",
      "openai-chat",
      chatCall("{}"),
      { ...chatCall("{}"), content: undefined, refusal: null },
    ],
    ["empty arguments", "openai-chat", chatCall("{}"), chatCall("")],
    ["white space in arguments", "openai-chat", chatCall('{"a":1,"b":[2]}'), chatCall('{ "b": [ 2 ],\n "a": 1.0 }')],
    ["null fields of arguments", "anthropic", claude(use({ a: 1, b: null })), claude(use({ a: 1 }))],
    ["reasoning of the chat wire", "openai-chat", chatCall("{}"), chatCall("{}", { reasoning_content: "hm" })],
    ["thinking", "anthropic", claude({ type: "thinking", thinking: "hm", signature: "s" }, use({})), claude(use({}))],
    [
      "signatures",
      "gemini",
      gemini({ functionCall: { name: "f", args: {} }, thoughtSignature: "s" }),
      gemini({ functionCall: { name: "f", args: {} } }),
    ],
    ["thoughts", "gemini", gemini({ text: "hm", thought: true }, { text: "yes" }), gemini({ text: "yes" })],
    [
      "item id and status",
      "openai-responses",
      { type: "function_call", id: "fc_1", call_id: "c1", name: "f", arguments: "{}", status: "completed" },
      { type: "function_call", call_id: "c1", name: "f", arguments: " {}" },
    ],
    [
      "message with or without its type",
      "openai-responses",
      user("hi"),
      { type: "message", ...user([{ type: "input_text", text: "hi" }]) },
    ],
    [
      "phase and ids of answers",
      "openai-responses",
      {
        type: "message",
        id: "m",
        role: "assistant",
        phase: "final_answer",
        content: [{ type: "output_text", text: "ok", annotations: [] }],
      },
      { role: "assistant", content: "ok" },
    ],
    [
      "reminders",
      "anthropic",
      user([
        { type: "text", text: "<system-reminder>x</system-reminder>" },
        { type: "text", text: "hi" },
      ]),
      user("hi"),
    ],
    [
      "reminder inside of a text",
      "anthropic",
      user("hi\n<system-reminder>x</system-reminder>\nthere"),
      user("hi\nthere"),
    ],
    ["environment", "openai-responses", user("<environment_context>cwd</environment_context>\nhi"), user("hi")],
    [
      "reminder in a result",
      "anthropic",
      results({ type: "tool_result", tool_use_id: "t", content: "ok\n\n<system-reminder>x</system-reminder>" }),
      results({ type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: "ok" }], is_error: false }),
    ],
    ["our state block", "openai-chat", user("hi\n\n<everlong_state>\n<todo>x</todo>\n</everlong_state>"), user("hi")],
    ["the seed's state block", "openai-chat", user("hi\n\n<proxypilot_state>x</proxypilot_state>"), user("hi")],
    ["our recall block", "openai-chat", user(`hi\n\n${recalled("everlong_recall")}`), user("hi")],
    ["our recall block under the seed's name", "openai-chat", user(`hi\n\n${recalled("memory")}`), user("hi")],
    [
      "our gap notice",
      "anthropic",
      user([
        { type: "text", text: "hi" },
        { type: "text", text: gapNotice([{ id: "a" }, { id: "b" }], (id) => `s:${id}`) },
      ]),
      user("hi"),
    ],
    [
      "data of media without their wrapping",
      "openai-chat",
      user([{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "low" } }]),
      user([{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }]),
    ],
    [
      "unknown items without ids",
      "openai-responses",
      { type: "novel", id: "1", data: 1, note: null, encrypted_content: "x" },
      { type: "novel", data: 1 },
    ],
  ];
  it.each(same)("X22 does not count: %s", (_what, wire, one, other) => {
    expect(own(wire, one)).toBeDefined();
    expect(own(wire, other)).toBe(own(wire, one));
  });

  const different: [string, WireName, unknown, unknown][] = [
    ["text", "openai-chat", user("hi"), user("ho")],
    ["role", "openai-chat", user("hi"), { role: "assistant", content: "hi" }],
    [
      "call id",
      "openai-chat",
      chatCall("{}"),
      { ...chatCall("{}"), tool_calls: [{ id: "c2", function: { name: "f", arguments: "{}" } }] },
    ],
    ["name", "anthropic", claude(use({})), claude(use({}, { name: "g" }))],
    ["arguments", "anthropic", claude(use({ id: 1 })), claude(use({ id: 2 }))],
    [
      "result",
      "openai-chat",
      { role: "tool", tool_call_id: "c", content: "1" },
      { role: "tool", tool_call_id: "c", content: "2" },
    ],
    [
      "where a text ends",
      "anthropic",
      claude({ type: "text", text: "a" }, use({})),
      claude({ type: "text", text: "a1:t" }, use({})),
    ],
    [
      "media",
      "openai-chat",
      user([{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }]),
      user([{ type: "image_url", image_url: { url: "data:image/png;base64,AAAB" } }]),
    ],
    ["somebody else's memory tag", "openai-chat", user("<memory>buy milk</memory> hi"), user("hi")],
    [
      "a notification of another kind",
      "openai-chat",
      user("<system_notification>agent done</system_notification> hi"),
      user("hi"),
    ],
    [
      "an answer that quotes a reminder",
      "openai-chat",
      { role: "assistant", content: "<system-reminder>x</system-reminder>a" },
      { role: "assistant", content: "a" },
    ],
  ];
  it.each(different)("X22 counts: %s", (_what, wire, one, other) => {
    expect(own(wire, one)).toBeDefined();
    expect(own(wire, other)).not.toBe(own(wire, one));
  });

  it.each<[string, WireName, unknown]>([
    [
      "reasoning",
      "openai-responses",
      { type: "reasoning", summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "x" },
    ],
    ["a sealed compaction", "openai-responses", { type: "compaction", encrypted_content: "x" }],
    [
      "thinking alone",
      "anthropic",
      claude({ type: "thinking", thinking: "hm" }, { type: "redacted_thinking", data: "x" }),
    ],
    ["thoughts alone", "gemini", gemini({ text: "hm", thought: true })],
    ["a reminder alone", "anthropic", user("<system-reminder>x</system-reminder>")],
    ["an empty message", "openai-chat", user("")],
  ])("X22 nothing is left of %s", (_what, wire, raw) => {
    expect(own(wire, raw)).toBeUndefined();
  });

  it.each<[WireName, unknown, unknown]>([
    ["openai-chat", chatCall("{}"), { role: "tool", tool_call_id: "c1", content: "ok" }],
    [
      "openai-responses",
      { type: "function_call", call_id: "c1", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "ok" },
    ],
    ["anthropic", claude(use({})), results({ type: "tool_result", tool_use_id: "t1", content: "ok" })],
    [
      "gemini",
      gemini({ functionCall: { name: "f", args: {} } }),
      { role: "user", parts: [{ functionResponse: { name: "f", response: { output: "ok" } } }] },
    ],
  ])("X22 %s: the second result of a call does not count, that of a second call does", (wire, call, result) => {
    const [, first, second] = owns(itemsOf(wire, [call, result, structuredClone(result)]));
    expect([typeof first, second]).toEqual(["string", undefined]);
    const again = owns(itemsOf(wire, [call, result, structuredClone(call), structuredClone(result)]));
    expect(again[3]).toBe(first);
  });

  it("X22 a doubled response in one content does not count", () => {
    const response = { functionResponse: { id: "1", name: "f", response: { output: "ok" } } };
    const call = gemini({ functionCall: { id: "1", name: "f", args: {} } });
    const answered = (...parts: unknown[]) => owns(itemsOf("gemini", [call, { role: "user", parts }]));
    expect(answered(response, structuredClone(response))).toEqual(answered(structuredClone(response)));
  });

  it("X22 arguments that are nested without end do no harm", () => {
    expect(own("openai-chat", chatCall("[".repeat(50_000) + "]".repeat(50_000)))).toBeDefined();
  });

  it("X23 strong is an assistant's or tool's item with an id of its wire, or a long one", () => {
    const strong = (wire: WireName, raw: unknown) => itemsOf(wire, [raw])[0]?.strong;
    expect(strong("openai-chat", chatCall("{}"))).toBe(true);
    expect(strong("gemini", gemini({ functionCall: { name: "f", args: {} } }))).toBe(false);
    expect(strong("gemini", gemini({ functionCall: { id: "1", name: "f", args: {} } }))).toBe(true);
    expect(strong("openai-chat", { role: "assistant", content: "ok" })).toBe(false);
    expect(strong("openai-chat", { role: "assistant", content: "x".repeat(400) })).toBe(true);
    expect(strong("openai-chat", user("x".repeat(400)))).toBe(false);
  });
});
