// When to draw: at most 30 times a second, nothing when nothing changed, and once more where a new size met a frame on its way.
import type { TerminalAdapter, TerminalSize } from "../terminal/adapter.ts";
import { askPlace, type TerminalPlace } from "../terminal/place.ts";
import { type CanvasParts, openCanvas } from "./canvas.ts";
import type { FrameGround, Picture, SentFrame } from "./picture.ts";

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
  /** Resolves when no answer of the terminal is on its way; none is asked for until the next `redraw`. */
  rest(): Promise<void>;
};

/** With what keys add it stays at 30 a second: each frame puts the next one off, and a key is echoed at once. */
const FRAME_MS = 50;
const KEY_MS = 34;
const RESIZE_MS = 50;
/** How long after a new size the next one may be near. */
const WARY_MS = 1000;
/**
 * So long after the last size all that is visible is drawn for it. Until then printed rows stay as they are, and the live region is
 * drawn for the smallest window: whatever size comes next, the terminal breaks none of its lines and scrolls none of them away.
 */
const CALM_MS = 250;
const SMALLEST: TerminalSize = { columns: 40, rows: 10 };
/** A terminal that takes longer to answer, so often in a row, is far away: typing must not wait for it. */
const FAR_MS = 120;
const FAR_REPLIES = 3;
/** How often in a row the terminal may say one size and the system another one. In a storm they say new ones all the time. */
const MOST_TRIES = 10;
const SYNC = ["\u001b[?2026h", "\u001b[?2026l"] as const;

type PainterParts = CanvasParts & {
  terminal: TerminalAdapter;
  /** `live`: the size for what still changes. */
  draw(size: TerminalSize, live: TerminalSize): Picture;
  /** After each frame that was written. */
  drawn(): void;
  hasSync(): boolean;
  /** The terminal has answered a question before: each frame asks for the size that it is drawn at. */
  answers(): boolean;
  /** How long the terminal may take to say where the cursor is. */
  replyMs(): number;
};

const smaller = (size: TerminalSize): TerminalSize => ({
  columns: Math.min(size.columns, SMALLEST.columns),
  rows: Math.min(size.rows, SMALLEST.rows),
});
const isSame = (one: TerminalSize, other: TerminalSize): boolean =>
  one.columns === other.columns && one.rows === other.rows;

