// Lines of views: painted, never wider than the screen, wrapped where all of a text must be seen.
import { type Span, type SpanLine, span, textLines } from "../text/span.ts";
import { clipTo, widthOf } from "../text/width.ts";
import { wrapWords } from "../text/wrap.ts";
import type { Look } from "../theme/look.ts";
import { paint } from "../theme/paint.ts";
import type { Role } from "../theme/theme.ts";

/** One line, cut at the edge with a mark. */
export function fitLine(spans: SpanLine, width: number, look: Look): string {
  const shown: Span[] = [];
  let room = width;
  for (const one of spans) {
    if (room <= 0) break;
    const text = clipTo(one.text, room, look.glyphs.ellipsis);
    shown.push({ ...one, text });
    room -= widthOf(text);
    if (text.length < one.text.length) break;
  }
  return paint(shown, look);
}

/** All of a text, each line wrapped. */
export function wholeText(text: string, width: number, look: Look, role?: Role): string[] {
  return textLines(text, role).flatMap((line) =>
    wrapWords([line], { first: width, rest: width }).map((part) => paint(part, look)),
  );
}

/** A rule over the whole width, with words at its start. */
export function ruleLine(words: SpanLine, width: number, look: Look): string {
  const { rule } = look.glyphs;
  if (words.length === 0) return paint([span(rule.repeat(width), "rule")], look);
  const used = words.reduce((sum, one) => sum + widthOf(one.text), 0);
  const rest = Math.max(0, width - used - 4);
  const spans = [
    span(`${rule}${rule} `, "rule"),
    ...words,
    ...(rest > 0 ? [span(` ${rule.repeat(rest)}`, "rule")] : []),
  ];
  // Cutting by grapheme costs more than all the rest of a frame, and what fits needs none.
  return used + 4 <= width ? paint(spans, look) : fitLine(spans, width, look);
}
