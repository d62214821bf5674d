// Styled text before it is bytes: a span has a role in the theme; only `paint` knows what a role looks like.
import type { Emphasis, Role } from "../theme/theme.ts";
import { escapeText } from "./escape.ts";
import { expandTabs, widthOf } from "./width.ts";

/** Text is escaped already, and has no line ends: make spans with `span`. */
export type Span = { readonly text: string; readonly role?: Role; readonly emphasis?: readonly Emphasis[] };
export type SpanLine = readonly Span[];

export function span(text: string, role?: Role, ...emphasis: Emphasis[]): Span {
  const clean = expandTabs(escapeText(text)).replaceAll("\n", " ");
  return { text: clean, ...(role ? { role } : {}), ...(emphasis.length > 0 ? { emphasis } : {}) };
}

/** A space at which no line is broken; a plain one when it is drawn. */
export const NO_BREAK = "\u00a0";

export const lineWidth = (line: SpanLine): number => widthOf(line.map(({ text }) => text).join(""));

export const plainText = (line: SpanLine): string => line.map(({ text }) => text).join("");

/** Lines of a text, each a span; a last line end makes no further line. */
export function textLines(text: string, role?: Role): Span[] {
  return escapeText(text)
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => span(line, role));
}
