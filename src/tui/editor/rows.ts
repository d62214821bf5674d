// The text being written as rows of a screen, broken between words, and the place one row above or below the cursor. Pure.
import { span } from "../text/span.ts";
import { cellsOf, clipTo, isPlainAscii, widthOf } from "../text/width.ts";
import { type EditorText, markLabel } from "./text.ts";

/** One character, or a mark, as it is shown. */
type EditorCell = { at: number; end: number; shown: string; width: number; isMark: boolean };
/** `end`: the cursor may stand there, behind the last cell, where a line ends. */
export type EditorRow = { from: number; end: number | undefined; cells: readonly EditorCell[] };

const PROMPT_COLUMNS = 2;

/** What a row of the editor has beside the prompt. */
export const editorRoom = (columns: number): number => Math.max(1, columns - PROMPT_COLUMNS);

export const isUnder = ({ at, end }: EditorCell, cursor: number): boolean => cursor >= at && cursor < end;

export const hasCursor = ({ end, cells }: EditorRow, cursor: number): boolean =>
  cursor === end || cells.some((cell) => isUnder(cell, cursor));

export function editorRows({ text, cursor, marks }: EditorText, room: number): EditorRow[] {
  const rows: EditorRow[] = [];
  let start = 0;
  for (const line of text.split("\n")) {
    const cells = cellsOf(line).map(({ at, text: char }): EditorCell => {
      const mark = marks[char];
      const shown = mark ? clipTo(markLabel(mark), room, "…") : isPlainAscii(char) ? char : span(char).text;
      const from = start + at;
      return { at: from, end: from + char.length, shown, width: widthOf(shown), isMark: mark !== undefined };
    });
    const end = start + line.length;
    rows.push(...lineRows(cells, room, start, end, cursor === end ? 1 : 0));
    start = end + 1;
  }
  return rows;
}

/** A space behind a word belongs to its row: nothing that was typed is left out. `last`: columns that the line's end takes. */
function lineRows(cells: readonly EditorCell[], room: number, from: number, end: number, last: number): EditorRow[] {
  const rows: EditorRow[] = [];
  let first = 0;
  let used = 0;
  for (let at = 0; at <= cells.length; at++) {
    const width = cells[at]?.width ?? last;
    while (at > first && used + width > room) {
      const next = wordStart(cells, first, at);
      rows.push({ from: cells[first]?.at ?? from, end: undefined, cells: cells.slice(first, next) });
      first = next;
      used = cells.slice(first, at).reduce((sum, cell) => sum + cell.width, 0);
    }
    used += width;
  }
  return [...rows, { from: cells[first]?.at ?? end, end, cells: cells.slice(first) }];
}

/** The last cell behind `first`, up to `at`, that a row may begin with; `at` where a word is longer than a row. */
function wordStart(cells: readonly EditorCell[], first: number, at: number): number {
  for (let next = at; next > first; next--) {
    const before = cells[next - 1];
    if (before?.shown === " " || before?.width === 2 || cells[next]?.width === 2) return next;
  }
  return at;
}

/** Undefined: there is no row in that direction. */
export function cursorByRow(text: EditorText, room: number, by: -1 | 1): number | undefined {
  const rows = editorRows(text, room);
  const at = rows.findIndex((row) => hasCursor(row, text.cursor));
  const [row, next] = [rows[at], rows[at + by]];
  if (!row || !next) return undefined;
  const before = row.cells.filter((cell) => cell.end <= text.cursor);
  let left = before.reduce((sum, { width }) => sum + width, 0);
  for (const cell of next.cells) {
    if (left < cell.width) return cell.at;
    left -= cell.width;
  }
  return next.end ?? next.cells.at(-1)?.at ?? next.from;
}
