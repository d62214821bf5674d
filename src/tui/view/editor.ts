// The editor: the text as it is written, with the cursor, long texts scrolled to it, pastes as their marks.
import { type EditorRow, editorRoom, editorRows, hasCursor, isUnder } from "../editor/rows.ts";
import type { EditorText } from "../editor/text.ts";
import { type Span, span } from "../text/span.ts";
import type { Look } from "../theme/look.ts";
import { paint } from "../theme/paint.ts";

/** At most `rows` lines, those around the cursor. */
export function renderEditor(state: EditorText, width: number, look: Look, rows: number): string[] {
  const all = editorRows(state, editorRoom(width));
  const at = all.findIndex((row) => hasCursor(row, state.cursor));
  const top = Math.max(0, Math.min(at - Math.floor(rows / 2), all.length - rows));
  return all
    .slice(top, top + rows)
    .map((row, index) =>
      paint([span(top + index === 0 ? `${look.glyphs.user} ` : "  ", "accent"), ...spansOf(row, state.cursor)], look),
    );
}

/** The cursor is drawn reversed on its character, or as a space behind the line. */
function spansOf({ cells, end }: EditorRow, cursor: number): Span[] {
  const spans: Span[] = [];
  let plain = "";
  const flush = (): void => {
    if (plain !== "") spans.push(span(plain));
    plain = "";
  };
  for (const cell of cells) {
    const isHere = isUnder(cell, cursor);
    if (!cell.isMark && !isHere) {
      plain += cell.shown;
      continue;
    }
    flush();
    spans.push(span(cell.shown, cell.isMark ? "accent" : undefined, ...(isHere ? (["inverse"] as const) : [])));
  }
  flush();
  if (cursor === end) spans.push(span(" ", undefined, "inverse"));
  return spans;
}
