// A few lines of a long text, from its beginning or its end, at a cost that does not grow with the rest of it.
import type { Role } from "../theme/theme.ts";
import { type SpanLine, span } from "./span.ts";
import { wrapCells, wrapWords } from "./wrap.ts";

type Excerpt = { lines: SpanLine[]; hidden: number; isCut: boolean };
/** `isProse`: broken between words; what programs print is broken where the row is full. */
type Wanted = { rows: number; width: number; side: "first" | "last"; role?: Role; isProse?: boolean };

/** `hidden`: lines that are not there at all. `isCut`: of one that is there, a part is missing. */
export function excerptOf(text: string, { rows, width, side, role, isProse = false }: Wanted): Excerpt {
  const total = lineCount(text);
  // No row holds more; graphemes of many code points aside, which only makes the excerpt shorter.
  const most = Math.max(1, rows) * width * 2;
  const all = text.endsWith("\n") ? text.slice(0, -1) : text;
  const part = all.length <= most ? all : side === "first" ? all.slice(0, most) : all.slice(-most);
  const source = part.split("\n");
  const wrap = isProse ? wrapWords : wrapCells;
  const wrapped = source.map((line) => wrap([span(line, role)], { first: width, rest: width }));
  const order = side === "first" ? wrapped : [...wrapped].reverse();
  const pieces: SpanLine[][] = [];
  let room = rows;
  let isCut = false;
  for (const parts of order) {
    if (room <= 0) break;
    const fitting = side === "first" ? parts.slice(0, room) : parts.slice(-room);
    isCut ||= fitting.length < parts.length;
    room -= fitting.length;
    pieces.push(fitting);
  }
  const shown = pieces.length;
  const lines = (side === "first" ? pieces : pieces.reverse()).flat();
  return {
    lines,
    hidden: Math.max(0, total - shown),
    isCut: isCut || (part.length < all.length && shown === source.length),
  };
}

function lineCount(text: string): number {
  if (text === "") return 0;
  let lines = text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}
