// The bytes that turn the live region on the screen into the next one, with lines that settle printed once above it.
import { widthOf } from "../text/width.ts";

const CSI = "\u001b[";
const ERASE_TO_END = `${CSI}K`;
const ERASE_LINE = `${CSI}2K`;
// A live line must stay one row even in a terminal that became narrower a moment ago.
const NO_WRAP = `${CSI}?7l`;
const WRAP = `${CSI}?7h`;

export type FrameChange = {
  /** The live lines on the screen; the cursor stands at the start of the last one. */
  shown: readonly string[];
  /** Lines that will never change again. */
  settled: readonly string[];
  /** The live lines that follow them. */
  live: readonly string[];
  columns: number;
};

/** Empty when nothing changes. Afterwards the cursor stands at the start of the last live line. */
export function frameBytes({ shown, settled, live, columns }: FrameChange): string {
  const next = [...settled, ...live];
  const first = firstDifference(shown, next);
  if (first === next.length && shown.length === next.length) return "";
  let row = Math.max(0, shown.length - 1);
  let out = "";
  const goTo = (target: number): void => {
    if (target < row) out += `${CSI}${row - target}A`;
    // Rows that are there already are reached without scrolling; a line feed makes those that are not.
    while (row < target) {
      out += "\r\n";
      row++;
    }
    row = target;
  };
  let isWrapping = true;
  for (let at = first; at < next.length; at++) {
    const line = next[at] ?? "";
    if (at < shown.length && shown[at] === line) continue;
    goTo(at);
    const shouldWrap = at < settled.length;
    if (shouldWrap !== isWrapping) out += shouldWrap ? WRAP : NO_WRAP;
    isWrapping = shouldWrap;
    // Behind a full line the cursor still stands on its last character, which would go.
    const erase = at < shown.length && widthOf(line) < columns ? ERASE_TO_END : "";
    out += `\r${line}${erase}`;
  }
  for (let at = next.length; at < shown.length; at++) {
    goTo(at);
    out += `\r${ERASE_LINE}`;
  }
  goTo(Math.max(0, next.length - 1));
  return `${out}${isWrapping ? "" : WRAP}\r`;
}

function firstDifference(shown: readonly string[], next: readonly string[]): number {
  const end = Math.min(shown.length, next.length);
  for (let at = 0; at < end; at++) if (shown[at] !== next[at]) return at;
  return end;
}

const SAVE = "\u001b7";
const RESTORE = "\u001b8";

/** Takes the live region off the screen, of which `above` rows stand over the cursor; below it at most `rows` are ours. */
export function eraseBytes(above: number, rows: number): string {
  const up = above > 0 ? `${CSI}${above}A` : "";
  // Row by row: erasing the whole screen at once moves it into the scrollback of some terminals.
  const down = `${CSI}1B${ERASE_LINE}`.repeat(Math.max(0, rows - 1));
  return `\r${up}${SAVE}${ERASE_LINE}${down}${RESTORE}`;
}
