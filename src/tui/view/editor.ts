// The editor: the text as it is written, with the cursor, long texts scrolled to it, pastes as their marks.
import type { EditorText } from "../editor/text.ts";
import { markLabel } from "../editor/text.ts";
import { type Span, type SpanLine, span } from "../text/span.ts";

import { cellsOf } from "../text/width.ts";
import { wrapCells } from "../text/wrap.ts";
import type { Look } from "../theme/look.ts";
import { paint } from "../theme/paint.ts";

const PROMPT_COLUMNS = 2;

/** At most `rows` lines, those around the cursor. */
export function renderEditor(state: EditorText, width: number, look: Look, rows: number): string[] {
  const room = Math.max(1, width - PROMPT_COLUMNS);
  const lines: { spans: SpanLine; hasCursor: boolean }[] = [];
  let start = 0;
  for (const line of state.text.split("\n")) {
    const end = start + line.length;
    const hasCursor = state.cursor >= start && state.cursor <= end;
    const spans = spansOf(line, hasCursor ? state.cursor - start : undefined, state);
    for (const part of wrapCells(spans, { first: room, rest: room }))
      lines.push({ spans: part, hasCursor: part.some(({ emphasis }) => emphasis?.includes("inverse")) });
    start = end + 1;
  }
  const at = Math.max(
    0,
    lines.findIndex(({ hasCursor }) => hasCursor),
  );
  const top = Math.max(0, Math.min(at - Math.floor(rows / 2), lines.length - rows));
  return lines.slice(top, top + rows).map(({ spans }, row) => {
    const isFirst = top + row === 0;
    return paint([span(isFirst ? `${look.glyphs.user} ` : "  ", "accent"), ...spans], look);
  });
}

/** The cursor is drawn reversed on its character, or as a space behind the line. */
function spansOf(line: string, cursor: number | undefined, { marks }: EditorText): Span[] {
  const spans: Span[] = [];
  let plain = "";
  const flush = (): void => {
    if (plain !== "") spans.push(span(plain));
    plain = "";
  };
  let hasCursor = false;
  for (const { at, text } of cellsOf(line)) {
    const mark = marks[text];
    const isHere: boolean = cursor !== undefined && !hasCursor && at + text.length > cursor;
    if (!mark && !isHere) {
      plain += text;
      continue;
    }
    flush();
    hasCursor ||= isHere;
    spans.push(
      span(mark ? markLabel(mark) : text, mark ? "accent" : undefined, ...(isHere ? (["inverse"] as const) : [])),
    );
  }
  flush();
  if (cursor !== undefined && !hasCursor) spans.push(span(" ", undefined, "inverse"));
  return spans;
}
