// The update of the screen, attacked with random keys: nothing typed is lost, no question is decided by an early key.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { emptyTranscript } from "../../runtime/client/transcript.ts";
import { emptyEditor, typeText } from "../editor/edit.ts";
import { expanded } from "../editor/text.ts";
import { defaultKeys } from "../key/load.ts";
import type { PanelView } from "../panel/contract.ts";
import { type PanelPage, pickerPage, textPage } from "../panel/page.ts";
import { ARMING_MS } from "../question/question.ts";
import { idle } from "../state/activity.ts";
import { noFacts } from "../state/facts.ts";
import { browseView } from "../view/browse.ts";
import type { Effect, ScreenMessage, ScreenState } from "./message.ts";
import { update } from "./update.ts";

const first: ScreenState = {
  transcript: emptyTranscript(),
  facts: noFacts,
  activity: idle,
  sending: 0,
  shell: undefined,
  editor: emptyEditor,
  columns: 80,
  history: [],
  search: undefined,
  queue: [],
  questions: [],
  panel: undefined,
  hint: undefined,
  pressed: { escape: 0, interrupt: 0, exit: 0 },
  bindings: defaultKeys.bindings,
};

function play(messages: readonly ScreenMessage[], from = first): { state: ScreenState; effects: Effect[] } {
  let state = from;
  const effects: Effect[] = [];
  for (const message of messages) {
    const step = update(state, message);
    state = step.state;
    effects.push(...step.effects);
  }
  return { state, effects };
}

const typed = (text: string, now = 0): ScreenMessage => ({ type: "key", key: { id: text, text }, now, columns: 80 });
const pressed = (id: string, now = 0): ScreenMessage => ({ type: "key", key: { id }, now, columns: 80 });

describe("typing", () => {
  const piece = fc.oneof(
    fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 3 })
      .filter((text) => !/^[?!/\\\s]/.test(text))
      .map((text) => ({ text, message: typed(text) })),
    fc.array(fc.string({ maxLength: 30 }), { minLength: 1, maxLength: 40 }).map((lines) => {
      const text = `p${lines.join("\n").replaceAll("\r", "")}`;
      return { text, message: { type: "paste", text, now: 0 } as ScreenMessage };
    }),
    fc.constant({ text: "\n", message: pressed("ctrl+j") }),
  );

  it("FI6 F32 draft and sent messages hold every character typed or pasted, in order", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(piece, fc.boolean()), { maxLength: 30 }), (pieces) => {
        const messages = pieces.flatMap(([{ message }, sends]) => (sends ? [message, pressed("enter")] : [message]));
        const { state, effects } = play(messages);
        const sent = effects.flatMap((effect) =>
          effect.type === "submit" ? [effect.text] : effect.type === "shell" ? ["!"] : [],
        );
        const whole = pieces.map(([{ text }]) => text).join("");
        // The same paste right behind its mark unfolds it instead of adding it again.
        const pastes = pieces.flatMap(([{ message, text }]) => (message.type === "paste" ? [text] : []));
        fc.pre(new Set(pastes).size === pastes.length && !whole.includes("\\"));
        expect(`${sent.join("")}${expanded(state.editor)}`.replaceAll("\n", "")).toBe(whole.replaceAll("\n", ""));
      }),
    );
  });

  it("FI6 F32 a paste narrows the list or the search that is open; where nothing takes it, it is in the draft", () => {
    const paste = (text: string): ScreenMessage => ({ type: "paste", text, now: 0 });
    const rows = [{ label: "7f3a port", detail: "", does: { type: "close" as const } }];
    const open = (page: PanelPage): ScreenState => ({
      ...first,
      panel: { command: "sessions", args: "", view: browseView as PanelView<unknown>, state: page },
    });
    const listed = play([paste("7f3a\n")], open(pickerPage("Sessions", rows))).state;
    expect(listed.panel?.state).toMatchObject({ query: "7f3a" });
    expect(listed.editor.text).toBe("");
    // Its letters act on a row here: a paste must not.
    const acting = play([paste("sd")], open(pickerPage("Tasks", rows, "", { s: "stop", d: "remove" }))).state;
    expect(acting.panel?.state).toMatchObject({ query: "" });
    expect(acting.editor.text).toBe("sd");
    expect(play([paste("two\nlines")], open(textPage("Help", "words"))).state.editor.text).toBe("two\nlines");
    expect(play([pressed("ctrl+r"), paste("port")]).state.search).toEqual({ words: "port", at: 0 });
  });

  it("F31 in the search of the history the keys that delete take whole characters, a word, all of it", () => {
    const left = (...ids: string[]) => {
      const words = [..."big 👩‍👩‍👧"].map((char) => typed(char));
      return play([pressed("ctrl+r"), ...words, ...ids.map((id) => pressed(id))]).state.search?.words;
    };
    expect(left()).toBe("big 👩‍👩‍👧");
    expect(left("backspace")).toBe("big ");
    expect(left("backspace", "ctrl+w")).toBe("");
    expect(left("ctrl+u")).toBe("");
    expect(left("ctrl+j")).toBe("big 👩‍👩‍👧");
  });

  it("F31 Up and Down go by rows of the screen; only from the first and the last one through the history", () => {
    const words = "one two three four five six seven eight nine ten";
    const narrow = { ...first, columns: 22, history: ["earlier"], editor: typeText(emptyEditor, words) };
    const keys = (...ids: string[]) =>
      play(
        ids.map((id): ScreenMessage => ({ type: "key", key: { id }, now: 0, columns: 22 })),
        narrow,
      ).state.editor;
    // one two three four | five six seven | eight nine ten
    expect(keys("up").text.slice(keys("up").cursor)).toBe(" eight nine ten");
    expect(keys("up", "up").cursor).toBe("one two three ".length);
    expect(keys("up", "up", "up").text).toBe("earlier");
    expect(keys("up", "up", "up", "down").text).toBe(words);
    expect(keys("up", "up", "down", "down").cursor).toBe(words.length);
  });

  it("F31 undo brings back what was there before", () => {
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 10 }), (pieces) => {
        const { state } = play(pieces.map(({ message }) => message));
        let before = state;
        for (let at = 0; at < 200; at++) before = update(before, pressed("ctrl+-")).state;
        expect(expanded(before.editor)).toBe("");
      }),
    );
  });
});

