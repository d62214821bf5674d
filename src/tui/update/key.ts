// Which part of the screen a key is for: a panel, the search of the history, a question, else the editor.
import type { AgentMode } from "../../schema/permission.ts";
import {
  browse,
  type EditorState,
  edit,
  emptyEditor,
  isEditAction,
  moveByRow,
  replaceText,
  typeText,
} from "../editor/edit.ts";
import { cursorByRow, editorRoom } from "../editor/rows.ts";
import { expanded, textOf } from "../editor/text.ts";
import { questionKey, writtenAnswer } from "../question/question.ts";
import type { KeyPress } from "../terminal/input.ts";
import { onCompletionKey } from "./completion.ts";
import { cancel, interrupt, leave } from "./leave.ts";
import { doing, isBusy, type ScreenState, type Step, stay } from "./message.ts";
import { onPanelKey } from "./panel.ts";
import { onSearchKey } from "./search.ts";
import { submit } from "./submit.ts";

export function onKey(before: ScreenState, key: KeyPress, now: number): Step {
  // A hint that asked for a second key has done its work.
  const state = before.hint && now > before.hint.until ? { ...before, hint: undefined } : before;
  if (state.search) return onSearchKey(state, key);
  const [question] = state.questions;
  if (question?.writing) return onWriting(state, key, now);
  if (question) return onQuestionKey(state, key, now);
  if (state.panel) return onPanelKey(state, key);
  return onCompletionKey(state, key) ?? onEditorKey(state, key, now);
}

function onQuestionKey(state: ScreenState, key: KeyPress, now: number): Step {
  const [question, ...others] = state.questions;
  if (!question) return stay(state);
  const outcome = questionKey(question, key, now);
  switch (outcome.type) {
    case "answer":
      return doing({ ...state, questions: others }, { type: "answer", id: question.id, answer: outcome.answer });
    case "stay":
      return stay({ ...state, questions: [outcome.question, ...others] });
    case "write": {
      const writing = { purpose: outcome.purpose, draft: state.editor };
      const editor = replaceText(emptyEditor, textOf(outcome.from));
      return stay({ ...state, editor, questions: [{ ...outcome.question, writing }, ...others] });
    }
    case "pass":
      return onEditorKey({ ...state, questions: [outcome.question, ...others] }, key, now);
  }
}

/** The editor holds an answer: Enter gives it, Esc goes back to the choices. */
function onWriting(state: ScreenState, key: KeyPress, now: number): Step {
  const [question, ...others] = state.questions;
  const action = state.bindings[key.id];
  if (!question?.writing || (action !== "submit" && action !== "cancel")) return onEditorKey(state, key, now);
  const { purpose, draft } = question.writing;
  if (action === "cancel")
    return stay({ ...state, editor: draft, questions: [{ ...question, writing: undefined }, ...others] });
  const text = expanded(state.editor);
  if (text.trim() === "" && purpose !== "feedback") return stay(state);
  const answer = writtenAnswer(question.body, purpose, text);
  return doing({ ...state, editor: draft, questions: others }, { type: "answer", id: question.id, answer });
}

const MODES: readonly AgentMode[] = ["interactive", "plan", "autopilot"];

function onEditorKey(state: ScreenState, key: KeyPress, now: number): Step {
  const { editor } = state;
  const action = state.bindings[key.id];
  const isEmpty = editor.text === "";
  const withEditor = (next: EditorState): Step => stay({ ...state, editor: next });
  switch (action) {
    case undefined:
      return key.text === undefined ? stay(state) : withEditor(typeText(editor, key.text));
    case "submit":
      return submit(state);
    case "cancel":
      return cancel(state, now);
    case "interrupt":
      return interrupt(state, now);
    case "exit":
      return isEmpty ? leave(state) : withEditor(edit(editor, "deleteRight"));
    case "background":
      return isEmpty && isBusy(state) ? doing(state, { type: "background" }) : withEditor(edit(editor, "left"));
    case "mode": {
      const mode = MODES[(MODES.indexOf(state.facts.mode) + 1) % MODES.length] ?? "interactive";
      // Shown at once: a second press goes on from here, not from what the session last said.
      return doing({ ...state, facts: { ...state.facts, mode } }, { type: "mode", mode });
    }
    case "transcript":
      return doing(state, { type: "panel", command: "transcript", args: "" });
    case "todos":
      return doing(state, { type: "panel", command: "todos", args: "" });
    case "keyList":
      return isEmpty
        ? doing(state, { type: "panel", command: "keys", args: "" })
        : withEditor(typeText(editor, key.text ?? ""));
    case "searchHistory":
      return stay({ ...state, search: { words: "", at: 0 } });
    case "externalEditor":
      return doing(state, { type: "externalEditor", text: expanded(editor) });
    case "redraw":
    case "suspend":
      return doing(state, { type: action });
    case "complete":
      return stay(state);
    case "up":
      if (isEmpty && state.queue.length > 0) return doing(state, { type: "takeBack" });
      return withEditor(upOrDown(state, -1));
    case "down":
      return withEditor(upOrDown(state, 1));
    default:
      return isEditAction(action) ? withEditor(edit(editor, action)) : stay(state);
  }
}

/** By rows as they are on the screen; from the first one up, and from the last one down, through what was sent. */
function upOrDown({ editor, history, columns }: ScreenState, by: -1 | 1): EditorState {
  const room = editorRoom(columns);
  const isAtEdge = cursorByRow(editor, room, by) === undefined;
  return (isAtEdge ? browse(editor, history, by) : undefined) ?? moveByRow(editor, room, by);
}
