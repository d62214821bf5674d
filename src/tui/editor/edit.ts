// What each editing action does to the text: moves, deletions with a kill ring, undo. Pure.
import { cursorByRow } from "./rows.ts";
import {
  type EditorText,
  emptyText,
  insert,
  lineEnd,
  lineStart,
  paste,
  removeRange,
  step,
  textOf,
  unfold,
  wordLeft,
  wordRight,
} from "./text.ts";

export type EditorState = EditorText & {
  undo: readonly EditorText[];
  kills: readonly string[];
  /** What the last action was, as far as the next one cares. */
  last: "type" | "kill" | "yank" | undefined;
  /** Where in the history Up and Down stand; undefined: at the draft. */
  past: { index: number; draft: EditorText } | undefined;
};

export const emptyEditor: EditorState = { ...emptyText, undo: [], kills: [], last: undefined, past: undefined };

const MOST_UNDO = 200;
const MOST_KILLS = 30;

type EditAction = keyof typeof EDITS;

/** The same state when the action does nothing here. */
export const edit = (state: EditorState, action: EditAction): EditorState => EDITS[action](state);

export const isEditAction = (action: string): action is EditAction => Object.hasOwn(EDITS, action);

export function typeText(state: EditorState, text: string): EditorState {
  const joins = state.last === "type" && !/\s/.test(text);
  return { ...(joins ? state : remember(state)), ...insert(state, text), last: "type", past: undefined };
}

/** A paste never sends anything; the same one twice in a row unfolds its mark. */
export const pasteText = (state: EditorState, text: string): EditorState => ({
  ...remember(state),
  ...(unfold(state, text) ?? paste(state, text)),
  last: undefined,
  past: undefined,
});

/** The whole text is another one, and undo brings the old one back. */
export const replaceText = (state: EditorState, next: EditorText): EditorState => ({
  ...remember(state),
  ...next,
  last: undefined,
  past: undefined,
});

const remember = (state: EditorState): EditorState => ({
  ...state,
  undo: [...state.undo.slice(-MOST_UNDO), { text: state.text, cursor: state.cursor, marks: state.marks }],
});

const move =
  (cursor: (state: EditorState) => number) =>
  (state: EditorState): EditorState => ({
    ...state,
    cursor: cursor(state),
    last: undefined,
  });

/** Deletes from the cursor to where it says; `keep`: it can be yanked. */
const remove =
  (to: (state: EditorState) => number, keep: boolean) =>
  (state: EditorState): EditorState => {
    const other = to(state);
    const [from, end] = [Math.min(other, state.cursor), Math.max(other, state.cursor)];
    if (from === end) return state;
    const text = state.text.slice(from, end);
    const base = { ...remember(state), ...removeRange(state, from, end), past: undefined };
    if (!keep) return { ...base, last: undefined };
    const [newest = "", ...older] = state.kills;
    const joined = other < state.cursor ? text + newest : newest + text;
    const kills = state.last === "kill" ? [joined, ...older] : [text, ...state.kills];
    return { ...base, kills: kills.slice(0, MOST_KILLS), last: "kill" };
  };

/** One row up or down on a screen with so many columns for a row; from the first and the last one to the end of the text. */
export const moveByRow = (state: EditorState, room: number, by: -1 | 1): EditorState =>
  move((text) => cursorByRow(text, room, by) ?? (by < 0 ? 0 : text.text.length))(state);

const EDITS = {
  left: move(({ text, cursor }) => step(text, cursor, -1)),
  right: move(({ text, cursor }) => step(text, cursor, 1)),
  wordLeft: move(({ text, cursor }) => wordLeft(text, cursor)),
  wordRight: move(({ text, cursor }) => wordRight(text, cursor)),
  lineStart: move(({ text, cursor }) => lineStart(text, cursor)),
  lineEnd: move(({ text, cursor }) => lineEnd(text, cursor)),
  textStart: move(() => 0),
  textEnd: move(({ text }) => text.length),
  deleteLeft: remove(({ text, cursor }) => step(text, cursor, -1), false),
  deleteRight: remove(({ text, cursor }) => step(text, cursor, 1), false),
  killWordLeft: remove(({ text, cursor }) => wordLeft(text, cursor), true),
  killWordRight: remove(({ text, cursor }) => wordRight(text, cursor), true),
  killToLineStart: remove(({ text, cursor }) => {
    const start = lineStart(text, cursor);
    return start === cursor ? Math.max(0, cursor - 1) : start;
  }, true),
  killToLineEnd: remove(({ text, cursor }) => {
    const end = lineEnd(text, cursor);
    return end === cursor ? Math.min(text.length, cursor + 1) : end;
  }, true),
  yank: (state: EditorState): EditorState => {
    const [newest] = state.kills;
    return newest === undefined ? state : { ...remember(state), ...insert(state, newest), last: "yank" };
  },
  yankOlder: (state: EditorState): EditorState => {
    const [newest = "", ...older] = state.kills;
    const next = older[0];
    if (state.last !== "yank" || next === undefined) return state;
    const without = removeRange(state, state.cursor - newest.length, state.cursor);
    return { ...remember(state), ...insert(without, next), kills: [...older, newest], last: "yank" };
  },
  undo: (state: EditorState): EditorState => {
    const before = state.undo.at(-1);
    return before ? { ...state, ...before, undo: state.undo.slice(0, -1), last: undefined } : state;
  },
  newLine: (state: EditorState): EditorState => ({ ...remember(state), ...insert(state, "\n"), last: undefined }),
} satisfies Record<string, (state: EditorState) => EditorState>;

/** Up and Down through what was sent; newest last. Undefined: there is nothing in that direction. */
export function browse(state: EditorState, history: readonly string[], by: -1 | 1): EditorState | undefined {
  const draft = state.past?.draft ?? { text: state.text, cursor: state.cursor, marks: state.marks };
  const index = (state.past?.index ?? history.length) + by;
  if (index < 0 || index > history.length || (by > 0 && !state.past)) return undefined;
  if (index === history.length) return { ...state, ...draft, past: undefined, last: undefined };
  return { ...state, ...textOf(history[index] ?? ""), past: { index, draft }, last: undefined };
}
