// A key while a panel is open: the panel's own action, or Esc that closes it.
import { replaceText } from "../editor/edit.ts";
import { textOf } from "../editor/text.ts";
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
    case "insert":
      return stay({ ...closed, editor: replaceText(state.editor, textOf(action.text)) });
    case "run":
      return action.afterwards === "reload"
        ? doing(state, { type: "panelCommand", line: action.line })
        : doing(closed, { type: "submit", text: action.line });
  }
}
