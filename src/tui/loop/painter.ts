// Drawing: at most 30 times a second, changed lines only, nothing when nothing changed; settled lines are printed once.
import type { TerminalAdapter, TerminalSize } from "../terminal/adapter.ts";
import { eraseBytes, frameBytes } from "../terminal/frame.ts";
import { widthOf } from "../text/width.ts";

/** What is to be seen now. `settled` gives each line once. */
export type Picture = { settled: readonly string[]; live: readonly string[] };

export type Painter = {
  /** Something may have changed. After a key it is drawn sooner: an echo must not wait for a stream. */
  request(after?: "key"): void;
  /** Draws at once what waits. */
  flush(): void;
  /** Takes the live part away, for another program or for good. */
  clear(): void;
  /** The live part is drawn anew, whatever is on the screen. */
  redraw(): void;
  resized(): void;
};

/** With what keys add it stays below 30 a second: each frame puts the next one off. */
const FRAME_MS = 50;
const KEY_MS = 16;
const RESIZE_MS = 50;
const SYNC = ["\u001b[?2026h", "\u001b[?2026l"] as const;

export type PainterParts = {
  terminal: TerminalAdapter;
  draw(size: TerminalSize): Picture;
  /** After each frame that was written. */
  drawn(): void;
  hasSync(): boolean;
  /** The terminal wraps lines anew when it becomes narrower. */
  reflows: boolean;
};

export function openPainter({ terminal, draw, drawn, hasSync, reflows }: PainterParts): Painter {
  let shown: readonly string[] = [];
  /** Settled lines that are not on the screen yet. */
  let waiting: string[] = [];
  let size = terminal.size();
  let timer: NodeJS.Timeout | undefined;
  let resizing: NodeJS.Timeout | undefined;
  let last = 0;

  const write = (bytes: string): void => {
    if (bytes === "") return;
    const [start, end] = hasSync() ? SYNC : ["", ""];
    terminal.write(`${start}${bytes}${end}`);
  };

  const paint = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (resizing) return;
    if (hasNewSize()) return resized();
    last = performance.now();
    const { settled, live } = draw(size);
    waiting.push(...settled);
    // Drawing takes time, in which the window may have changed.
    if (hasNewSize()) return resized();
    write(frameBytes({ shown, settled: waiting, live, columns: size.columns }));
    waiting = [];
    shown = live;
    drawn();
  };
  const hasNewSize = (): boolean => {
    const now = terminal.size();
    return now.columns !== size.columns || now.rows !== size.rows;
  };

  /** What stands on the screen was drawn for another size: it is taken away row by row, and drawn again. */
  const afterResize = (): void => {
    resizing = undefined;
    const now = terminal.size();
    const above = shown.slice(0, -1).reduce((sum, line) => sum + rowsOf(line, now.columns), 0);
    const isNarrower = now.columns < size.columns;
    const up = isNarrower && reflows ? above : Math.max(0, shown.length - 1);
    size = now;
    write(eraseBytes(Math.min(up, now.rows - 1), now.rows));
    shown = [];
    paint();
  };
  const rowsOf = (line: string, columns: number): number => Math.max(1, Math.ceil(widthOf(line) / columns));

  const resized = (): void => {
    clearTimeout(resizing);
    resizing = setTimeout(afterResize, RESIZE_MS);
  };

  return {
    request(after) {
      if (resizing || (timer && after === undefined)) return;
      clearTimeout(timer);
      const gap = after === "key" ? KEY_MS : FRAME_MS;
      timer = setTimeout(paint, Math.max(0, gap - (performance.now() - last)));
    },
    flush: paint,
    clear() {
      clearTimeout(timer);
      clearTimeout(resizing);
      timer = resizing = undefined;
      if (shown.length > 0) write(eraseBytes(shown.length - 1, shown.length));
      shown = [];
    },
    redraw() {
      if (shown.length > 0) write(eraseBytes(shown.length - 1, terminal.size().rows));
      shown = [];
      paint();
    },
    resized,
  };
}
