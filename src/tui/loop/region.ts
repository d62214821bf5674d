// The lines at the end of the screen that may be drawn again, and what becomes of them when the terminal scrolls some away.
import { cutRows, dropLines, lastingUnit, leftOver, type PrintUnit, rowsOf } from "../terminal/printed.ts";

/**
 * Top to bottom: `leftover` lines that a spoiled frame left, `visible` lines of `units`, then the live lines, the first `open` of
 * which are the beginning of what settles next. The cursor stands on the last line.
 */
export type Region = {
  readonly lines: readonly string[];
  readonly leftover: number;
  readonly visible: number;
  /** What had settled and made way, for a panel for example: it is printed again when there is room. */
  readonly units: readonly PrintUnit[];
  /** More of the units had to make way than is above: only their last lines are on the screen. */
  readonly isHiding: boolean;
  readonly open: number;
  /** The row of the first line, where it is known. */
  readonly top: number | undefined;
};

export const emptyRegion: Region = {
  lines: [],
  leftover: 0,
  visible: 0,
  units: [],
  isHiding: false,
  open: 0,
  top: undefined,
};

export const linesOf = (units: readonly PrintUnit[]): string[] => units.flatMap(({ lines }) => [...lines]);

/** Rows that lines take; `wraps`: the terminal breaks those that are too long for it. */
export const rowCount = (lines: readonly string[], columns: number, wraps: boolean): number =>
  wraps ? lines.reduce((sum, line) => sum + rowsOf(line, columns), 0) : lines.length;

/** Its first rows are in the scrollback. `printed`: what they are there, should the terminal bring them back; `open`: what of it is out. */
export function scrolledAway(
  region: Region,
  rows: number,
  columns: number,
): { region: Region; printed: PrintUnit[]; open: string } {
  const { lines, leftover, visible, units, isHiding, open } = region;
  const { out, rest } = cutRows(lines, rows, columns);
  const gone = lines.length - rest.length;
  const live = leftover + visible;
  const openLines = out.slice(live, live + open);
  // Hidden units are printed whole later: their lines that were on the screen are then there a second time.
  const printed = [
    leftOver(out.slice(0, isHiding ? live : leftover)),
    lastingUnit(isHiding ? [] : out.slice(leftover, live)),
    lastingUnit(openLines),
    leftOver(out.slice(live + open)),
  ];
  const ofUnits = Math.min(visible, out.length - leftover);
  return {
    printed,
    open: openLines.join("\n"),
    region: {
      lines: rest,
      leftover: Math.max(0, leftover - gone),
      visible: Math.max(0, Math.min(visible, live - gone)),
      units:
        isHiding || out.length <= leftover
          ? units
          : unitsLeft(region, ofUnits, out.length > gone && out.length <= live, rest),
      isHiding,
      open: Math.max(0, open - Math.max(0, gone - live)),
      top: region.top,
    },
  };
}

/** The units without so many of their lines on the screen. `isBroken`: of the last of these a part is still there. */
function unitsLeft({ units, visible }: Region, count: number, isBroken: boolean, [first = ""]: readonly string[]) {
  const rest = dropLines(units, linesOf(units).length - visible + count);
  return isBroken ? [lastingUnit([first]), ...rest] : rest;
}
