// How many columns text takes, counted by grapheme as terminals do.
import { visibleWidth } from "@earendil-works/pi-tui/dist/utils.js";

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const PLAIN = /^[\x20-\x7e]*$/;

export const isPlainAscii = (text: string): boolean => PLAIN.test(text);

export const widthOf = (text: string): number => (isPlainAscii(text) ? text.length : visibleWidth(text));

/** One grapheme: where it begins, and how many columns it takes. */
export type TextCell = { readonly at: number; readonly text: string; readonly width: number };

export function cellsOf(text: string): TextCell[] {
  const cells: TextCell[] = [];
  for (const { segment, index } of segmenter.segment(text))
    cells.push({ at: index, text: segment, width: isPlainAscii(segment) ? segment.length : visibleWidth(segment) });
  return cells;
}

/** The longest beginning that takes no more columns. */
export function fitTo(text: string, width: number): string {
  // A grapheme of many code points is rare, one of no columns rarer: far behind the last column nothing is looked at.
  const head = text.length > width * 16 + 64 ? text.slice(0, width * 16 + 64) : text;
  if (isPlainAscii(head)) return head.slice(0, Math.max(0, width));
  let used = 0;
  for (const cell of cellsOf(head)) {
    used += cell.width;
    if (used > width) return head.slice(0, cell.at);
  }
  return head;
}

/** The same with a mark at its end where something was left out. */
export function clipTo(text: string, width: number, mark: string): string {
  if (text.length <= width && isPlainAscii(text)) return text;
  const whole = fitTo(text, width);
  return whole.length === text.length ? text : `${fitTo(text, width - widthOf(mark)).trimEnd()}${mark}`;
}

const TAB = 4;

/** Tabs become spaces up to the next stop. Text without line ends. */
export function expandTabs(line: string, from = 0): string {
  if (!line.includes("\t")) return line;
  let text = "";
  let column = from;
  for (const [at, part] of line.split("\t").entries()) {
    if (at > 0) {
      const spaces = TAB - (column % TAB);
      text += " ".repeat(spaces);
      column += spaces;
    }
    text += part;
    column += widthOf(part);
  }
  return text;
}
