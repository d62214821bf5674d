// Breakpoints of shortened items follow the client's.
import { expect, it } from "vitest";
import { withMarksOf, withoutMarks } from "./cache-marks.ts";

const cache_control = { type: "ephemeral" };
const result = { type: "tool_result", tool_use_id: "a", content: "short" };
const text = { type: "text", text: "x" };
const kept = JSON.stringify({ role: "user", content: [result, text] });

it("X45 bytes are kept without breakpoints; a field of that name in a call's arguments is no breakpoint", () => {
  expect(withoutMarks({ role: "user", content: [{ ...result, cache_control }, text] })).toBe(kept);
  const call = { type: "tool_use", id: "a", name: "set", input: { cache_control: "no-store" } };
  const message = { role: "assistant", content: [call] };
  expect(withoutMarks(message)).toBe(JSON.stringify(message));
});

it("X45 what is sent has the breakpoints that the client has now, and no other", () => {
  const original = (...marked: boolean[]) => ({
    role: "user",
    content: marked.map((is) => ({ type: "text", text: "long", ...(is ? { cache_control } : {}) })),
  });
  expect(withMarksOf(original(false, false), kept)).toBe(kept);
  expect(withMarksOf(undefined, kept)).toBe(kept);
  const marked = { role: "user", content: [result, { ...text, cache_control }] };
  expect(withMarksOf(original(false, true), kept)).toBe(JSON.stringify(marked));
  expect(withMarksOf(original(true), kept)).toBe(kept);
});
