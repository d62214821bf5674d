// Generated bodies of all four wires, and what their histories mean, for property tests.
import fc from "fast-check";
import type { WireName } from "../../schema/model.ts";
import type { WireBody } from "./contract.ts";

/** A history without a wire: what each adapter should find in the body made of it. */
export type Move =
  | { type: "prompt"; text: string }
  | { type: "notice" }
  | { type: "answer"; text: string }
  | { type: "step"; reasoning: boolean; calls: { name: string; result: boolean; text?: string }[]; doubled: boolean }
  | { type: "unknown" };

const word = fc.stringMatching(/^[a-z]{1,8}$/);
const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ type: fc.constant("prompt" as const), text: word }),
  fc.record({ type: fc.constant("notice" as const) }),
  fc.record({ type: fc.constant("answer" as const), text: word }),
  fc.record({
    type: fc.constant("step" as const),
    reasoning: fc.boolean(),
    calls: fc.array(fc.record({ name: fc.constantFrom("view", "bash"), result: fc.boolean() }), {
      minLength: 1,
      maxLength: 3,
    }),
    doubled: fc.boolean(),
  }),
  fc.record({ type: fc.constant("unknown" as const) }),
);
export const moves = fc.array(move, { maxLength: 12 });

const NOTICE = "<system_notification>agent done</system_notification>";
const flat = <T>(history: readonly Move[], make: (move: Move, index: number) => T[]): T[] => history.flatMap(make);

export const bodyOf: Record<WireName, (history: readonly Move[], withIds: boolean) => WireBody> = {
  "openai-chat": (history) => ({
    model: "m",
    messages: [
      { role: "system", content: "sys" },
      ...flat(history, (m, i): unknown[] => {
        if (m.type === "prompt") return [{ role: "user", content: [{ type: "text", text: m.text }] }];
        if (m.type === "notice") return [{ role: "user", content: NOTICE }];
        if (m.type === "answer") return [{ role: "assistant", content: m.text }];
        if (m.type === "unknown") return [{ role: "novel", content: "?" }];
        const ids = m.calls.map((call, k) => ({ ...call, id: `c${i}.${k}` }));
        const tool_calls = ids.map(({ id, name }) => ({ id, type: "function", function: { name, arguments: "{}" } }));
        const results = ids
          .filter((c) => c.result)
          .map(({ id, text = "ok" }) => ({ role: "tool", tool_call_id: id, content: text }));
        return [
          { role: "assistant", content: null, tool_calls },
          ...results,
          ...(m.doubled ? results.slice(0, 1).map((r) => ({ ...r })) : []),
        ];
      }),
    ],
  }),
  "openai-responses": (history) => ({
    model: "m",
    instructions: "sys",
    input: flat(history, (m, i): unknown[] => {
      if (m.type === "prompt") return [{ role: "user", content: [{ type: "input_text", text: m.text }] }];
      if (m.type === "notice") return [{ type: "message", role: "user", content: NOTICE }];
      if (m.type === "answer")
        return [{ type: "message", role: "assistant", content: [{ type: "output_text", text: m.text }] }];
      if (m.type === "unknown") return [{ type: "novel_item", data: 1 }];
      const calls = m.calls.map((call, k) => ({
        ...call,
        id: `c${i}.${k}`,
        type: k === 1 ? "custom_tool_call" : "function_call",
      }));
      const results = calls
        .filter((c) => c.result)
        .map(({ id, type, text = "ok" }) => ({ type: `${type}_output`, call_id: id, output: text }));
      return [
        ...(m.reasoning ? [{ type: "reasoning", summary: [], encrypted_content: "xyz" }] : []),
        ...calls.map(({ id, type, name }) => ({ type, id: `item_${id}`, call_id: id, name, arguments: "{}" })),
        ...results,
        ...(m.doubled ? results.slice(0, 1).map((r) => ({ ...r })) : []),
      ];
    }),
  }),
  anthropic: (history) => ({
    model: "m",
    system: [{ type: "text", text: "sys" }],
    messages: flat(history, (m, i): unknown[] => {
      if (m.type === "prompt") return [{ role: "user", content: m.text }];
      if (m.type === "notice") return [{ role: "user", content: [{ type: "text", text: NOTICE }] }];
      if (m.type === "answer") return [{ role: "assistant", content: [{ type: "text", text: m.text }] }];
      if (m.type === "unknown") return [{ role: "novel", content: "?" }];
      const ids = m.calls.map((call, k) => ({ ...call, id: `c${i}.${k}` }));
      const thinking = m.reasoning ? [{ type: "thinking", thinking: "hm", signature: "s" }] : [];
      const uses = ids.map(({ id, name }) => ({ type: "tool_use", id, name, input: {} }));
      const results = ids
        .filter((c) => c.result)
        .map(({ id, text = "ok" }) => ({ type: "tool_result", tool_use_id: id, content: text }));
      const answer = results.length > 0 ? [{ role: "user", content: results }] : [];
      return [
        { role: "assistant", content: [...thinking, ...uses] },
        ...answer,
        ...(m.doubled ? structuredClone(answer) : []),
      ];
    }),
  }),
  gemini: (history, withIds) => ({
    systemInstruction: { parts: [{ text: "sys" }] },
    contents: flat(history, (m, i): unknown[] => {
      if (m.type === "prompt") return [{ role: "user", parts: [{ text: m.text }] }];
      if (m.type === "notice") return [{ role: "user", parts: [{ text: NOTICE }] }];
      if (m.type === "answer") return [{ role: "model", parts: [{ text: m.text, thoughtSignature: "s" }] }];
      if (m.type === "unknown") return [{ role: "novel", parts: [] }];
      const ids = m.calls.map((call, k) => ({
        ...call,
        named: { ...(withIds ? { id: `c${i}.${k}` } : {}), name: call.name },
      }));
      const calls = ids.map(({ named }) => ({ functionCall: { ...named, args: {} } }));
      // Without ids the answers of a name come in call order, so the first ones are those that are there.
      const results = ids
        .filter((c) => c.result)
        .map(({ named, text = "ok" }) => ({ functionResponse: { ...named, response: { output: text } } }));
      const doubles = m.doubled ? structuredClone(results.slice(0, 1)) : [];
      const answer = results.length > 0 ? [{ role: "user", parts: [...results, ...doubles] }] : [];
      return [{ role: "model", parts: calls }, ...answer];
    }),
  }),
};
