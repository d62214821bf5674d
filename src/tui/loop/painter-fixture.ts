// A painter on an emulated terminal whose rows, scrollback and size a test can read and change. Its timers are the test's.
import xterm from "@xterm/headless";
import { vi } from "vitest";
import type { TerminalSize } from "../terminal/adapter.ts";
import { printUnit } from "../terminal/printed.ts";
import { openPainter, type Painter } from "./painter.ts";

type Emulator = InstanceType<typeof xterm.Terminal> & { _core: { _writeBuffer: { writeSync(bytes: string): void } } };
type Live = (size: TerminalSize) => string[];

/** A paragraph with a number at each end, wrapped to the width with an indent. */
export function paragraph(number: number, words: number, width: number): string[] {
  const text = [`n${number}n`, ...Array.from({ length: words }, (_, at) => `word${at}`), `e${number}e`];
  const lines = ["*"];
  for (const word of text) {
    if ((lines.at(-1) ?? "").length + word.length >= width) lines.push(" ");
    lines.push(`${lines.pop()} ${word}`);
  }
  return lines;
}

export function openEmulator(columns: number, rows: number, { answers = true, lagMs = 0 } = {}) {
  const emulator = new xterm.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true }) as Emulator;
  let size: TerminalSize = { columns, rows };
  let written = "";
  const replies: string[] = [];
  emulator.onData((reply) => replies.push(...(reply.match(/\u001b\[\d+;\d+R/g) ?? [])));
  const queue: (readonly [number: number, words: number])[] = [];
  let live: Live = () => [];
  let out = "";
  let raised = 0;
  /** The size that the terminal takes between an answer of it and the frame that is drawn for that answer. */
  let ambush: TerminalSize | undefined;
  /** The size that the system has and the program has not heard of. */
  let unheard: TerminalSize | undefined;
  const write = (text: string): void => {
    if (ambush && text.includes("draft")) {
      emulator.resize(ambush.columns, ambush.rows);
      ambush = undefined;
    }
    written += text;
    emulator._core._writeBuffer.writeSync(text);
  };
  const painter: Painter = openPainter({
    terminal: {
      // As Node does it: who asks is told of a new size before the answer comes back.
      size() {
        if (unheard) {
          size = unheard;
          unheard = undefined;
          painter.resized();
        }
        return size;
      },
      write,
      async ask(question) {
        if (!answers) return undefined;
        write(question);
        const reply = replies.shift();
        if (lagMs > 0) await new Promise((done) => setTimeout(done, lagMs));
        return reply;
      },
      release: () => undefined,
      take: () => undefined,
      close: () => undefined,
    },
    draw: (now, small) => ({
      settled: queue
        .splice(0)
        .map(([number, words]) => printUnit(now.columns, (width) => paragraph(number, words, width))),
      live: [...live(small), ...Array.from({ length: raised }, (_, at) => `panel ${at}`)].slice(-small.rows),
      open: live(small).filter((line) => line.startsWith("open")).length,
      isRaised: raised > 0,
      undo: () => undefined,
    }),
    drawn: () => undefined,
    scrolled: (text) => {
      out += text;
    },
    hasSync: () => false,
    answers: () => answers,
    wrapsAnew: () => true,
    replyMs: () => 100,
    isTooSmall: () => false,
  });
  const lines = (from: number): string[] => {
    const { active } = emulator.buffer;
    return Array.from(
      { length: active.length - from },
      (_, at) => active.getLine(from + at)?.translateToString(true) ?? "",
    );
  };
  return {
    async draw(paragraphs: (readonly [number, number])[], next: Live) {
      queue.push(...paragraphs);
      live = next;
      painter.request();
      await vi.advanceTimersByTimeAsync(60);
    },
    /** So many lines of a panel. */
    async raise(lines: number) {
      raised = lines;
      painter.request("key");
      await vi.advanceTimersByTimeAsync(60);
    },
    /** `late`: what the program draws before the system tells it of the new size. */
    async resize(sizes: readonly TerminalSize[], late?: () => Promise<void>) {
      for (const next of sizes) {
        emulator.resize(next.columns, next.rows);
        await late?.();
        size = next;
        painter.resized();
        await vi.advanceTimersByTimeAsync(10);
      }
      await vi.advanceTimersByTimeAsync(60);
    },
    /** The terminal has another size, of which the system knows nothing yet. */
    become(next: TerminalSize) {
      emulator.resize(next.columns, next.rows);
    },
    /** The terminal and the system have another size; the signal of it is on its way. */
    becomeUnheard(next: TerminalSize) {
      emulator.resize(next.columns, next.rows);
      unheard = next;
    },
    /** The terminal will have this size when the next frame reaches it. */
    becomeAtFrame(next: TerminalSize) {
      ambush = next;
    },
    /** The system tells the program of a size, which may be an old one by now. */
    async tell(next: TerminalSize) {
      size = next;
      painter.resized();
      await vi.advanceTimersByTimeAsync(1);
    },
    wait: (ms: number) => vi.advanceTimersByTimeAsync(ms),
    redraw: async () => {
      painter.redraw();
      await vi.advanceTimersByTimeAsync(60);
    },
    bytes: () => written.length,
    written: () => written,
    out: () => out,
    all: () => lines(0),
    /** With rows joined that the terminal itself has broken. */
    text: () =>
      lines(0).reduce(
        (text, line, at) => `${text}${emulator.buffer.active.getLine(at)?.isWrapped ? "" : "\n"}${line}`,
        "",
      ),
    screen: () => lines(emulator.buffer.active.baseY),
    scrollback: () => lines(0).slice(0, emulator.buffer.active.baseY),
  };
}

export const foot =
  (open: number): Live =>
  (size) => [
    ...Array.from({ length: open }, (_, at) => `open ${at}`),
    "─".repeat(size.columns),
    "❯ draft",
    "─".repeat(size.columns),
    "status of the session with some more words behind it, 60 wide".slice(0, size.columns),
    "hints that are wide: enter queues, esc interrupts, ctrl+b background".slice(0, size.columns),
  ];
