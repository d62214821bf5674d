// The live part of the screen: what stands over a question says its own keys.
import { expect, it } from "vitest";
import { stripAnsi } from "../../base/text.ts";
import { emptyTranscript } from "../../runtime/client/transcript.ts";
import { emptyEditor } from "../editor/edit.ts";
import { openQuestion } from "../question/question.ts";
import { idle } from "../state/activity.ts";
import { noFacts } from "../state/facts.ts";
import { lookOf } from "../theme/look.ts";
import type { ScreenState } from "../update/message.ts";
import { renderScreen } from "./screen.ts";

it("F31 F11 the search of the history over a question: the keys of the search, and no word of waiting for the model", () => {
  const state: ScreenState = {
    transcript: emptyTranscript(),
    facts: noFacts,
    activity: { ...idle, turnSince: 0, now: { words: "waiting for model", since: 0 } },
    sending: 0,
    shell: undefined,
    editor: emptyEditor,
    columns: 80,
    history: ["look here"],
    search: { words: "look", at: 0 },
    queue: [],
    questions: [openQuestion(1, { type: "user", ask: { question: "Which?", allowFreeform: true, toolCallId: "c" } })],
    panel: undefined,
    hint: undefined,
    pressed: { escape: 0, interrupt: 0, exit: 0 },
    bindings: {},
  };
  const choices = { look: lookOf(), statusItems: ["mode"], hasMotion: false, promotes: false };
  const lines = renderScreen(state, [], { columns: 80, rows: 24 }, 0, choices).map(stripAnsi);
  expect(lines.at(-1)?.trimEnd()).toBe("enter inserts · ctrl+r older · esc closes");
  expect(lines.join("\n")).toContain("search: look");
  expect(lines.join("\n")).not.toContain("waiting for model");
});
