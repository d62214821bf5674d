// The shape that all blocks share: a glyph and a word, then the rest, and below it a body two columns in.
import { escapeText } from "../text/escape.ts";
import { NO_BREAK, type Span, type SpanLine, span } from "../text/span.ts";
import { widthOf } from "../text/width.ts";
import { wrapWords } from "../text/wrap.ts";
import type { Glyphs } from "../theme/glyph.ts";
import type { Look } from "../theme/look.ts";
import type { Role } from "../theme/theme.ts";

export const INDENT = 2;
const GAP: Span = { text: " ".repeat(INDENT) };

type BlockHead = {
  glyph: Exclude<keyof Glyphs, "box" | "bullets">;
  word: string;
  role: Role;
  isQuiet?: boolean;
  /** What plain mode calls it, where that is not its word. */
  label?: string;
};

/** The first line of a block; what does not fit goes on below, two columns in. A quiet one has its word in plain text. */
export function headLines(
  { glyph, word, role, isQuiet, label }: BlockHead,
  rest: SpanLine,
  width: number,
  look: Look,
): SpanLine[] {
  if (look.isPlain) return hanging([span(`${label ?? word}: ${label ? `${word} ` : ""}`), ...rest], width);
  const name = isQuiet ? span(word, "dim") : span(word, role, "bold");
  const start = [span(`${look.glyphs[glyph]} `, role), name];
  const line = rest.length > 0 ? [...start, GAP, ...rest] : start;
  return hanging(line, width);
}

/** Wrapped at words, all lines but the first two columns in. */
export function hanging(line: SpanLine, width: number, indent = INDENT): SpanLine[] {
  const lines = wrapWords(line, { first: width, rest: width - indent });
  return lines.map((one, at) => (at === 0 ? one : indented(one, indent)));
}

/** A line of a command's list: what does not fit goes on under its last column, where that leaves half of the width. */
export function hangingColumns(line: SpanLine, width: number): SpanLine[] {
  const text = line.map((one) => one.text).join("");
  const columns = [...text.matchAll(/\S {2,}(?=\S)/g)].map((gap) => widthOf(text.slice(0, gap.index + gap[0].length)));
  return hanging(line, width, columns.findLast((column) => column <= width / 2) ?? INDENT);
}

export const indented = (line: SpanLine, by = INDENT): SpanLine => [span(" ".repeat(by)), ...line];

/** Facts between dots, in the quiet colour. Lines break between facts, not within one. */
export const factSpans = (facts: readonly (string | undefined)[], look: Look): Span[] => {
  const texts = facts.filter((fact): fact is string => fact !== undefined && fact !== "");
  const whole = texts.map((fact) => escapeText(fact).replaceAll(" ", NO_BREAK));
  return whole.length === 0 ? [] : [span(whole.join(`${NO_BREAK}${look.glyphs.dot} `), "dim")];
};

/** What is left out, and where it is. */
export const foldText = (count: string, look: Look): string =>
  look.isPlain ? `+${count}, not shown` : `+${count} (ctrl+o)`;
