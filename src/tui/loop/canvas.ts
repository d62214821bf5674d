// What stands on the screen: units that were printed, the live region under them, and the bytes that lead to the next picture.

import { stripAnsi } from "../../base/text.ts";
import type { TerminalSize } from "../terminal/adapter.ts";
import { eraseBytes, erasesRows, firstDifference, frameBytes } from "../terminal/frame.ts";
import type { TerminalPlace } from "../terminal/place.ts";
import {
  brokenRows,
  cutRows,
  dropLines,
  lastingUnit,
  lastLines,
  leftOver,
  type PrintUnit,
  printedLines,
  rowsOf,
  splitLines,
  unitAt,
} from "../terminal/printed.ts";
import { fitTo, widthOf } from "../text/width.ts";
import type { FrameGround, FramePlan, Picture, SentFrame } from "./picture.ts";

export type CanvasParts = {
  /** The terminal wraps lines anew when it becomes narrower. */
  wrapsAnew(): boolean;
  /** The terminal scrolled this beginning of the open lines away before they settled. */
  scrolled(text: string): void;
  isTooSmall(size: TerminalSize): boolean;
};

const count = (units: readonly PrintUnit[]): number => units.reduce((sum, { lines }) => sum + lines.length, 0);

export function openCanvas({ wrapsAnew, scrolled, isTooSmall }: CanvasParts) {
  const printed = printedLines();
  /** The region: lines of units that will stand above again, then live ones. The cursor stands on the last. */
  let shown: readonly string[] = [];
  /** Units that are drawn in the region, or hidden by it. */
  let returning: readonly PrintUnit[] = [];
  /** Which of the lines shown are theirs, the last ones of them; what is left over from a spoiled frame stands before. */
  let from = 0;
  let visible = 0;
  /** The others have made way: they are not above. */
  let isHiding = false;
  /** What settled and is not on the screen yet. */
  let waiting: readonly PrintUnit[] = [];
  let openLines = 0;
  /** The row of the region's first line, where it is known. */
  let top: number | undefined;

  const rowsAt = (lines: readonly string[], columns: number): number =>
    wrapsAnew() ? lines.reduce((sum, line) => sum + rowsOf(line, columns), 0) : lines.length;
  /** Where the region begins after a frame that was drawn from this row on. */
  const topAfter = ({ settled, total, size }: SentFrame, start: number): number =>
    start + settled - Math.max(0, start + total - size.rows);
  const aboveCursor = (columns: number): number => rowsAt(shown.slice(0, -1), columns);

  /** These rows of the region are in the scrollback: what they begin is out. Should the terminal bring them back, the rest of them goes. */
  const leave = (rows: number, columns: number): void => {
    const { out, rest } = cutRows(shown, rows, columns);
    const live = from + visible;
    const ours = isHiding ? [] : out.slice(from, live);
    const openOnes = out.slice(live, live + openLines);
    printed.add([
      leftOver(out.slice(0, isHiding ? live : from)),
      lastingUnit(ours),
      lastingUnit(openOnes),
      leftOver(out.slice(live + openLines)),
    ]);
    scrolled(openOnes.join("\n"));
    const gone = shown.length - rest.length;
    if (!isHiding && out.length > from) {
      const all = count(returning);
      const isBroken = out.length > gone && out.length <= live;
      const [first = ""] = rest;
      returning = [
        ...(isBroken ? [lastingUnit([first])] : []),
        ...dropLines(returning, all - visible + Math.min(visible, out.length - from)),
      ];
    }
    openLines = Math.max(0, openLines - Math.max(0, gone - live));
    visible = Math.max(0, Math.min(visible, live - gone));
    from = Math.max(0, from - gone);
    shown = rest;
  };

  return {
    isEmpty: () => shown.length === 0,

    /** Something waits for the next frame. */
    hasMore: () => waiting.length > 0,

    /**
     * `ground`: what is drawn on, when that is not what was shown last. `isWary`: the size may be another one soon, so no frame
     * settles more than a screen: what it leaves there by mistake must not be scrolled away.
     */
    plan(picture: Picture, size: TerminalSize, isWary: boolean, ground?: FrameGround): FramePlan {
      const start = ground ? ground.top : top;
      const waits = ground?.waits === true;
      const isRaised = picture.isRaised && !waits && start !== undefined && !isTooSmall(size);
      const back = isRaised && !ground && returning.length === 0 ? printed.fitting(start, size.columns) : [];
      const backLines = back.flatMap(({ lines }) => lines);
      const region = ground ? [] : [...backLines, ...shown];
      const visibleBefore = [...(ground?.again ?? []), ...back, ...(ground ? [] : returning)];
      const most = isWary && !isRaised ? Math.max(1, size.rows - 2 * picture.live.length) : Number.POSITIVE_INFINITY;
      const later = [...(waits ? visibleBefore : []), ...waiting, ...picture.settled];
      const fitted = (units: readonly PrintUnit[]) => units.map((unit) => unitAt(unit, size.columns));
      const [more, rest] = waits ? [[], later] : splitLines(fitted(later), most);
      const units = waits ? [] : [...fitted(visibleBefore), ...more];
      // What is open comes after all that waits.
      const open = rest.length > 0 ? 0 : picture.open;
      const live = picture.live.slice(picture.open - open);
      const above = isRaised
        ? lastLines(units, Math.max(0, size.rows - live.length))
        : { lines: units.flatMap(({ lines }) => lines), isAll: true };
      const next = [...above.lines, ...live];
      const settled = isRaised ? 0 : above.lines.length;
      const first = Math.min(firstDifference(region, next), Math.max(0, region.length - 1));
      const canCut = start !== undefined && start - backLines.length + first > 0;
      const change = {
        shown: region,
        settled: next.slice(0, settled),
        live: next.slice(settled),
        canCut,
      };
      const isErasing = erasesRows(change, firstDifference(region, next));
      const up = ground?.up ?? Math.max(0, region.length - 1 - first);
      const sent: SentFrame = {
        size,
        before: ground?.before ?? region,
        up,
        isCut: canCut && (ground !== undefined || up > 0),
        drawn: next.slice(first).map((line, at) => (!isErasing && region[first + at] === line ? undefined : line)),
        wrapping: Math.max(0, settled - first),
        settled,
        total: next.length,
        units,
        isRaised,
        isAnew: ground !== undefined,
        kept: ground?.kept ?? 0,
      };
      return {
        bytes: `${ground?.erase ?? ""}${frameBytes(change)}`,
        commit() {
          printed.drop(ground?.printed ?? back.length);
          if (!isRaised) printed.add(units);
          returning = isRaised ? units : [];
          waiting = rest;
          shown = change.live;
          from = 0;
          visible = isRaised ? above.lines.length : 0;
          isHiding = !above.isAll;
          openLines = open;
          top = start === undefined ? undefined : topAfter(sent, start - backLines.length);
          return sent;
        },
      };
    },

    /** The terminal drew it at its own size, with the cursor in this row before. */
    confirm(frame: SentFrame, { row }: TerminalPlace): void {
      if (!frame.isAnew) top = topAfter(frame, Math.max(0, row - Math.max(1, frame.before.length)));
    },

    /** The terminal had another width when this frame reached it: what stands there now, and what must be drawn again. */
    spoiled(frame: SentFrame, { size: { columns }, row }: TerminalPlace): void {
      const { before, drawn, wrapping, units, isRaised, isCut } = frame;
      top = undefined;
      if (!frame.isAnew && !isRaised && before.every((line) => widthOf(line) <= columns)) {
        // No line was broken, so it began where it should. Printed lines are broken by the terminal, live ones are cut.
        shown = shown.map((line) => fitTo(stripAnsi(line), columns));
        return;
      }
      const up = Math.min(frame.up + Number(isCut), row - 1) - Number(isCut);
      const left = rowsAt(before.slice(0, -1), columns) - up;
      if (!isRaised) printed.drop(units.length);
      // It began too high: rows of what was printed are gone.
      const lost = left < 0 ? printed.take(-left, columns, wrapsAnew()) : { units: [], rows: 0 };
      const lines = [...lost.units.flatMap((unit) => unit.lines), ...before];
      const start = Math.max(0, lost.rows + left);
      if (frame.isAnew) {
        // What it did not reach still stands; the rest of what was printed waits to be printed again.
        const { out, rest } = cutRows(lines, start, columns);
        const own = lines.length - before.length + frame.kept;
        printed.add([lastingUnit(out.slice(0, own)), leftOver(out.slice(own))]);
        const isBroken = out.length <= own && out.length + rest.length > lines.length;
        waiting = [
          ...(isBroken ? [lastingUnit(rest.slice(0, 1))] : []),
          ...dropLines([...lost.units, ...waiting], Math.min(own, out.length)),
        ];
        shown = shown.map((line) => fitTo(stripAnsi(line), columns));
        return;
      }
      const rows = brokenRows(lines, columns, wrapsAnew());
      let at = start;
      const after = drawn.map((line, index) => {
        const isWrapped = index < wrapping && line !== undefined;
        const text = isWrapped ? line : line === undefined ? (rows[at] ?? "") : fitTo(stripAnsi(line), columns);
        at += isWrapped ? rowsOf(text, columns) : 1;
        return text;
      });
      const { out } = cutRows(lines, start, columns);
      shown = [...out, ...after];
      returning = [...lost.units, ...units];
      from = out.length;
      visible = wrapping;
      isHiding = isRaised;
      openLines = 0;
    },

    /** Where the cursor is says where all rows are: what is ours and visible is taken away and drawn at the new width. */
    ground(row: number, now: TerminalSize, isOther: boolean): FrameGround {
      const start = row - 1 - aboveCursor(now.columns);
      if (start < 0) leave(-start, now.columns);
      const room = Math.max(0, start);
      const again = isOther && !isTooSmall(now) ? printed.last(room, now.columns, wrapsAnew()) : { units: [], rows: 0 };
      const first = room - again.rows;
      const up = row - 1 - first;
      return {
        // Counted from the cursor: should the terminal change once more, the rows move with it.
        erase: eraseBytes(up, now.rows - first, first > 0),
        up,
        before: [...again.units.flatMap(({ lines }) => lines), ...shown],
        again: [...again.units, ...returning],
        printed: again.units.length,
        kept: count(again.units) + (from === 0 && !isHiding && visible === count(returning) ? visible : 0),
        waits: true,
        top: first,
      };
    },

    /** For a terminal that says nothing: the region is taken away where it should be. */
    blindGround(now: TerminalSize, isNarrower: boolean): FrameGround {
      const above = isNarrower ? aboveCursor(now.columns) : Math.max(0, shown.length - 1);
      const up = Math.min(above, now.rows - 1);
      return {
        erase: eraseBytes(up, now.rows),
        up,
        before: shown,
        again: returning,
        printed: 0,
        kept: 0,
        waits: false,
        top: undefined,
      };
    },

    /** The region goes; the units in it stay, as lines above. */
    clear(): string {
      const settled = [...returning, ...waiting].flatMap(({ lines }) => lines);
      const bytes =
        settled.length > 0
          ? frameBytes({ shown, settled, live: [""] })
          : shown.length > 0
            ? eraseBytes(shown.length - 1, shown.length)
            : "";
      shown = returning = waiting = [];
      from = visible = openLines = 0;
      top = undefined;
      printed.end();
      return bytes;
    },
  };
}
