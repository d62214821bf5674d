// Ctrl+R: searching what was sent before; Enter puts the match into the editor.
import { edit, emptyEditor, isEditAction, replaceText } from "../editor/edit.ts";
import { textOf } from "../editor/text.ts";
import type { KeyPress } from "../terminal/input.ts";
import { type ScreenState, type Step, stay } from "./message.ts";

/** Newest first, each once, all words in any order. */
export function historyMatches(history: readonly string[], words: string): string[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const unique = new Set(history.toReversed());
  return [...unique].filter((text) => wanted.every((word) => text.toLowerCase().includes(word)));
}

export function onSearchKey(state: ScreenState, key: KeyPress): Step {
  const { search } = state;
  if (!search) return stay(state);
  const matches = historyMatches(state.history, search.words);
  const show = (words: string, at: number): Step => stay({ ...state, search: { words, at } });
  const action = state.bindings[key.id];
  if (action === "cancel" || action === "interrupt") return stay({ ...state, search: undefined });
  if (action === "submit" || action === "complete") {
    const match = matches[search.at];
    const editor = match === undefined ? state.editor : replaceText(state.editor, textOf(match));
    return stay({ ...state, editor, search: undefined });
  }
  if (action === "searchHistory" || action === "up")
    return show(search.words, Math.min(search.at + 1, Math.max(0, matches.length - 1)));
  if (action === "down") return show(search.words, Math.max(0, search.at - 1));
  if (key.text !== undefined) return show(search.words + key.text, 0);
  if (action === undefined || !isEditAction(action) || action === "newLine") return stay(state);
  const words = edit({ ...emptyEditor, ...textOf(search.words) }, action).text;
  return words === search.words ? stay(state) : show(words, 0);
}
