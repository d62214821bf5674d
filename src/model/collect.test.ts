// What is made of a stream's parts, in particular of odd ones.
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { newCollector } from "./collect.ts";
import type { StreamPart } from "./contract.ts";
import { wireOf } from "./wire/registry.ts";

function collect(parts: LanguageModelV4StreamPart[]) {
  const seen: StreamPart[] = [];
  let time = 0;
  const collector = newCollector(
    (part) => seen.push(part),
    wireOf("anthropic").call,
    () => time++,
  );
  const readOn = parts.map((part) => collector.take(part));
  return { collector, seen, readOn };
}
const named = (name: string, more: object = {}) => Object.assign(new Error(name), { name, ...more });
const say = (id: string, delta: string): LanguageModelV4StreamPart[] => [
  { type: "text-start", id },
  { type: "text-delta", id, delta },
  { type: "text-end", id },
];

describe("A2.7 collecting", () => {
  it("A2.7 two blocks of text are two paragraphs, for the reader as in the answer; one block taken up again is not", () => {
    const { collector, seen } = collect([...say("0", "One."), ...say("1", "Two."), ...say("1", " more")]);
    expect(collector.answer("stop").content).toBe("One.\n\nTwo. more");
    expect(seen.map((part) => (part.type === "text" ? part.delta : "")).join("")).toBe("One.\n\nTwo. more");
  });

  it("A2.10 keeps reasoning with its last signature and its place, arguments only once", () => {
    const { collector } = collect([
      { type: "reasoning-start", id: "0" },
      { type: "reasoning-delta", id: "0", delta: "hm" },
      { type: "reasoning-delta", id: "0", delta: "", providerMetadata: { anthropic: { signature: "s" } } },
      { type: "reasoning-end", id: "0" },
      ...say("1", "Look."),
      { type: "tool-call", toolCallId: "c", toolName: "view", input: '{"path":"a"}' },
    ]);
    expect(collector.answer("tool_calls")).toMatchObject({
      reasoningText: "hm",
      toolRequests: [{ toolCallId: "c", name: "view", arguments: { path: "a" } }],
      parts: [
        { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "s" } } },
        { type: "text", text: "Look." },
        { type: "tool-call", toolCallId: "c", toolName: "view" },
      ],
    });
    expect(collect(say("0", "plain")).collector.answer("stop").parts).toEqual([]);
  });

  it("A2.8 a call that never ended is cut whatever the finish says", () => {
    const { collector } = collect([
      { type: "tool-input-start", id: "c", toolName: "bash" },
      { type: "tool-input-delta", id: "c", delta: "{}" },
    ]);
    expect(collector.answer("tool_calls").toolRequests).toMatchObject([{ cut: true }]);
  });

  it("A2.7 an event that the SDK does not know is passed over; an error, nonsense and an early end are not", () => {
    const unknown = collect([
      { type: "raw", rawValue: { type: "new_event" } },
      { type: "error", error: named("AI_TypeValidationError") },
    ]);
    expect([unknown.readOn.at(-1), unknown.collector.broken()]).toEqual([true, undefined]);
    const error = collect([
      { type: "raw", rawValue: { error: { message: "no" } } },
      { type: "error", error: named("AI_TypeValidationError") },
    ]);
    expect([error.readOn.at(-1), error.collector.broken()]).toEqual([
      false,
      { type: "error", body: '{"error":{"message":"no"}}' },
    ]);
    expect(collect([{ type: "error", error: named("AI_JSONParseError", { text: "<p>" }) }]).collector.broken()).toEqual(
      { type: "nonsense", body: "<p>" },
    );
    expect(collect([{ type: "error", error: named("AI_InvalidResponseDataError") }]).collector.broken()).toEqual({
      type: "cut",
    });
  });

  it("A2.7 nothing is reported after the end", () => {
    const { collector, seen } = collect(say("0", "a"));
    collector.close();
    expect(collector.take({ type: "text-delta", id: "0", delta: "late" })).toBe(false);
    expect([seen.length, collector.text()]).toEqual([1, "a"]);
  });
});
