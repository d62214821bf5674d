// Groups, pairing and repair over the item view.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ContextItem } from "../../schema/context-item.ts";
import { wireNames } from "../../schema/model.ts";
import { anthropicHistory as anthropic } from "./anthropic/history.ts";
import { geminiHistory as gemini } from "./gemini/history.ts";
import { pairGemini } from "./gemini/pairs.ts";
import { groups } from "./group.ts";
import { openaiChatHistory as openaiChat } from "./openai-chat/history.ts";
import { openaiResponsesHistory as openaiResponses } from "./openai-responses/history.ts";
import { toItems } from "./own-fixture.ts";
import { wireOf } from "./registry.ts";
import { NO_RESULT, repair } from "./repair.ts";
import { bodyOf, moves } from "./wire-fixture.ts";

const wires = wireNames;
const body = fc
  .tuple(fc.constantFrom(...wires), moves, fc.boolean())
  .map(([wire, history, ids]) => ({ wire, history, body: bodyOf[wire](history, ids) }));

describe("groups", () => {
  it("CI1 every item is in one group, and no call is parted from its result or its reasoning", () => {
    fc.assert(
      fc.property(body, ({ wire, body: made }) => {
        const items = wireOf(wire).history.toItems(made);
        const all = groups(items);
        expect(all.flatMap((g) => g.indexes).sort((a, b) => a - b)).toEqual(items.map((_, index) => index));
        const groupOf = (index: number) => all.findIndex((g) => g.indexes.includes(index));
        const callers = new Map<string, number>();
        items.forEach((item, index) => {
          for (const id of item.toolResultFor)
            if (callers.has(id)) expect(groupOf(index)).toBe(groupOf(callers.get(id)!));
          for (const id of item.toolCallIds) callers.set(id, index);
          const next = items[index + 1];
          if (item.kind === "reasoning" && next?.role === "assistant") expect(groupOf(index + 1)).toBe(groupOf(index));
        });
      }),
    );
  });

  it("C5 reasoning, parallel calls of all kinds and their results are one step", () => {
    const items = openaiResponses.toItems({
      input: [
        { role: "user", content: "go" },
        { type: "reasoning", id: "rs_1", summary: [] },
        { type: "function_call", call_id: "a", name: "f", arguments: "{}" },
        { type: "custom_tool_call", call_id: "b", name: "g", input: "" },
        { type: "local_shell_call", call_id: "c", action: {} },
        { type: "computer_call", call_id: "d", action: {} },
        { type: "mcp_approval_request", id: "e", name: "h" },
        { type: "computer_call_output", call_id: "d", output: {} },
        { type: "function_call_output", call_id: "a", output: "1" },
        { type: "mcp_approval_response", approval_request_id: "e", approve: true },
        { type: "local_shell_call_output", call_id: "c", output: "2" },
        { type: "custom_tool_call_output", call_id: "b", output: "3" },
        { type: "reasoning", id: "rs_2", summary: [] },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "done" }] },
      ],
    });
    expect(groups(items)).toEqual([
      { kind: "prompt", indexes: [0] },
      { kind: "step", indexes: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] },
      { kind: "step", indexes: [12, 13] },
    ]);
  });

  it("C4 a result behind a later prompt still belongs to its step, and the prompt does not", () => {
    const items = toItems([
      { role: "assistant", content: "", toolRequests: [{ toolCallId: "a", name: "bash", arguments: {} }] },
      { role: "user", content: "steer" },
      { role: "tool", toolCallId: "a", toolName: "bash", content: "late", isError: false },
    ]);
    expect(groups(items)).toEqual([
      { kind: "step", indexes: [0, 2] },
      { kind: "prompt", indexes: [1] },
    ]);
  });
});

describe("pairing", () => {
  it("C4 an Anthropic user message with several results is one item that answers all of them", () => {
    const [, item] = anthropic.toItems({
      messages: [
        {
          role: "assistant",
          content: [
            { type: "tool_use", id: "a" },
            { type: "tool_use", id: "b" },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "a", content: "1" },
            { type: "tool_result", tool_use_id: "b", content: "2" },
            { type: "text", text: "<system-reminder>x</system-reminder>" },
          ],
        },
      ],
    });
    expect(item).toMatchObject({ role: "tool", isPrompt: false, toolResultFor: ["a", "b"] });
  });

  const call = (name: string, id?: string) => ({ functionCall: { ...(id ? { id } : {}), name, args: {} } });
  const response = (name: string, id?: string) => ({ functionResponse: { ...(id ? { id } : {}), name, response: {} } });
  it("C4 Gemini calls without ids pair by name and order, a doubled response counts once", () => {
    const contents = [
      { role: "model", parts: [call("view"), call("bash"), call("view")] },
      { role: "user", parts: [response("view"), response("view"), response("bash"), response("bash")] },
      { role: "model", parts: [call("view", "x")] },
      { role: "user", parts: [response("view", "x"), response("view", "unknown")] },
    ];
    const items = gemini.toItems({ contents });
    expect(items[1]?.toolResultFor.toSorted()).toEqual(items[0]?.toolCallIds.toSorted());
    expect(items[3]?.toolResultFor).toEqual(["x", "no call 3.1"]);
    expect([...pairGemini(contents).doubled]).toEqual([contents[1]?.parts[3]]);
  });

  it("C4 legacy function calls of the chat wire pair by name", () => {
    const items = openaiChat.toItems({
      messages: [
        { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
        { role: "function", name: "f", content: "1" },
      ],
    });
    expect(items[1]?.toolResultFor).toEqual(items[0]?.toolCallIds);
  });
});

describe("repair", () => {
  const faults = (items: readonly ContextItem[]): number => {
    const open = new Set<string>();
    let wrong = 0;
    for (const item of items) {
      for (const id of item.toolResultFor) if (!open.delete(id)) wrong++;
      for (const id of item.toolCallIds) open.add(id);
    }
    return wrong + open.size;
  };

  it("C7 CI1 after repair each call has one result and each result its call, seen anew from the body too", () => {
    fc.assert(
      fc.property(body, fc.integer({ min: 0, max: 8 }), ({ wire, body: made }, drop) => {
        const adapter = wireOf(wire).history;
        const some = adapter.toItems(made).filter((_, index) => index !== drop);
        const { items, repaired } = repair(some, adapter);
        expect(faults(items)).toBe(0);
        expect(repaired > 0).toBe(faults(some) > 0);
        if (repaired === 0) expect(items).toBe(some);
        expect(faults(adapter.toItems(adapter.fromItems(items, made)))).toBe(0);
      }),
    );
  });

  it("C7 an orphan is left out of a message that holds other results, and the missing result says so", () => {
    const made = {
      messages: [
        { role: "user", content: "go" },
        {
          role: "assistant",
          content: [
            { type: "tool_use", id: "a", name: "f", input: {} },
            { type: "tool_use", id: "b", name: "f", input: {} },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "a", content: "1" },
            { type: "tool_result", tool_use_id: "zzz", content: "?" },
          ],
        },
      ],
    };
    const fixed = anthropic.fromItems(repair(anthropic.toItems(made), anthropic).items, made)["messages"];
    expect(fixed).toEqual([
      made.messages[0],
      made.messages[1],
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "b", content: NO_RESULT, is_error: true },
          { type: "tool_result", tool_use_id: "a", content: "1" },
        ],
      },
    ]);
  });
});
