// The item view of every wire: what is seen in a body, and the way back.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type WireName, wireNames } from "../../schema/model.ts";
import { anthropicHistory as anthropic } from "./anthropic/history.ts";
import { geminiHistory as gemini } from "./gemini/history.ts";
import { groups } from "./group.ts";
import { openaiResponsesHistory as openaiResponses } from "./openai-responses/history.ts";
import { toItems } from "./own-fixture.ts";
import { wireOf } from "./registry.ts";
import { bodyOf, moves } from "./wire-fixture.ts";

const wires = wireNames;
const historyKey = {
  "openai-chat": "messages",
  "openai-responses": "input",
  anthropic: "messages",
  gemini: "contents",
} as const;
describe.each(wires)("%s", (wire) => {
  const adapter = wireOf(wire).history;
  const raws = (b: Record<string, unknown>): unknown[] => b[historyKey[wire]] as unknown[];

  it("C2 there and back is the same body, and a part of the history keeps the same objects", () => {
    fc.assert(
      fc.property(moves, fc.boolean(), fc.integer({ min: 0, max: 5 }), (history, ids, drop) => {
        const made = bodyOf[wire](history, ids);
        const before = JSON.stringify(made);
        const items = adapter.toItems(made);
        expect(adapter.fromItems(items, made)).toBe(made);
        const rest = items.filter((_, index) => index !== drop);
        const kept = raws(adapter.fromItems(rest, made));
        if (wire.startsWith("openai")) expect(kept.every((raw, index) => raw === rest[index]?.raw)).toBe(true);
        // Elsewhere only user items that became neighbours may be joined.
        for (const item of rest) if (item.role === "assistant") expect(kept).toContain(item.raw);
        expect(JSON.stringify(made)).toBe(before);
      }),
    );
  });

  it("C1 prompts start turns; notices and results are no prompts", () => {
    fc.assert(
      fc.property(moves, (history) => {
        const items = adapter.toItems(bodyOf[wire](history, true));
        expect(items.filter((item) => item.isPrompt)).toHaveLength(history.filter((m) => m.type === "prompt").length);
        let turn = 0;
        for (const item of items) {
          if (item.isPrompt) turn++;
          expect(item.turn).toBe(turn);
        }
      }),
    );
  });

  it("C6 an item of unknown type is opaque and belongs to the group before it", () => {
    const made = bodyOf[wire](
      [{ type: "prompt", text: "a" }, { type: "answer", text: "b" }, { type: "unknown" }],
      true,
    );
    const items = adapter.toItems(made);
    expect(items.at(-1)?.kind).toBe("opaque");
    expect(groups(items).at(-1)?.indexes).toEqual([items.length - 2, items.length - 1]);
  });

  it("CB14 bodies of any shape are seen without a throw", () => {
    fc.assert(
      fc.property(fc.anything(), fc.array(fc.anything()), (value, list) => {
        for (const odd of [value, list, [value, { role: "user", content: value, parts: value, type: value }]]) {
          const made = { [historyKey[wire]]: odd };
          groups(adapter.toItems(made));
          expect(adapter.fromItems(adapter.toItems(made), made)).toBe(made);
        }
      }),
    );
  });
});

describe("taking turns", () => {
  it("C8 user items that a cut made neighbours are joined, those of the client are not", () => {
    const u = (text: string) => ({ role: "user", content: text });
    const made = { messages: [u("one"), u("two"), { role: "assistant", content: "x" }, u("three")] };
    const items = anthropic.toItems(made);
    const cut = anthropic.fromItems(
      items.filter((item) => item.role !== "assistant"),
      made,
    )["messages"];
    const joined = {
      role: "user",
      content: [
        { type: "text", text: "two" },
        { type: "text", text: "three" },
      ],
    };
    expect(cut).toEqual([made.messages[0], joined]);
  });

  it("C8 where the wire demands it a history starts with a user item", () => {
    const made = {
      contents: [
        { role: "user", parts: [{ text: "a" }] },
        { role: "model", parts: [{ text: "b" }] },
      ],
    };
    const cut = gemini.fromItems(gemini.toItems(made).slice(1), made)["contents"] as { role: string }[];
    expect(cut.map((content) => content.role)).toEqual(["user", "model"]);
    expect(cut[1]).toBe(made.contents[1]);
  });

  it("C2 a Responses input that is plain text stays plain text", () => {
    const made = { input: "hello" };
    const items = openaiResponses.toItems(made);
    expect(items).toMatchObject([{ role: "user", isPrompt: true, turn: 1 }]);
    expect(openaiResponses.fromItems(items, made)).toBe(made);
  });
});

describe("our own messages", () => {
  it("C1 C2 prompts, notifications, calls and results, and back the same objects", () => {
    const messages = [
      { role: "user" as const, content: "look" },
      { role: "assistant" as const, content: "", toolRequests: [{ toolCallId: "a", name: "view", arguments: {} }] },
      { role: "tool" as const, toolCallId: "a", toolName: "view", content: "1", isError: false },
      { role: "user" as const, content: '<system_notification kind="agent">done</system_notification>' },
      { role: "user" as const, content: "", attachments: [{ kind: "image" as const, path: "a.png" }] },
    ];
    const items = toItems(messages);
    expect(items.map((item) => [item.role, item.kind, item.isPrompt, item.turn])).toEqual([
      ["user", "message", true, 1],
      ["assistant", "message", false, 1],
      ["tool", "message", false, 1],
      ["user", "notice", false, 1],
      ["user", "message", true, 2],
    ]);
    expect(items.every(({ raw }, index) => raw === messages[index])).toBe(true);
  });
});

describe("counting parts of a body", () => {
  it("C9 system text and tools of each wire", () => {
    const of = (name: WireName) => wireOf(name).request;
    expect(of("anthropic").system({ system: "s" })).toBe("s");
    expect(of("openai-responses").system({ instructions: "i" })).toBe("i");
    expect(of("gemini").system({ system_instruction: { parts: [] } })).toEqual({ parts: [] });
    expect(of("openai-chat").tools({ tools: [1], functions: [2] })).toEqual([1, 2]);
    expect(of("gemini").tools({ tools: "none" })).toEqual([]);
  });

  it("X44 XB13 gemini calls without ids: a lost response does not shift the pairs behind it", () => {
    const call = { role: "model", parts: [{ functionCall: { name: "read", args: {} } }] };
    const response = (n: number) => ({
      role: "user",
      parts: [{ functionResponse: { name: "read", response: { n } } }],
    });
    const contents = [{ role: "user", parts: [{ text: "go" }] }, call, call, response(2), call, response(3)];
    const pairs = gemini.toItems({ contents }).map((i) => [i.toolCallIds, i.toolResultFor].flat());
    expect(pairs).toEqual([[], ["call 1.0"], ["call 2.0"], ["call 2.0"], ["call 4.0"], ["call 4.0"]]);
  });
});
