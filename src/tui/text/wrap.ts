// Wrapping by grapheme: prose breaks at spaces and between wide characters, code breaks where the line is full.
import type { Span, SpanLine } from "./span.ts";
import { cellsOf, isPlainAscii, type TextCell } from "./width.ts";

/** `first` and `rest`: columns of the first line and of the others. At least one grapheme stands on each line. */
type WrapRoom = { first: number; rest: number };

export function wrapWords(line: SpanLine, room: WrapRoom): SpanLine[] {
  return cutAtBreaks(line, room, wordBreaks);
}

export function wrapCells(line: SpanLine, room: WrapRoom): SpanLine[] {
  return cutAtBreaks(line, room, cellBreaks);
}

/** Where lines begin and end in a text, by character. */
type Cut = { from: number; to: number };

function cutAtBreaks(line: SpanLine, room: WrapRoom, breaks: (text: string, room: WrapRoom) => Cut[]): SpanLine[] {
  const text = line.map((one) => one.text).join("");
  return breaks(text, room).map((cut) => sliceSpans(line, cut));
}

function sliceSpans(line: SpanLine, { from, to }: Cut): SpanLine {
  const slice: Span[] = [];
  let start = 0;
  for (const one of line) {
    const end = start + one.text.length;
    if (end > from && start < to) slice.push({ ...one, text: one.text.slice(Math.max(0, from - start), to - start) });
    start = end;
  }
  return slice;
}

/** For plain ASCII each character is a cell; no list of them is made. */
function measure(text: string): {
  count: number;
  width(at: number): number;
  at(cell: number): number;
  char(cell: number): string;
} {
  if (isPlainAscii(text))
    return { count: text.length, width: () => 1, at: (cell) => cell, char: (cell) => text.charAt(cell) };
  const cells: TextCell[] = cellsOf(text);
  return {
    count: cells.length,
    width: (cell) => cells[cell]?.width ?? 0,
    at: (cell) => cells[cell]?.at ?? text.length,
    char: (cell) => cells[cell]?.text ?? "",
  };
}

function cellBreaks(text: string, { first, rest }: WrapRoom): Cut[] {
  const { count, width, at } = measure(text);
  const cuts: Cut[] = [];
  let start = 0;
  let used = 0;
  for (let cell = 0; cell < count; cell++) {
    if (cell > start && used + width(cell) > (cuts.length === 0 ? first : rest)) {
      cuts.push({ from: at(start), to: at(cell) });
      start = cell;
      used = 0;
    }
    used += width(cell);
  }
  cuts.push({ from: at(start), to: text.length });
  return cuts;
}

function wordBreaks(text: string, { first, rest }: WrapRoom): Cut[] {
  const { count, width, at, char } = measure(text);
  const cuts: Cut[] = [];
  let start = 0;
  let used = 0;
  /** The last cell that a line may begin with, and the columns from there on. */
  let next = -1;
  let since = 0;
  for (let cell = 0; cell < count; cell++) {
    const columns = width(cell);
    const isSpace = char(cell) === " ";
    const mayBegin = cell > start && !isSpace && (char(cell - 1) === " " || columns === 2 || width(cell - 1) === 2);
    if (mayBegin) {
      next = cell;
      since = 0;
    }
    // Spaces at the end of a line may stand over its edge: they are cut off.
    while (!isSpace && cell > start && used + columns > (cuts.length === 0 ? first : rest)) {
      const begin = next > start ? next : cell;
      cuts.push({ from: at(start), to: trimmedEnd(text, at(start), at(begin)) });
      used = begin === cell ? 0 : since;
      start = begin;
      next = -1;
    }
    used += columns;
    since += columns;
  }
  cuts.push({ from: at(start), to: trimmedEnd(text, at(start), text.length) });
  return cuts;
}

function trimmedEnd(text: string, from: number, to: number): number {
  let end = to;
  while (end > from && text.charCodeAt(end - 1) === 32) end--;
  return end;
}
