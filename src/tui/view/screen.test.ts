// The live part of the screen: what stands over a question says its own keys.
import { expect, it } from "vitest";
import { stripAnsi } from "../../base/text.ts";
import { emptyTranscript } from "../../runtime/client/transcript.ts";
import { emptyEditor, pasteText } from "../editor/edit.ts";
import { openQuestion } from "../question/question.ts";
import { idle } from "../state/activity.ts";
import { noFacts } from "../state/facts.ts";
import { lookOf } from "../theme/look.ts";
import type { ScreenState } from "../update/message.ts";
import { renderScreen } from "./screen.ts";

const quiet: ScreenState = {
  transcript: emptyTranscript(),
  facts: noFacts,
  activity: idle,
  sending: 0,
  shell: undefined,
  editor: emptyEditor,
  columns: 80,
  history: ["look here"],
  search: undefined,
  queue: [],
  questions: [],
  panel: undefined,
  hint: undefined,
  pressed: { escape: 0, interrupt: 0, exit: 0 },
  bindings: {},
};
const drawn = (state: ScreenState): string[] => {
  const choices = { look: lookOf(), statusItems: ["mode"], hasMotion: false, promotes: false };
  return renderScreen(state, [], { columns: 80, rows: 24 }, 0, choices).map((line) => stripAnsi(line).trimEnd());
};

it("F32 behind the mark of a paste the hint says how to see it whole; behind other words it does not", () => {
  const editor = pasteText(emptyEditor, "line\n".repeat(30));
  expect(drawn({ ...quiet, editor }).at(-1)).toBe("enter sends · the same paste again shows it whole");
  expect(drawn({ ...quiet, editor: pasteText(editor, " and") }).at(-1)).toMatch(/^\? keys/);
});

it("F31 F11 the search of the history over a question: the keys of the search, and no word of waiting for the model", () => {
  const state: ScreenState = {
    ...quiet,
    search: { words: "look", at: 0 },
    activity: { ...idle, turnSince: 0, now: { words: "waiting for model", since: 0 } },
    questions: [openQuestion(1, { type: "user", ask: { question: "Which?", allowFreeform: true, toolCallId: "c" } })],
  };
  const lines = drawn(state);
  expect(lines.at(-1)).toBe("enter inserts · ctrl+r older · esc closes");
  expect(lines.join("\n")).toContain("search: look");
  expect(lines.join("\n")).not.toContain("waiting for model");
});
