// What was printed last and will not change: how many rows it takes, and what of it can be drawn at another width.
import { stripAnsi } from "../../base/text.ts";
import { cellsOf, fitTo, isPlainAscii, widthOf } from "../text/width.ts";

/** Lines that stand together. `lines` are those of `width`; `at` gives those of another one. */
export type PrintUnit = {
  readonly width: number;
  readonly lines: readonly string[];
  readonly at: (width: number) => readonly string[];
};

export const printUnit = (width: number, at: PrintUnit["at"]): PrintUnit => ({ width, lines: at(width), at });

export const unitAt = (unit: PrintUnit, width: number): PrintUnit =>
  unit.width === width ? unit : printUnit(width, unit.at);

/** Lines that stay as they are at any width. */
export const lastingUnit = (lines: readonly string[]): PrintUnit => ({ width: 0, lines, at: () => lines });
/** Lines that should not be there: drawn again, they are gone. */
export const leftOver = (lines: readonly string[]): PrintUnit => ({ width: 0, lines, at: () => [] });

/** Rows that a line takes in a terminal that wraps lines anew. */
export function rowsOf(line: string, columns: number): number {
  const width = widthOf(line);
  if (width <= columns) return 1;
  const text = stripAnsi(line);
  if (isPlainAscii(text)) return Math.ceil(width / columns);
  let rows = 1;
  let used = 0;
  // A wide character is never cut: it goes to the next row.
  for (const cell of cellsOf(text)) {
    if (used + cell.width > columns) {
      rows++;
      used = 0;
    }
    used += cell.width;
  }
  return rows;
}

/** Terminals do not agree about the width of such characters. */
const DISPUTED = /\p{Emoji_Presentation}|\p{M}|\u200d/u;
const mayDiffer = (line: string, columns: number): boolean =>
  widthOf(line) + line.length > columns && DISPUTED.test(line);

/** The text of the first `rows` rows of these lines, as a terminal of this width breaks them, and the lines that are left. */
export function cutRows(lines: readonly string[], rows: number, columns: number): { out: string[]; rest: string[] } {
  const out: string[] = [];
  let left = rows;
  for (const [at, line] of lines.entries()) {
    if (left <= 0) return { out, rest: lines.slice(at) };
    const own = rowsOf(line, columns);
    const text = stripAnsi(line);
    if (own > left) {
      const head = fitTo(text, left * columns);
      return { out: [...out, head], rest: [text.slice(head.length), ...lines.slice(at + 1)] };
    }
    out.push(text);
    left -= own;
  }
  return { out, rest: [] };
}

/** These lines as the rows of a terminal of this width. */
export function brokenRows(lines: readonly string[], columns: number, wraps: boolean): string[] {
  return lines.flatMap((line) => {
    const rows: string[] = [];
    let text = stripAnsi(line);
    for (let left = wraps ? rowsOf(line, columns) : 1; left > 1; left--) {
      const row = fitTo(text, columns);
      rows.push(row);
      text = text.slice(row.length);
    }
    return [...rows, fitTo(text, columns)];
  });
}

/** Their last lines, at most so many. */
export function lastLines(units: readonly PrintUnit[], most: number): { lines: string[]; isAll: boolean } {
  const parts: (readonly string[])[] = [];
  let left = most;
  for (const { lines } of units.toReversed()) {
    if (lines.length > left) {
      parts.push(lines.slice(lines.length - left));
      return { lines: parts.reverse().flat(), isAll: false };
    }
    parts.push(lines);
    left -= lines.length;
  }
  return { lines: parts.reverse().flat(), isAll: true };
}

/** The units without their first lines. */
export function dropLines(units: readonly PrintUnit[], count: number): PrintUnit[] {
  let left = count;
  return units.flatMap((unit) => {
    const gone = Math.min(left, unit.lines.length);
    left -= gone;
    if (gone === 0) return [unit];
    const lines = unit.lines.slice(gone);
    return lines.length === 0 ? [] : [lastingUnit(lines)];
  });
}

/** The first units that have at most so many lines together, and what is left. Only one that is longer alone is cut. */
export function splitLines(units: readonly PrintUnit[], most: number): [first: PrintUnit[], rest: PrintUnit[]] {
  let left = most;
  const at = units.findIndex(({ lines }) => {
    left -= lines.length;
    return left < 0;
  });
  if (at < 0) return [[...units], []];
  if (at > 0) return [units.slice(0, at), units.slice(at)];
  return [[lastingUnit(units[0]?.lines.slice(0, most) ?? [])], dropLines(units, most)];
}

/** More rows than any window has. */
const MOST_LINES = 500;

export type PrintedLines = {
  add(units: readonly PrintUnit[]): void;
  /** What stands above is not ours: nothing of it may be drawn again. */
  end(): void;
  /** The last units that fit whole into so many rows. `wraps`: the terminal breaks lines that are too long for it. */
  last(rows: number, columns: number, wraps: boolean): { units: PrintUnit[]; rows: number };
  /** The last units that fit whole into so many rows, one row a line. */
  fitting(rows: number, columns: number): PrintUnit[];
  /** Gives back the last units that take at least so many rows, as far as there are any. */
  take(rows: number, columns: number, wraps: boolean): { units: PrintUnit[]; rows: number };
  /** The last units are not there any more. */
  drop(units: number): void;
};

export function printedLines(): PrintedLines {
  let units: PrintUnit[] = [];
  let count = 0;
  const drop = (last: number): void => {
    for (const unit of units.splice(Math.max(0, units.length - last))) count -= unit.lines.length;
  };
  return {
    add(more) {
      for (const unit of more) {
        units.push(unit);
        count += unit.lines.length;
      }
      if (count < 2 * MOST_LINES) return;
      for (let from = 0; ; from++) {
        if (count < MOST_LINES) {
          units = units.slice(from);
          return;
        }
        count -= units[from]?.lines.length ?? 0;
      }
    },
    end() {
      units = [];
      count = 0;
    },
    last(rows, columns, wraps) {
      let used = 0;
      let from = units.length;
      for (; from > 0; from--) {
        const lines = units[from - 1]?.lines ?? [];
        if (wraps && lines.some((line) => mayDiffer(line, columns))) break;
        const own = lines.reduce((sum, line) => sum + (wraps ? rowsOf(line, columns) : 1), 0);
        if (used + own > rows) break;
        used += own;
      }
      return { units: units.slice(from), rows: used };
    },
    fitting(rows, columns) {
      let left = rows;
      const from = units.findLastIndex(({ lines }) => {
        left -= lines.length;
        return left < 0 || lines.some((line) => widthOf(line) > columns || mayDiffer(line, columns));
      });
      return units.slice(from + 1);
    },
    take(rows, columns, wraps) {
      let used = 0;
      let from = units.length;
      while (from > 0 && used < rows) {
        from--;
        used += (units[from]?.lines ?? []).reduce((sum, line) => sum + (wraps ? rowsOf(line, columns) : 1), 0);
      }
      const last = units.slice(from);
      drop(last.length);
      return { units: last, rows: used };
    },
    drop,
  };
}
