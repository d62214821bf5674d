// What is stored of an item, what is searched for, and what an answer says.
import { describe, expect, it } from "vitest";
import type { WireBody } from "../../model/wire/contract.ts";
import { wireOf } from "../../model/wire/registry.ts";
import type { WireName } from "../../schema/model.ts";
import { itemsOf } from "./history-fixture.ts";
import { queryOf } from "./query.ts";
import { readable } from "./readable.ts";

function read(wire: WireName, raw: unknown) {
  const [item] = itemsOf(wire, [raw]);
  if (!item) throw new Error("no item");
  return readable(item);
}
const PNG = Buffer.from("not really a picture");
const png = PNG.toString("base64");

describe("readable", () => {
  it.each<[string, WireName, unknown, object]>([
    ["a prompt", "openai-chat", { role: "user", content: "fix it" }, { role: "user", type: "message", text: "fix it" }],
    [
      "a call with its arguments, lines as lines",
      "openai-chat",
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c", function: { name: "shell", arguments: '{"command":"a\\nb \\\\n"}' } }],
      },
      { type: "tool_call", tool: "shell", callId: "c", text: 'shell {"command":"a\nb \\\\n"}' },
    ],
    [
      "text and parallel calls of one message",
      "anthropic",
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "secret thought", signature: "s" },
          { type: "text", text: "I look." },
          { type: "tool_use", id: "1", name: "Read", input: { path: "a.ts" } },
          { type: "tool_use", id: "2", name: "Grep", input: { q: "x" } },
        ],
      },
      {
        role: "assistant",
        type: "message",
        tool: "Read",
        callId: "1",
        text: 'I look.\nRead {"path":"a.ts"}\nGrep {"q":"x"}',
      },
    ],
    [
      "a failed result",
      "anthropic",
      { role: "user", content: [{ type: "tool_result", tool_use_id: "1", is_error: true, content: "no such file" }] },
      { role: "tool", type: "tool_result", callId: "1", text: "[error] no such file" },
    ],
    [
      "a result",
      "openai-chat",
      { role: "tool", tool_call_id: "c", content: "ok" },
      { type: "tool_result", callId: "c", text: "ok" },
    ],
    [
      "an output",
      "openai-responses",
      { type: "function_call_output", call_id: "c", output: "ok" },
      { type: "tool_result", text: "ok" },
    ],
    [
      "a shell's output",
      "openai-responses",
      {
        type: "shell_call_output",
        call_id: "c",
        output: [{ stdout: "out", stderr: "err", outcome: { type: "exit", exit_code: 1 } }],
      },
      { type: "tool_result", text: 'out\nerr\n{"outcome":{"type":"exit","exit_code":1}}' },
    ],
    [
      "a patch",
      "openai-responses",
      { type: "custom_tool_call", call_id: "c", name: "apply_patch", input: "*** Begin Patch" },
      { type: "tool_call", text: "apply_patch *** Begin Patch" },
    ],
    [
      "a call that the server ran",
      "openai-responses",
      { type: "mcp_call", name: "ask", arguments: '{"q":1}', output: "42", error: null },
      { type: "tool_call", tool: "ask", text: 'ask {"q":1}\n42' },
    ],
    [
      "a response",
      "gemini",
      { role: "user", parts: [{ functionResponse: { id: "1", name: "read", response: { error: "gone" } } }] },
      { type: "tool_result", tool: "read", text: "[error] gone" },
    ],
    [
      "a response of several fields",
      "gemini",
      { role: "user", parts: [{ functionResponse: { name: "f", response: { text: "a", more: 1 } } }] },
      { text: '{"text":"a","more":1}' },
    ],
    [
      "media as type, size and hash",
      "anthropic",
      {
        role: "user",
        content: [
          { type: "text", text: "see" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
        ],
      },
      { type: "message", text: expect.stringMatching(/^see\n\[image\/png, 20 bytes, sha256 [0-9a-f]{16}\]$/) },
    ],
    [
      "media by address",
      "openai-responses",
      { role: "user", content: [{ type: "input_image", image_url: "https://x/y.png" }] },
      { text: "[image, https://x/y.png]" },
    ],
    [
      "a document that is text",
      "anthropic",
      {
        role: "user",
        content: [{ type: "document", source: { type: "text", media_type: "text/plain", data: "words" } }],
      },
      { text: "words" },
    ],
    [
      "a reminder, which the client wrote",
      "anthropic",
      { role: "user", content: "<system-reminder>x</system-reminder>" },
      { text: "<system-reminder>x</system-reminder>" },
    ],
    [
      "nothing of ours",
      "anthropic",
      { role: "user", content: "hi\n\n<everlong_state>x</everlong_state>" },
      { text: "hi" },
    ],
    [
      "a result that speaks of our tags",
      "openai-chat",
      { role: "tool", tool_call_id: "c", content: "<everlong_state>x</everlong_state>" },
      { text: "<everlong_state>x</everlong_state>" },
    ],
    [
      "an unknown item without what is sealed",
      "openai-responses",
      { type: "novel", data: "d", encrypted_content: "x" },
      { type: "other", text: '{"type":"novel","data":"d"}' },
    ],
  ])("X51 tells %s", (_what, wire, raw, expected) => {
    expect(read(wire, raw)).toMatchObject({ indexed: true, ...expected });
  });

  it("X51 reasoning is told where it can be read, and never indexed", () => {
    const raw = { type: "reasoning", summary: [{ type: "summary_text", text: "I think" }], encrypted_content: "x" };
    expect(read("openai-responses", raw)).toMatchObject({ type: "reasoning", text: "I think", indexed: false });
    expect(read("openai-responses", { type: "reasoning", summary: [], encrypted_content: "x" }).text).toBe("");
    expect(read("openai-chat", { role: "system", content: "be nice" }).indexed).toBe(false);
  });
});

