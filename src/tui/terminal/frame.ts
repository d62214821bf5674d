// The bytes that turn the live region on the screen into the next one, with lines that settle printed once above it.
import { widthOf } from "../text/width.ts";

const CSI = "\u001b[";
// The whole row, before it is written: tmux counts what was erased behind a text as a part of it, and would wrap that.
const ERASE_LINE = `${CSI}2K`;
// A live line must stay one row even in a terminal that became narrower a moment ago.
const NO_WRAP = `${CSI}?7l`;
const WRAP = `${CSI}?7h`;

type FrameChange = {
  /** The live lines on the screen; the cursor stands at the start of the last one. */
  shown: readonly string[];
  /** Lines that will never change again. */
  settled: readonly string[];
  /** The live lines that follow them. */
  live: readonly string[];
  /** There is a row over the first one that changes. */
  canCut?: boolean;
};

/** Empty when nothing changes. Afterwards the cursor stands at the start of the last live line. */
export function frameBytes({ shown, settled, live, canCut = false }: FrameChange): string {
  const next = [...settled, ...live];
  const first = firstDifference(shown, next);
  if (first === next.length && shown.length === next.length) return "";
  let row = Math.max(0, shown.length - 1);
  let out = "";
  const goTo = (target: number): void => {
    if (target < row) out += out === "" ? upBytes(row - target, canCut) : `${CSI}${row - target}A`;
    // Rows that are there already are reached without scrolling; a line feed makes those that are not.
    while (row < target) {
      out += "\r\n";
      row++;
    }
    row = target;
  };
  let isWrapping = true;
  const isErasing = erasesRows({ shown, settled }, first);
  if (isErasing) {
    goTo(first);
    out += erasedRows(2 * (shown.length - first));
  }
  for (let at = first; at < next.length; at++) {
    const line = next[at] ?? "";
    if (!isErasing && at < shown.length && shown[at] === line) continue;
    goTo(at);
    const shouldWrap = at < settled.length;
    if (shouldWrap !== isWrapping) out += shouldWrap ? WRAP : NO_WRAP;
    isWrapping = shouldWrap;
    out += `\r${ERASE_LINE}${line}`;
  }
  for (let at = next.length; at < shown.length; at++) {
    goTo(at);
    out += `\r${ERASE_LINE}`;
  }
  goTo(Math.max(0, next.length - 1));
  return `${out}${isWrapping ? "" : WRAP}\r`;
}

/** No window that is drawn in is narrower. */
const LEAST_COLUMNS = 40;

/** In a terminal that became narrower the end of a long line goes over what stands in the next row: that is erased first. */
export const erasesRows = ({ shown, settled }: Pick<FrameChange, "shown" | "settled">, first: number): boolean =>
  first < shown.length && settled.some((line, at) => at >= first && widthOf(line) >= LEAST_COLUMNS);

export function firstDifference(shown: readonly string[], next: readonly string[]): number {
  const end = Math.min(shown.length, next.length);
  for (let at = 0; at < end; at++) if (shown[at] !== next[at]) return at;
  return end;
}

/** A line feed from the row above ends the line there: terminals join what they have wrapped, also with what is written over it. */
const upBytes = (rows: number, canCut: boolean): string =>
  canCut ? `${CSI}${rows + 1}A\r\n` : rows > 0 ? `${CSI}${rows}A` : "";

const SAVE = "\u001b7";
const RESTORE = "\u001b8";

/** Takes the live region off the screen, of which `above` rows stand over the cursor; below it at most `rows` are ours. */
export function eraseBytes(above: number, rows: number, canCut = false): string {
  const up = upBytes(above, canCut);
  return `\r${up}${erasedRows(rows)}`;
}

/** Row by row: erasing the whole screen at once moves it into the scrollback of some terminals. */
const erasedRows = (rows: number): string =>
  `${SAVE}${ERASE_LINE}${`${CSI}1B${ERASE_LINE}`.repeat(Math.max(0, rows - 1))}${RESTORE}`;
