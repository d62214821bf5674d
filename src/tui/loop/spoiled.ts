// A frame met a size that it was not made for: what stands on the screen then, and what must be drawn again. No check before the
// writing can prevent that: the window changed while the frame was on its way.
import { stripAnsi } from "../../base/text.ts";
import type { TerminalPlace } from "../terminal/place.ts";
import {
  brokenRows,
  cutRows,
  dropLines,
  lastingUnit,
  leftOver,
  type PrintedLines,
  type PrintUnit,
  rowsOf,
} from "../terminal/printed.ts";
import { fitTo, widthOf } from "../text/width.ts";
import type { SentFrame } from "./picture.ts";
import { linesOf, type Region, rowCount } from "./region.ts";

/** `region` and `waiting`: as they would be, had the frame met its size. */
type Spoiling = {
  printed: PrintedLines;
  region: Region;
  waiting: readonly PrintUnit[];
  /** The terminal breaks lines that are too long for it. */
  wraps: boolean;
};

export function afterSpoiled(frame: SentFrame, { size: { columns }, row }: TerminalPlace, spoiling: Spoiling) {
  const { printed, waiting, wraps } = spoiling;
  const region: Region = { ...spoiling.region, top: undefined };
  const { before, units, isRaised, isAnew } = frame;
  // No line under it was broken, so it began where it should. Printed lines are broken by the terminal, live ones are cut.
  if (!isAnew && !isRaised && before.every((line) => widthOf(line) <= columns))
    return { region: withCutLines(region, columns), waiting };
  // Else it began some rows too low, and left the first of the old lines, or too high, and wrote over what was printed.
  const up = Math.min(frame.up + Number(frame.isCut), row - 1) - Number(frame.isCut);
  const left = rowCount(before.slice(0, -1), columns, wraps) - up;
  if (!isRaised) printed.drop(units.length);
  const lost = left < 0 ? printed.take(-left, columns, wraps) : { units: [], rows: 0 };
  const stood: Stood = {
    lines: [...linesOf(lost.units), ...before],
    rows: Math.max(0, lost.rows + left),
    lost: lost.units,
  };
  if (isAnew) return afterAnew(frame, stood, { ...spoiling, region }, columns);
  return { region: mixed(frame, stood, region, columns, wraps), waiting };
}

/** The lines that stood there before: the first `rows` rows of them still do. */
type Stood = { lines: readonly string[]; rows: number; lost: readonly PrintUnit[] };

const withCutLines = (region: Region, columns: number): Region => ({
  ...region,
  lines: region.lines.map((line) => fitTo(stripAnsi(line), columns)),
});

/** A frame that draws all anew only erases, and prints later: what it did not reach counts as printed, the rest still waits. */
function afterAnew(frame: SentFrame, { lines, rows, lost }: Stood, spoiling: Spoiling, columns: number) {
  const { out, rest } = cutRows(lines, rows, columns);
  const own = lines.length - frame.before.length + frame.kept;
  spoiling.printed.add([lastingUnit(out.slice(0, own)), leftOver(out.slice(own))]);
  const isBroken = out.length <= own && out.length + rest.length > lines.length;
  return {
    region: withCutLines(spoiling.region, columns),
    waiting: [
      ...(isBroken ? [lastingUnit(rest.slice(0, 1))] : []),
      ...dropLines([...lost, ...spoiling.waiting], Math.min(own, out.length)),
    ],
  };
}

/** Old rows, and below them what the frame wrote: all of it is the region now, and its units are drawn again. */
function mixed(
  frame: SentFrame,
  { lines, rows, lost }: Stood,
  region: Region,
  columns: number,
  wraps: boolean,
): Region {
  const { drawn, wrapping, units, isRaised } = frame;
  const old = brokenRows(lines, columns, wraps);
  let at = rows;
  const written = drawn.map((line, index) => {
    const isWrapped = index < wrapping && line !== undefined;
    const text = isWrapped ? line : line === undefined ? (old[at] ?? "") : fitTo(stripAnsi(line), columns);
    at += isWrapped ? rowsOf(text, columns) : 1;
    return text;
  });
  const { out } = cutRows(lines, rows, columns);
  return {
    ...region,
    lines: [...out, ...written],
    leftover: out.length,
    visible: wrapping,
    units: [...lost, ...units],
    isHiding: isRaised,
    open: 0,
  };
}