describe("queryOf", () => {
  it("X58 asks for the newest prompt, without reminders and our tags, with names of the newest group beside it", () => {
    const items = itemsOf("anthropic", [
      { role: "user", content: "first task in old.ts" },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "1", name: "Read", input: { path: "src/old/first.ts" } }],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: "x" }] },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "2", name: "Read", input: { path: "src/proxy/plan.ts" } }],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "2", content: "export const highWater = 1" },
          { type: "text", text: "<system-reminder>todo.md changed</system-reminder>" },
          { type: "text", text: "why is it slow?\n<everlong_recall>quote</everlong_recall>" },
        ],
      },
    ]);
    const { text, hints } = queryOf(items);
    expect(text).toBe("why is it slow?");
    expect(hints.split(" ")).toEqual(expect.arrayContaining(["src/proxy/plan.ts", "highWater"]));
    expect(hints).not.toContain("first.ts");
  });

  it("X58 results and notices are no prompt; without one there is nothing to ask for", () => {
    const notice = { role: "user", content: "<environment_context>cwd</environment_context>" };
    const result = { role: "tool", tool_call_id: "c", content: "ok" };
    const call = { role: "assistant", tool_calls: [{ id: "c", function: { name: "f", arguments: "{}" } }] };
    expect(queryOf(itemsOf("openai-chat", [{ role: "user", content: "go" }, call, result, notice])).text).toBe("go");
    expect(queryOf(itemsOf("openai-chat", [notice, call, result]))).toEqual({ text: "", hints: "" });
  });
});

describe("the text of an answer", () => {
  const message = { type: "message", role: "assistant", content: [{ type: "output_text", text: "the summary" }] };
  it.each<[string, WireName, WireBody[]]>([
    [
      "chat, streamed",
      "openai-chat",
      [
        { choices: [{ index: 0, delta: { content: "the " } }] },
        {
          choices: [
            { index: 0, delta: { content: "summary" } },
            { index: 1, delta: { content: "other" } },
          ],
        },
        { choices: [] },
      ],
    ],
    [
      "chat, whole",
      "openai-chat",
      [{ choices: [{ message: { role: "assistant", content: "the summary", reasoning_content: "hm" } }] }],
    ],
    [
      "responses, streamed",
      "openai-responses",
      [
        { type: "response.output_text.delta", delta: "the " },
        { type: "response.output_item.done", item: message },
        { type: "response.completed", response: { output: [{ type: "reasoning", summary: [] }, message] } },
      ],
    ],
    [
      "responses without output in the end",
      "openai-responses",
      [
        { type: "response.output_item.done", item: message },
        { type: "response.completed", response: { output: [] } },
      ],
    ],
    [
      "responses, broken off",
      "openai-responses",
      [
        { type: "response.output_text.delta", delta: "the " },
        { type: "response.output_text.delta", delta: "summary" },
        { type: "response.reasoning_text.delta", delta: "hm" },
      ],
    ],
    ["responses, whole", "openai-responses", [{ object: "response", output: [message] }]],
    [
      "responses, compact route",
      "openai-responses",
      [
        {
          output: [
            { type: "message", role: "user", content: "asked" },
            message,
            { type: "compaction", encrypted_content: "x" },
          ],
        },
      ],
    ],
    [
      "claude, streamed",
      "anthropic",
      [
        { type: "message_start", message: { content: [] } },
        { type: "content_block_start", content_block: { type: "text", text: "the" } },
        { type: "content_block_delta", delta: { type: "thinking_delta", thinking: "hm" } },
        { type: "content_block_delta", delta: { type: "text_delta", text: " summary" } },
      ],
    ],
    [
      "claude, whole",
      "anthropic",
      [
        {
          type: "message",
          role: "assistant",
          content: [
            { type: "thinking", thinking: "hm" },
            { type: "text", text: "the summary" },
          ],
        },
      ],
    ],
    [
      "gemini",
      "gemini",
      [
        { candidates: [{ content: { role: "model", parts: [{ text: "hm", thought: true }, { text: "the " }] } }] },
        { candidates: [{ content: { parts: [{ text: "summary" }] } }] },
      ],
    ],
  ])("X28 %s", (_what, wire, records) => {
    expect(wireOf(wire).answer.text(records).trim()).toBe("the summary");
  });

  it("X28 of nothing, or of rubbish, is empty", () => {
    for (const wire of ["openai-chat", "openai-responses", "anthropic", "gemini"] as const) {
      expect(wireOf(wire).answer.text([])).toBe("");
      expect(wireOf(wire).answer.text([{}, { choices: 1, output: 1, delta: 1, candidates: [1], response: 1 }])).toBe(
        "",
      );
    }
  });
});
