// Each call has one result directly after it, whatever the history held.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ContextItem } from "../schema/context-item.ts";
import type { Message } from "../schema/message.ts";
import { pairItems } from "./pairing.ts";
import { NO_RESULT } from "./wire/repair.ts";

let made = 0;
function item(raw: Message): ContextItem<Message> {
  const toolCallIds = raw.role === "assistant" ? raw.toolRequests.map((request) => request.toolCallId) : [];
  const toolResultFor = raw.role === "tool" ? [raw.toolCallId] : [];
  return {
    id: `i${made++}`,
    role: raw.role,
    kind: "message",
    isPrompt: raw.role === "user",
    turn: 1,
    toolCallIds,
    toolResultFor,
    tokens: 0,
    raw,
  };
}
const user = (content: string) => item({ role: "user", content });
const asks = (...ids: string[]) =>
  item({
    role: "assistant",
    content: "",
    toolRequests: ids.map((toolCallId) => ({ toolCallId, name: "t", arguments: {} })),
  });
const result = (toolCallId: string, content = toolCallId) =>
  item({ role: "tool", toolCallId, toolName: "t", content, isError: false });
const show = (items: ContextItem<Message>[]) =>
  items.map(({ raw }) =>
    raw.role === "assistant" ? raw.toolRequests.map((request) => request.toolCallId).join("+") : raw.content,
  );

describe("AI4 pairing", () => {
  it("AI4 A4.1 leaves a valid history as it is, object for object", () => {
    const history = [user("u"), asks("a", "b"), result("a"), result("b"), user("v")];
    expect(pairItems(history)).toEqual(history);
  });

  it("AI4 moves results up to their call and into call order", () => {
    expect(show(pairItems([asks("a", "b"), user("steer"), result("b"), result("a")]))).toEqual([
      "a+b",
      "a",
      "b",
      "steer",
    ]);
  });

  it("A4.1 leaves out a result without a call, and a second result", () => {
    expect(show(pairItems([result("x"), user("u"), asks("a"), result("a", "1"), result("a", "2")]))).toEqual([
      "u",
      "a",
      "1",
    ]);
    expect(show(pairItems([result("a"), asks("a")]))).toEqual(["a", NO_RESULT]);
  });

  it("A4.1 gives a call without a result one that says so", () => {
    const paired = pairItems([asks("a", "b"), result("b")]);
    expect(show(paired)).toEqual(["a+b", NO_RESULT, "b"]);
    expect(paired[1]).toMatchObject({ role: "tool", toolResultFor: ["a"], raw: { isError: true } });
  });

  it("AB5 an id that is used again pairs with its own result", () => {
    expect(
      show(pairItems([asks("a"), result("a", "1"), asks("a"), asks("a", "a"), result("a", "3"), result("a", "4")])),
    ).toEqual(["a", "1", "a", NO_RESULT, "a+a", "3", "4"]);
  });

  it("AI4 whatever the history, each call is directly followed by one result, and pairing twice changes nothing", () => {
    const id = fc.constantFrom("a", "b", "c");
    const one = fc.oneof(
      fc.array(id, { maxLength: 3 }).map((ids) => asks(...ids)),
      id.map((toolCallId) => result(toolCallId)),
      fc.constant("u").map(user),
    );
    fc.assert(
      fc.property(fc.array(one, { maxLength: 14 }), (history) => {
        const paired = pairItems(history);
        let due: string[] = [];
        for (const { raw } of paired) {
          if (raw.role === "tool") expect(raw.toolCallId).toBe(due.shift());
          else {
            expect(due).toEqual([]);
            due = raw.role === "assistant" ? raw.toolRequests.map((request) => request.toolCallId) : [];
          }
        }
        expect(due).toEqual([]);
        expect(pairItems(paired)).toEqual(paired);
      }),
    );
  });
});
