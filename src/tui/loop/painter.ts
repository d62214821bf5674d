// Drawing: at most 30 times a second, changed lines only, nothing when nothing changed; settled lines are printed once.
import type { TerminalAdapter, TerminalSize } from "../terminal/adapter.ts";
import { eraseBytes, frameBytes } from "../terminal/frame.ts";
import { askPlace } from "../terminal/place.ts";
import { cutRows, type PrintUnit, printedLines, rowsOf, unitAt } from "../terminal/printed.ts";

/** What is to be seen now. `settled` gives each unit once; the first `open` live lines are the beginning of what settles next. */
export type Picture = {
  settled: readonly PrintUnit[];
  live: readonly string[];
  open: number;
  /** It was not drawn: the next picture has all of it. */
  undo(): void;
};

export type Painter = {
  /** Something may have changed. After a key it is drawn sooner: an echo must not wait for a stream. */
  request(after?: "key"): void;
  /** Draws at once what waits. */
  flush(): void;
  /** Takes the live part away, for another program or for good. */
  clear(): void;
  /** All that is visible and ours is drawn anew. */
  redraw(): void;
  resized(): void;
};

/** With what keys add it stays at 30 a second: each frame puts the next one off, and a key is echoed at once. */
const FRAME_MS = 50;
const KEY_MS = 34;
const RESIZE_MS = 50;
/** How long after a new size the terminal is asked before each frame: tmux may have the next one already. */
const WARY_MS = 500;
/** How often in a row the terminal may say another size than the system. */
const MOST_TRIES = 10;
const SYNC = ["\u001b[?2026h", "\u001b[?2026l"] as const;

export type PainterParts = {
  terminal: TerminalAdapter;
  draw(size: TerminalSize): Picture;
  /** After each frame that was written. */
  drawn(): void;
  /** The terminal scrolled this beginning of the live lines away before they settled. */
  scrolled(text: string): void;
  hasSync(): boolean;
  /** The terminal wraps lines anew when it becomes narrower. */
  wrapsAnew(): boolean;
  /** How long the terminal may take to say where the cursor is. */
  replyMs(): number;
  isTooSmall(size: TerminalSize): boolean;
};

type FrameGround = { erase: string; again: readonly PrintUnit[] };

const isSame = (one: TerminalSize, other: TerminalSize): boolean =>
  one.columns === other.columns && one.rows === other.rows;

