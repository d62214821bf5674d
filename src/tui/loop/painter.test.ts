// Drawing on an emulated terminal: whatever is settled, drawn and resized, each settled line is there once and in order.
import xterm from "@xterm/headless";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { TerminalSize } from "../terminal/adapter.ts";
import { openPainter, type Painter } from "./painter.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

type Emulator = InstanceType<typeof xterm.Terminal> & { _core: { _writeBuffer: { writeSync(bytes: string): void } } };

function openEmulator(columns: number, rows: number) {
  const emulator = new xterm.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true }) as Emulator;
  let size: TerminalSize = { columns, rows };
  let bytes = 0;
  let settled: string[] = [];
  let live: (size: TerminalSize) => string[] = () => [];
  const painter: Painter = openPainter({
    terminal: {
      size: () => size,
      write(text) {
        bytes += text.length;
        emulator._core._writeBuffer.writeSync(text);
      },
      ask: async () => undefined,
      release: () => undefined,
      take: () => undefined,
      close: () => undefined,
    },
    draw: (now) => {
      const lines = settled;
      settled = [];
      return { settled: lines, live: live(now).slice(-now.rows) };
    },
    drawn: () => undefined,
    hasSync: () => false,
    reflows: true,
  });
  return {
    draw(lines: string[], next: (size: TerminalSize) => string[]) {
      settled.push(...lines);
      live = next;
      painter.request();
      vi.advanceTimersByTime(60);
    },
    resize(next: TerminalSize) {
      size = next;
      emulator.resize(next.columns, next.rows);
      painter.resized();
      vi.advanceTimersByTime(60);
    },
    bytes: () => bytes,
    lines() {
      const { active } = emulator.buffer;
      return Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? "");
    },
  };
}

const foot = (open: number) => (size: TerminalSize) => [
  ...Array.from({ length: open }, (_, at) => `open ${at}`),
  "─".repeat(size.columns),
  "❯ ",
  "─".repeat(size.columns),
  "status".slice(0, size.columns),
];

const frame = fc.record({
  lines: fc.nat(8),
  open: fc.nat(3),
  resize: fc.option(fc.tuple(fc.integer({ min: 40, max: 100 }), fc.integer({ min: 14, max: 40 })), { freq: 4 }),
});

it("F8 F12 FI2 every settled line once and in order, one status line, after any resizes", () => {
  fc.assert(
    fc.property(fc.array(frame, { minLength: 1, maxLength: 40 }), (frames) => {
      const screen = openEmulator(80, 24);
      let count = 0;
      for (const { lines, open, resize } of frames) {
        screen.draw(
          Array.from({ length: lines }, () => `line n${count++}n`),
          foot(open),
        );
        if (resize) screen.resize({ columns: resize[0], rows: resize[1] });
      }
      const all = screen.lines();
      const numbers = all.flatMap((line) => [...line.matchAll(/n(\d+)n/g)].map((match) => Number(match[1])));
      expect(numbers).toEqual(Array.from({ length: count }, (_, at) => at));
      expect(all.filter((line) => line === "status")).toHaveLength(1);
    }),
    { numRuns: 60 },
  );
});

it("F10 a frame that changes nothing writes nothing; one that changes a line writes that line", () => {
  const screen = openEmulator(80, 24);
  screen.draw(["first"], foot(1));
  const before = screen.bytes();
  screen.draw([], foot(1));
  expect(screen.bytes()).toBe(before);
  screen.draw([], (size) => foot(1)(size).with(-1, "other"));
  expect(screen.bytes() - before).toBeLessThan(30);
});
