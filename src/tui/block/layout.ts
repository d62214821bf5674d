// The shape that all blocks share: a glyph and a word, then the rest, and below it a body two columns in.
import { type Span, type SpanLine, span } from "../text/span.ts";
import { wrapWords } from "../text/wrap.ts";
import type { Glyphs } from "../theme/glyph.ts";
import type { Look } from "../theme/look.ts";
import type { Role } from "../theme/theme.ts";

export const INDENT = 2;
const GAP: Span = { text: " ".repeat(INDENT) };

export type BlockHead = { glyph: Exclude<keyof Glyphs, "box" | "bullets">; word: string; role: Role };

/** The first line of a block; what does not fit goes on below, two columns in. */
export function headLines({ glyph, word, role }: BlockHead, rest: SpanLine, width: number, look: Look): SpanLine[] {
  const start = [span(`${look.glyphs[glyph]} `, role), span(word, role, "bold")];
  const line = rest.length > 0 ? [...start, GAP, ...rest] : start;
  return hanging(line, width);
}

/** Wrapped at words, all lines but the first two columns in. */
export function hanging(line: SpanLine, width: number, indent = INDENT): SpanLine[] {
  const lines = wrapWords(line, { first: width, rest: width - indent });
  return lines.map((one, at) => (at === 0 ? one : indented(one, indent)));
}

export const indented = (line: SpanLine, by = INDENT): SpanLine => [span(" ".repeat(by)), ...line];

/** Facts between dots, in the quiet colour. */
export const factSpans = (facts: readonly (string | undefined)[], look: Look): Span[] => {
  const texts = facts.filter((fact) => fact !== undefined && fact !== "");
  return texts.length === 0 ? [] : [span(texts.join(` ${look.glyphs.dot} `), "dim")];
};