describe("a question", () => {
  const permission = {
    requestId: "r",
    toolCallId: "c",
    request: { kind: "shell" as const, command: "rm x" },
    explanation: "rm x",
    reason: "no rule",
    agent: "main agent",
    session: "shell(rm:*)",
  };
  const asked: ScreenMessage = { type: "asked", id: 1, body: { type: "permission", ask: permission } };
  const key = fc
    .constantFrom("1", "2", "3", "4", "5", "y", "n", " ", "enter", "up", "down", "e")
    .map((id) => ({ id, ...(id.length === 1 ? { text: id } : {}) }));

  it("FI4 F41 no key decides before 400 ms without one since it was shown; exactly one answer", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(key, fc.integer({ min: 1, max: ARMING_MS - 1 })), { maxLength: 20 }),
        key,
        (early, last) => {
          let now = 1000;
          const messages: ScreenMessage[] = [asked, { type: "shown", now }];
          for (const [one, wait] of early) {
            now += wait;
            messages.push({ type: "key", key: one, now, columns: 80 });
          }
          const before = play(messages);
          expect(before.effects.filter((effect) => effect.type === "answer")).toEqual([]);
          expect(before.state.questions).toHaveLength(1);
          const after = play([{ type: "key", key: last, now: now + ARMING_MS, columns: 80 }], before.state);
          const answers = after.effects.filter((effect) => effect.type === "answer");
          expect(answers.length).toBe(["1", "2", "4"].includes(last.id) ? 1 : 0);
        },
      ),
    );
  });

  it("FI4 F41 Enter alone does nothing; Esc is always a rejection; a second key decides nothing more", () => {
    const shown = play([asked, { type: "shown", now: 0 }]).state;
    expect(play([pressed("enter", 1000)], shown).effects).toEqual([]);
    const { effects, state } = play([pressed("escape", 1000), typed("1", 1001)], shown);
    expect(effects).toMatchObject([{ type: "answer", id: 1, answer: { answer: { type: "reject" } } }]);
    expect(state.questions).toEqual([]);
    expect(state.editor.text).toBe("1");
  });

  it("FI4 F41 a digit within a text that is being typed is text, also once the question takes keys", () => {
    const shown = play([asked, { type: "shown", now: 0 }]).state;
    const keys = [..."wait port 2"].map((letter, at) => typed(letter, 1000 + at * 120));
    const { effects, state } = play(keys, shown);
    expect(effects.filter(({ type }) => type === "answer")).toEqual([]);
    expect(state.editor.text).toBe("wait port 2");
    const later = play([typed("1", 1000 + keys.length * 120 + ARMING_MS)], state);
    expect(later.effects.filter(({ type }) => type === "answer")).toHaveLength(1);
  });

  it("F34 Enter completes a mistyped command and runs only what was typed from its beginning", () => {
    const rows = [{ label: "/undo", detail: "", insert: "/undo", isWhole: true }];
    const listed = (text: string): ScreenState => ({
      ...first,
      editor: { ...emptyEditor, text, cursor: text.length },
      completion: {
        token: { kind: "command", query: text.slice(1), start: 0, end: text.length },
        rows,
        at: 0,
      } as never,
    });
    expect(play([pressed("enter")], listed("/udo")).effects.filter(({ type }) => type !== "complete")).toEqual([]);
    expect(play([pressed("enter")], listed("/und")).effects.map(({ type }) => type)).not.toEqual([]);
  });

  it("F42 a question whose work has ended is withdrawn, and the draft comes back", () => {
    const { state } = play([
      typed("d"),
      asked,
      { type: "shown", now: 0 },
      typed("5", 1000),
      typed("w", 1100),
      { type: "withdrawn", id: 1 },
    ]);
    expect(state.questions).toEqual([]);
    expect(state.editor.text).toBe("d");
  });
});