export function openPainter(parts: PainterParts): Painter {
  const { terminal, draw, drawn, hasSync, answers, replyMs } = parts;
  const canvas = openCanvas(parts);
  /** What is drawn for, and what the system said last: it may be behind the terminal itself, or ahead of it. */
  let size = terminal.size();
  let lastSize = size;
  /** Printed rows that are visible were drawn for another width. */
  let isStale = false;
  let timer: NodeJS.Timeout | undefined;
  let resizing: NodeJS.Timeout | undefined;
  let calming: NodeJS.Timeout | undefined;
  let question: symbol | undefined;
  /** The one frame whose size the terminal has not told yet. */
  let sent: Promise<void> | undefined;
  let wanted: "frame" | "key" | undefined;
  let isResting = false;
  let canAsk = true;
  let tries = 0;
  let disagreement = "";
  let waryUntil = 0;
  let lateReplies = 0;
  let last = 0;
  let lastKey = 0;

  const framed = (bytes: string): string => {
    const [start, end] = hasSync() ? SYNC : ["", ""];
    return `${start}${bytes}${end}`;
  };
  const isWary = (): boolean => performance.now() < waryUntil;
  const asks = (): boolean => canAsk && !isResting && answers() && (lateReplies < FAR_REPLIES || isWary());
  const hasNewSize = (): boolean => {
    // Asking may already tell of a new size: compared is what was known before.
    const before = lastSize;
    return !isSame(terminal.size(), before);
  };

  const paint = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (resizing || question) return;
    if (hasNewSize()) return resized();
    paintFrame();
  };

  /** `ground`: what the frame is drawn on, when that is not what was shown last. */
  const paintFrame = (ground?: FrameGround): void => {
    last = performance.now();
    const picture = draw(size, calming || ground?.waits ? smaller(size) : size);
    const { bytes, commit } = canvas.plan(picture, size, asks() && isWary(), ground);
    // Drawing takes time, in which the window may have changed.
    if (hasNewSize()) {
      picture.undo();
      return resized();
    }
    const frame = commit();
    if (bytes !== "") send(bytes, frame);
    drawn();
  };

  /** The terminal says at which size it draws the frame: only then is it known what stands on the screen. */
  const send = (bytes: string, frame: SentFrame): void => {
    if (!asks()) {
      terminal.write(framed(bytes));
      if (canvas.hasMore() || frame.isAnew) request();
      return;
    }
    const start = performance.now();
    const mine = askPlace(terminal, replyMs(), framed, bytes).then((place) => {
      lateReplies = performance.now() - start > FAR_MS ? lateReplies + 1 : 0;
      canAsk &&= place !== undefined;
      if (sent !== mine) return;
      sent = undefined;
      if (place && !isSame(place.size, frame.size)) {
        canvas.spoiled(frame, place);
        becomeWary();
        return settle(false);
      }
      if (place) canvas.confirm(frame, place);
      const next = wanted;
      wanted = undefined;
      if (canvas.hasMore() || frame.isAnew) return paint();
      if (next) request(next === "key" ? "key" : undefined);
    });
    sent = mine;
  };

  const ask = (then: (place: TerminalPlace | undefined) => void): void => {
    const mine = Symbol("question");
    question = mine;
    void askPlace(terminal, replyMs()).then((place) => {
      // A late answer would be taken for that of the next question: there is no next one.
      canAsk &&= place !== undefined;
      if (question !== mine) return;
      question = undefined;
      then(place);
    });
  };

  const drawAnew = (place: TerminalPlace, isWhole: boolean): void => {
    const ground = canvas.ground(place.row, place.size, isWhole);
    isStale = !isWhole && (isStale || place.size.columns !== size.columns);
    size = place.size;
    paintFrame(ground);
    const pair = JSON.stringify([size, lastSize]);
    tries = pair === disagreement ? tries + 1 : 0;
    disagreement = pair;
    if (!isSame(size, lastSize) && tries < MOST_TRIES) resized();
  };

  const drawBlindly = (): void => {
    const now = terminal.size();
    const ground = canvas.blindGround(now, now.columns < size.columns);
    size = lastSize = now;
    paintFrame(ground);
  };

  const settle = (isWhole: boolean): void => {
    resizing = undefined;
    if (!canAsk) return drawBlindly();
    ask((place) => (place === undefined ? drawBlindly() : drawAnew(place, isWhole)));
  };

  /** The next size may be near. */
  const becomeWary = (): void => {
    waryUntil = performance.now() + WARY_MS;
    clearTimeout(calming);
    calming = setTimeout(() => {
      if (sent || resizing || question) return becomeWary();
      calming = undefined;
      settle(isStale);
    }, CALM_MS);
  };

  const resized = (): void => {
    lastSize = terminal.size();
    becomeWary();
    clearTimeout(resizing);
    question = undefined;
    resizing = setTimeout(() => {
      // The frame on its way says first what became of it.
      if (sent) resized();
      else settle(false);
    }, RESIZE_MS);
  };

  const stop = (): void => {
    clearTimeout(timer);
    clearTimeout(resizing);
    clearTimeout(calming);
    timer = resizing = calming = question = sent = wanted = undefined;
  };

  const request = (after?: "key"): void => {
    if (resizing || question) return;
    if (sent) {
      wanted = after ?? wanted ?? "frame";
      return;
    }
    if (timer && after === undefined) return;
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
  };

  return {
    request,
    flush() {
      const isUnsettled = resizing !== undefined || hasNewSize();
      stop();
      if (isUnsettled) drawBlindly();
      else paintFrame();
    },
    clear() {
      stop();
      const bytes = canvas.clear();
      if (bytes !== "") terminal.write(framed(bytes));
    },
    redraw() {
      isResting = false;
      stop();
      size = lastSize = terminal.size();
      if (canvas.isEmpty()) return paint();
      settle(true);
    },
    resized,
    async rest() {
      isResting = true;
      await sent;
    },
  };
}
