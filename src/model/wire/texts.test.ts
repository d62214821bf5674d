// Replacing texts on every wire: which ones are found, and that nothing else changes.
import { describe, expect, it } from "vitest";
import { anthropicHistory as anthropic } from "./anthropic/history.ts";
import { geminiHistory as gemini } from "./gemini/history.ts";
import { openaiChatHistory as openaiChat } from "./openai-chat/history.ts";
import { openaiResponsesHistory as openaiResponses } from "./openai-responses/history.ts";
import { ownRules } from "./own.ts";
import { toItems } from "./own-fixture.ts";
import { repair } from "./repair.ts";

const upper = (text: string): string => text.toUpperCase();

describe("replaceTexts", () => {
  it("C2 gives the same raw object when no text changed", () => {
    const [item] = anthropic.toItems({
      messages: [
        { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "x" }] }] },
      ],
    });
    expect(anthropic.replaceTexts(item!, (text) => text)).toBe(item!.raw);
  });

  it("C1 finds texts of users and tools, and leaves ids, media and names", () => {
    const chat = {
      role: "user",
      content: [
        { type: "text", text: "a" },
        { type: "image_url", image_url: { url: "u" } },
      ],
    };
    expect(openaiChat.replaceTexts(openaiChat.toItems({ messages: [chat] })[0]!, upper)).toEqual({
      role: "user",
      content: [{ type: "text", text: "A" }, chat.content[1]],
    });
    const output = { type: "function_call_output", call_id: "a", output: [{ type: "input_text", text: "a" }] };
    expect(openaiResponses.replaceTexts(openaiResponses.toItems({ input: [output] })[0]!, upper)).toEqual({
      ...output,
      output: [{ type: "input_text", text: "A" }],
    });
    const shot = {
      type: "computer_call_output",
      call_id: "a",
      output: { type: "computer_screenshot", image_url: "u" },
    };
    expect(openaiResponses.replaceTexts(openaiResponses.toItems({ input: [shot] })[0]!, upper)).toBe(shot);
    const found = { type: "search_result", source: "https://a", title: "t", content: [{ type: "text", text: "a" }] };
    expect(
      anthropic.replaceTexts(anthropic.toItems({ messages: [{ role: "user", content: [found] }] })[0]!, upper),
    ).toEqual({
      role: "user",
      content: [{ ...found, content: [{ type: "text", text: "A" }] }],
    });
    const [own] = toItems([{ role: "tool", toolCallId: "c", toolName: "bash", content: "a", isError: false }]);
    expect(ownRules.replaceTexts(own!, upper)).toMatchObject({ toolCallId: "c", toolName: "bash", content: "A" });
  });

  it("C4 a changed Gemini response still answers its call", () => {
    const contents = [
      { role: "model", parts: [{ functionCall: { name: "f", args: {} } }] },
      {
        role: "user",
        parts: [
          { functionResponse: { name: "f", response: { result: "a" } } },
          { functionResponse: { name: "g", response: { n: 1 } } },
        ],
      },
    ];
    const items = gemini.toItems({ contents });
    const changed = items.map((item) => ({ ...item, raw: gemini.replaceTexts(item, upper) }));
    expect(changed[1]?.raw).toEqual({
      role: "user",
      parts: [
        { functionResponse: { name: "f", response: { result: "A" } } },
        { functionResponse: { name: "g", response: { output: '{"N":1}' } } },
      ],
    });
    // The second response has no call: it is found and left out of the changed message too.
    const { items: whole, repaired } = repair(changed, gemini);
    expect(repaired).toBe(1);
    expect((whole[1]!.raw as { parts: unknown[] }).parts).toHaveLength(1);
  });

  it("C7 our own messages get a result for a call that has none, with the tool's name", () => {
    const items = toItems([
      { role: "assistant", content: "", toolRequests: [{ toolCallId: "a", name: "bash", arguments: {} }] },
    ]);
    expect(repair(items, ownRules).items[1]?.raw).toMatchObject({
      role: "tool",
      toolCallId: "a",
      toolName: "bash",
      isError: true,
    });
  });
});
