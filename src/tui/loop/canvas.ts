// What stands on the screen: units that were printed, the region under them, and the bytes that lead to the next picture.

import type { TerminalSize } from "../terminal/adapter.ts";
import { eraseBytes, erasesRows, firstDifference, frameBytes } from "../terminal/frame.ts";
import type { TerminalPlace } from "../terminal/place.ts";
import { lastLines, type PrintUnit, printedLines, splitLines, unitAt } from "../terminal/printed.ts";
import type { FrameGround, FramePlan, Picture, SentFrame } from "./picture.ts";
import { emptyRegion, linesOf, type Region, rowCount, scrolledAway } from "./region.ts";
import { afterSpoiled } from "./spoiled.ts";

export type CanvasParts = {
  /** The terminal wraps lines anew when it becomes narrower. */
  wrapsAnew(): boolean;
  /** The terminal scrolled this beginning of the open lines away before they settled. */
  scrolled(text: string): void;
  isTooSmall(size: TerminalSize): boolean;
};

/** The row of the region's first line after a frame that was drawn from this row on: the terminal scrolls where it has no more rows. */
const topAfter = ({ settled, total, size }: SentFrame, start: number): number =>
  start + settled - Math.max(0, start + total - size.rows);

export function openCanvas({ wrapsAnew, scrolled, isTooSmall }: CanvasParts) {
  const printed = printedLines();
  let region = emptyRegion;
  /** What settled and is not on the screen yet. */
  let waiting: readonly PrintUnit[] = [];

  return {
    isEmpty: () => region.lines.length === 0,

    /** Something waits for the next frame. */
    hasMore: () => waiting.length > 0,

    /**
     * `ground`: what is drawn on, when that is not the region as it was left. `isWary`: the size may be another one soon, so no frame
     * settles more than a screen: what it leaves there by mistake must not be scrolled away.
     */
    plan(picture: Picture, size: TerminalSize, isWary: boolean, ground?: FrameGround): FramePlan {
      const start = ground ? ground.top : region.top;
      const waits = ground?.waits === true;
      const isRaised = picture.isRaised && !waits && start !== undefined && !isTooSmall(size);
      // What makes way for a panel: printed lines become a part of the region.
      const back = isRaised && !ground && region.units.length === 0 ? printed.fitting(start, size.columns) : [];
      const backLines = linesOf(back);
      const shown = ground ? [] : [...backLines, ...region.lines];
      const before = [...(ground?.again ?? []), ...back, ...(ground ? [] : region.units)];
      const most = isWary && !isRaised ? Math.max(1, size.rows - 2 * picture.live.length) : Number.POSITIVE_INFINITY;
      const fitted = (some: readonly PrintUnit[]) => some.map((unit) => unitAt(unit, size.columns));
      const [more, rest] = waits
        ? [[], [...before, ...waiting, ...picture.settled]]
        : splitLines(fitted([...waiting, ...picture.settled]), most);
      const units = waits ? [] : [...fitted(before), ...more];

      // What is open comes after all that waits.
      const open = rest.length > 0 ? 0 : picture.open;
      const live = picture.live.slice(picture.open - open);
      const above = isRaised
        ? lastLines(units, Math.max(0, size.rows - live.length))
        : { lines: linesOf(units), isAll: true };
      const next = [...above.lines, ...live];
      const settled = isRaised ? 0 : above.lines.length;

      const first = Math.min(firstDifference(shown, next), Math.max(0, shown.length - 1));
      const canCut = start !== undefined && start - backLines.length + first > 0;
      const change = { shown, settled: next.slice(0, settled), live: next.slice(settled), canCut };
      const isErasing = erasesRows(change, firstDifference(shown, next));
      const up = ground?.up ?? Math.max(0, shown.length - 1 - first);
      const sent: SentFrame = {
        size,
        before: ground?.before ?? shown,
        up,
        isCut: canCut && (ground !== undefined || up > 0),
        drawn: next.slice(first).map((line, at) => (!isErasing && shown[first + at] === line ? undefined : line)),
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
          waiting = rest;
          region = {
            lines: change.live,
            leftover: 0,
            visible: isRaised ? above.lines.length : 0,
            units: isRaised ? units : [],
            isHiding: !above.isAll,
            open,
            top: start === undefined ? undefined : topAfter(sent, start - backLines.length),
          };
          return sent;
        },
      };
    },

    /** The terminal drew it at its own size, with the cursor in this row before. */
    confirm(frame: SentFrame, { row }: TerminalPlace): void {
      if (frame.isAnew) return;
      region = { ...region, top: topAfter(frame, Math.max(0, row - Math.max(1, frame.before.length))) };
    },

    /** The terminal had another size when this frame reached it. */
    spoiled(frame: SentFrame, place: TerminalPlace): void {
      ({ region, waiting } = afterSpoiled(frame, place, { printed, region, waiting, wraps: wrapsAnew() }));
    },

    /** Where the cursor is says where all rows are: what is ours and visible is taken away and drawn at the new width. */
    ground(row: number, now: TerminalSize, isOther: boolean): FrameGround {
      const start = row - 1 - rowCount(region.lines.slice(0, -1), now.columns, wrapsAnew());
      if (start < 0) {
        const away = scrolledAway(region, -start, now.columns);
        printed.add(away.printed);
        scrolled(away.open);
        region = away.region;
      }
      const room = Math.max(0, start);
      const again = isOther && !isTooSmall(now) ? printed.last(room, now.columns, wrapsAnew()) : { units: [], rows: 0 };
      const first = room - again.rows;
      const up = row - 1 - first;
      return {
        // Counted from the cursor: should the terminal change once more, the rows move with it.
        erase: eraseBytes(up, now.rows - first, first > 0),
        up,
        before: [...linesOf(again.units), ...region.lines],
        again: [...again.units, ...region.units],
        printed: again.units.length,
        kept: linesOf(again.units).length + ownLines(region),
        waits: true,
        top: first,
      };
    },

    /** For a terminal that says nothing: the region is taken away where it should be. */
    blindGround(now: TerminalSize, isNarrower: boolean): FrameGround {
      const above = rowCount(region.lines.slice(0, -1), now.columns, isNarrower && wrapsAnew());
      const up = Math.min(above, now.rows - 1);
      return {
        erase: eraseBytes(up, now.rows),
        up,
        before: region.lines,
        again: region.units,
        printed: 0,
        kept: 0,
        waits: false,
        top: undefined,
      };
    },

    /** The region goes; the units in it stay, as lines above. */
    clear(): string {
      const { lines, units } = region;
      const settled = linesOf([...units, ...waiting]);
      region = emptyRegion;
      waiting = [];
      printed.end();
      if (settled.length > 0) return frameBytes({ shown: lines, settled, live: [""] });
      return lines.length > 0 ? eraseBytes(lines.length - 1, lines.length) : "";
    },
  };
}

/** The region's first lines, where those are all lines of its units. */
const ownLines = ({ leftover, isHiding, visible, units }: Region): number =>
  leftover === 0 && !isHiding && visible === linesOf(units).length ? visible : 0;