export function openPainter(parts: PainterParts): Painter {
  const { terminal, draw, drawn, scrolled, hasSync, wrapsAnew, replyMs, isTooSmall } = parts;
  const printed = printedLines();
  let shown: readonly string[] = [];
  let open = 0;
  let size = terminal.size();
  let timer: NodeJS.Timeout | undefined;
  let resizing: NodeJS.Timeout | undefined;
  let question: symbol | undefined;
  let canAsk = true;
  let tries = 0;
  let waryUntil = 0;
  let last = 0;
  let lastKey = 0;

  const write = (bytes: string): void => {
    if (bytes === "") return;
    const [start, end] = hasSync() ? SYNC : ["", ""];
    terminal.write(`${start}${bytes}${end}`);
  };
  const hasNewSize = (): boolean => !isSame(terminal.size(), size);

  const paint = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (resizing || question) return;
    if (hasNewSize()) return resized();
    if (canAsk && performance.now() < waryUntil) return ask(() => paintFrame());
    paintFrame();
  };

  /** `ground`: what the frame is drawn on, when that is not what was shown last. */
  const paintFrame = (ground?: FrameGround): void => {
    last = performance.now();
    const picture = draw(size);
    const units = [...(ground?.again.map((unit) => unitAt(unit, size.columns)) ?? []), ...picture.settled];
    const settled = units.flatMap(({ lines }) => lines);
    const change = { shown: ground ? [] : shown, settled, live: picture.live, columns: size.columns };
    const bytes = `${ground?.erase ?? ""}${frameBytes(change)}`;
    // Drawing takes time, in which the window may have changed.
    if (hasNewSize()) {
      picture.undo();
      return resized();
    }
    write(bytes);
    if (ground) {
      printed.drop(ground.again.length);
      waryUntil = performance.now() + WARY_MS;
    }
    printed.add(units);
    ({ live: shown, open } = picture);
    drawn();
  };

  /** `then` gets the cursor's row if the terminal has the size that the system says. */
  const ask = (then: (row: number | undefined) => void): void => {
    const expected = terminal.size();
    const mine = Symbol("question");
    question = mine;
    void askPlace(terminal, replyMs()).then((place) => {
      // A late answer would be taken for that of the next question: there is no next one.
      canAsk &&= place !== undefined;
      if (question !== mine) return;
      question = undefined;
      if (place && isSame(expected, terminal.size()) && (isSame(place.size, expected) || tries >= MOST_TRIES)) {
        tries = 0;
        return then(place.row);
      }
      tries++;
      if (place) return resized();
      then(undefined);
    });
  };

  /** Where the cursor is says where all rows are: what is ours and visible is taken away and drawn at the new width. */
  const drawAnew = (row: number, isWhole: boolean): void => {
    const now = terminal.size();
    const wraps = wrapsAnew();
    const rows = (lines: readonly string[]): number =>
      wraps ? lines.reduce((sum, line) => sum + rowsOf(line, now.columns), 0) : lines.length;
    const top = row - 1 - rows(shown.slice(0, -1));
    if (top < 0) leave(-top, now.columns);
    const isOther = (isWhole || now.columns !== size.columns) && !isTooSmall(now);
    const again = isOther ? printed.last(Math.max(0, top), now.columns, wraps) : { units: [], rows: 0 };
    const first = Math.max(0, top) - again.rows;
    size = now;
    // Counted from the cursor: should the terminal change once more, the rows move with it.
    paintFrame({ erase: eraseBytes(row - 1 - first, now.rows - first), again: again.units });
  };

  /** These live rows are in the scrollback: what they begin is out, and nothing above them is drawn again. */
  const leave = (rows: number, columns: number): void => {
    const { out, rest } = cutRows(shown, rows, columns);
    scrolled(out.slice(0, open).join("\n"));
    open = Math.max(0, open - (shown.length - rest.length));
    shown = rest;
    printed.end();
  };

  /** For a terminal that says nothing: the live lines are taken away where they should be. */
  const drawBlindly = (): void => {
    const now = terminal.size();
    const isNarrower = now.columns < size.columns;
    const above = shown
      .slice(0, -1)
      .reduce((sum, line) => sum + (isNarrower && wrapsAnew() ? rowsOf(line, now.columns) : 1), 0);
    size = now;
    paintFrame({ erase: eraseBytes(Math.min(above, now.rows - 1), now.rows), again: [] });
  };

  const settle = (isWhole: boolean): void => {
    resizing = undefined;
    if (!canAsk) return drawBlindly();
    ask((row) => (row === undefined ? drawBlindly() : drawAnew(row, isWhole)));
  };

  const resized = (): void => {
    clearTimeout(resizing);
    question = undefined;
    resizing = setTimeout(settle, RESIZE_MS, false);
  };

  const stop = (): void => {
    clearTimeout(timer);
    clearTimeout(resizing);
    timer = resizing = question = undefined;
  };

  return {
    request(after) {
      if (resizing || question || (timer && after === undefined)) return;
      clearTimeout(timer);
      const now = performance.now();
      if (after === undefined) {
        timer = setTimeout(paint, Math.max(0, last + FRAME_MS - now));
        return;
      }
      const echo = (): void => {
        lastKey = performance.now();
        paint();
      };
      // Drawn in this turn of the loop: what a stream has brought meanwhile does not come first.
      if (now - lastKey >= KEY_MS) echo();
      else timer = setTimeout(echo, lastKey + KEY_MS - now);
    },
    flush() {
      const isUnsettled = resizing !== undefined || hasNewSize();
      stop();
      if (isUnsettled) drawBlindly();
      else paintFrame();
    },
    clear() {
      stop();
      if (shown.length > 0) write(eraseBytes(shown.length - 1, shown.length));
      shown = [];
      printed.end();
    },
    redraw() {
      stop();
      size = terminal.size();
      if (shown.length === 0) return paint();
      settle(true);
    },
    resized,
  };
}
