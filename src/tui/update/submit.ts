// Enter: a message, a command of ours, or a command of the user's own shell.
import { edit, emptyEditor } from "../editor/edit.ts";
import { expanded } from "../editor/text.ts";
import { readShellLine } from "../text/shell-line.ts";
import { doing, type ScreenState, type Step, stay } from "./message.ts";

export function submit(state: ScreenState): Step {
  const { editor } = state;
  if (editor.text[editor.cursor - 1] === "\\")
    return stay({ ...state, editor: edit(edit(editor, "deleteLeft"), "newLine") });
  const text = expanded(editor);
  if (text.trim() === "") return stay(state);
  const next: ScreenState = {
    ...state,
    editor: { ...emptyEditor, kills: editor.kills },
    history: state.history.at(-1) === text ? state.history : [...state.history, text],
    hint: undefined,
  };
  const shell = readShellLine(text);
  if (shell) return doing(next, { type: "remember", text }, { type: "shell", ...shell });
  const isCommand = /^\/[A-Za-z]/.test(text);
  return doing(
    { ...next, sending: next.sending + (isCommand ? 0 : 1) },
    { type: "remember", text },
    { type: "submit", text },
  );
}
