// A key while a panel is open: the panel's own action, or Esc that closes it.
import { replaceText } from "../editor/edit.ts";
import { expanded, textOf } from "../editor/text.ts";
import type { KeyPress } from "../terminal/input.ts";
import { doing, type ScreenState, type Step, stay } from "./message.ts";

export function onPanelKey(state: ScreenState, key: KeyPress): Step {
  const { panel } = state;
  if (!panel) return stay(state);
  const closed: ScreenState = { ...state, panel: undefined };
  const action = panel.view.handle(key, panel.state);
  switch (action?.type) {
    case undefined:
      return key.id === "escape" || key.id === "ctrl+c" ? stay(closed) : stay(state);
    case "show":
      return stay({ ...state, panel: { ...panel, state: action.state } });
    case "close":
      return stay(closed);
    case "open":
      return doing(state, { type: "panel", command: action.command, args: action.args });
    case "insert": {
      // A draft gives way, and is the newest of the history.
      const draft = expanded(state.editor);
      const next = { ...closed, editor: replaceText(state.editor, textOf(action.text)) };
      if (draft.trim() === "") return stay(next);
      return doing({ ...next, history: [...state.history, draft] }, { type: "remember", text: draft });
    }
    case "run": {
      if (action.afterwards === "reload") return doing(state, { type: "panelCommand", line: action.line });
      const { insert } = action;
      const isFree = insert !== undefined && expanded(state.editor).trim() === "";
      const next = isFree ? { ...closed, editor: replaceText(state.editor, textOf(insert)) } : closed;
      return doing(next, { type: "submit", text: action.line });
    }
  }
}
