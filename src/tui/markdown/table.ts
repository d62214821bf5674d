// A table drawn within a width: columns as wide as they need, the widest give way first, cells wrap.
import type { Tokens } from "marked";
import { lineWidth, plainText, type Span, type SpanLine, span } from "../text/span.ts";
import { wrapWords } from "../text/wrap.ts";
import type { Look } from "../theme/look.ts";
import { inlineLines } from "./inline.ts";

const LEAST = 3;
/** Bars and spaces that a table of so many columns takes. */
const frameWidth = (columns: number): number => columns * 3 + 1;

export function tableLines(table: Tokens.Table, width: number, look: Look): SpanLine[] {
  const columns = table.header.length;
  const rows = [table.header, ...table.rows].map((row) => row.map(cellSpans));
  // Too many columns for the window: each row as a list of its values.
  if (look.isPlain || frameWidth(columns) + columns * LEAST > width) return listed(rows, width);
  const widths = fitted(rows, columns, width - frameWidth(columns));
  const { bar, rule, box } = look.glyphs;
  const line = ([left = "", middle = "", right = ""]: string): SpanLine => [
    span(`${left}${widths.map((one) => rule.repeat(one + 2)).join(middle)}${right}`, "rule"),
  ];
  const drawn = rows.map((row, at) => rowLines(row, { widths, aligns: table.align, bar, isHead: at === 0 }));
  const [head = [], ...body] = drawn;
  return [line(box.top), ...head, line(box.middle), ...body.flat(), line(box.bottom)];
}

const cellSpans = (cell: Tokens.TableCell): Span[] =>
  inlineLines(cell.tokens).flatMap((line, at) => (at === 0 ? line : [span(" "), ...line]));

/** The widest column gives a column of its width until all fit. */
function fitted(rows: readonly Span[][][], columns: number, room: number): number[] {
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(LEAST, ...rows.slice(0, 1000).map((row) => Math.min(room, lineWidth(row[column] ?? [])))),
  );
  for (let over = widths.reduce((a, b) => a + b, 0) - room; over > 0; over--) {
    const widest = widths.indexOf(Math.max(...widths));
    widths[widest] = (widths[widest] ?? LEAST) - 1;
  }
  return widths;
}

type RowStyle = { widths: readonly number[]; aligns: readonly (string | null)[]; bar: string; isHead: boolean };

function rowLines(row: readonly Span[][], { widths, aligns, bar, isHead }: RowStyle): SpanLine[] {
  const cells = widths.map((width, at) => {
    const spans = (row[at] ?? []).map(
      (one): Span => (isHead ? { ...one, emphasis: [...(one.emphasis ?? []), "bold"] } : one),
    );
    return wrapWords(spans, { first: width, rest: width });
  });
  const height = Math.max(1, ...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) => [
    ...widths.flatMap((width, at) => [
      span(`${bar} `, "rule"),
      ...aligned(cells[at]?.[line] ?? [], width, aligns[at]),
      span(" "),
    ]),
    span(bar, "rule"),
  ]);
}

function aligned(line: SpanLine, width: number, align: string | null | undefined): SpanLine {
  const space = Math.max(0, width - lineWidth(line));
  const before = align === "right" ? space : align === "center" ? Math.floor(space / 2) : 0;
  return [span(" ".repeat(before)), ...line, span(" ".repeat(space - before))];
}

function listed([head = [], ...rows]: readonly Span[][][], width: number): SpanLine[] {
  return rows.flatMap((row, at) => [
    ...(at === 0 ? [] : [[]]),
    ...row.flatMap((cell, column) => {
      const label = span(`${plainText(head[column] ?? [])}: `, "strong");
      return wrapWords([label, ...cell], { first: width, rest: width });
    }),
  ]);
}
