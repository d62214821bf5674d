// Completion of what is being typed: commands behind a slash, paths behind an @. Pure; the rows are found by an effect.
import { type EditorState, replaceText } from "../editor/edit.ts";

/** What stands before the cursor and can be completed. */
export type CompletionToken = { kind: "command" | "path"; start: number; query: string };

export type CompletionRow = {
  label: string;
  /** What comes behind it in the list: arguments and one line of help. */
  detail: string;
  /** What stands in the editor afterwards, from the token's start on. */
  insert: string;
  /** A command that needs no more words: Enter runs it. */
  isWhole?: true;
};

export type CompletionState = { token: CompletionToken; rows: readonly CompletionRow[]; at: number };

const COMMAND = /^\/([\w:-]*)$/;
const PATH = /(?:^|\s)@("?)([^\s"]*)$/;

export function tokenAt({ text, cursor }: Pick<EditorState, "text" | "cursor">): CompletionToken | undefined {
  const before = text.slice(0, cursor);
  const command = COMMAND.exec(before);
  if (command) return { kind: "command", start: 0, query: command[1] ?? "" };
  const path = PATH.exec(before);
  const query = path?.[2] ?? "";
  // Behind `#` stand lines, which nothing completes.
  if (!path || query.includes("#")) return undefined;
  return { kind: "path", start: before.length - query.length - (path[1] ?? "").length - 1, query };
}

export const isSameToken = (a: CompletionToken | undefined, b: CompletionToken): boolean =>
  a?.kind === b.kind && a.start === b.start && a.query === b.query;

export function accept(editor: EditorState, { token, rows, at }: CompletionState): EditorState {
  const row = rows[at];
  if (!row) return editor;
  const rest = editor.text.slice(editor.cursor);
  const text = editor.text.slice(0, token.start) + row.insert;
  return replaceText(editor, {
    text: text + (text.endsWith(" ") ? rest.trimStart() : rest),
    cursor: text.length,
    marks: editor.marks,
  });
}

/** The chosen row after a step up or down, round and round. */
export const moved = (state: CompletionState, by: -1 | 1): CompletionState => ({
  ...state,
  at: (state.at + by + state.rows.length) % Math.max(1, state.rows.length),
});
