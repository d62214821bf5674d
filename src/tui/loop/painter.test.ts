// Drawing on an emulated terminal: whatever is settled, drawn and resized, each settled line is there once and in order.
import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { foot, openEmulator, paragraph } from "./painter-fixture.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** In fewer rows the terminal itself may scroll wrapped live lines away. */
const size = fc.record({ columns: fc.integer({ min: 40, max: 120 }), rows: fc.integer({ min: 12, max: 40 }) });
const frame = fc.record({
  words: fc.array(fc.nat(30), { maxLength: 5 }),
  open: fc.nat(2),
  sizes: fc.oneof(fc.constant([]), fc.array(size, { minLength: 1, maxLength: 5 })),
});
const marks = (text: string, mark: RegExp): number[] => [...text.matchAll(mark)].map((match) => Number(match[1]));

it("F8 F12 FI2 FB5 every settled line once and in order, one editor and one status line, after any storm of resizes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 25 }), async (frames) => {
      const screen = openEmulator(80, 24);
      let count = 0;
      for (const { words, open, sizes } of frames) {
        await screen.draw(
          words.map((one) => [count++, one] as const),
          foot(open),
        );
        await screen.resize(sizes);
        const all = screen.all();
        const numbers = Array.from({ length: count }, (_, at) => at);
        expect(marks(screen.text(), /n(\d+)n/g)).toEqual(numbers);
        expect(marks(screen.text(), /e(\d+)e/g)).toEqual(numbers);
        expect(all.filter((line) => line.startsWith("status"))).toHaveLength(1);
        expect(all.filter((line) => line.startsWith("hints"))).toHaveLength(1);
        expect(all.filter((line) => line === "❯ draft")).toHaveLength(1);
        expect(screen.screen().filter((line) => line.startsWith("─"))).toHaveLength(2);
      }
    }),
    { numRuns: 60 },
  );
});

it("F12 FE2 a frame that meets a new size on its way leaves nothing behind: every line once, one editor, one status line", async () => {
  // Tall enough that the terminal itself scrolls nothing of a wrapped foot away.
  const roomy = fc.record({ columns: fc.integer({ min: 60, max: 120 }), rows: fc.integer({ min: 24, max: 40 }) });
  const storm = fc.record({
    words: fc.array(fc.nat(30), { maxLength: 3 }),
    open: fc.nat(2),
    sizes: fc.array(roomy, { maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(storm, { minLength: 1, maxLength: 20 }), async (frames) => {
      const screen = openEmulator(80, 24);
      let count = 0;
      for (const { words, open, sizes } of frames) {
        const draw = () =>
          screen.draw(
            words.map((one) => [count++, one] as const),
            foot(open),
          );
        await draw();
        // What comes with the very first new size is small; from then on a frame settles no more than a screen.
        await screen.resize(sizes, draw);
        await screen.draw([[count++, 300]], foot(open));
        const all = screen.all();
        const numbers = Array.from({ length: count }, (_, at) => at);
        expect(marks(screen.text(), /n(\d+)n/g)).toEqual(numbers);
        expect(marks(screen.text(), /e(\d+)e/g)).toEqual(numbers);
        expect(all.filter((line) => line.startsWith("status"))).toHaveLength(1);
        expect(all.filter((line) => line === "❯ draft")).toHaveLength(1);
        expect(all.filter((line) => line.startsWith("─"))).toHaveLength(2);
      }
    }),
    { numRuns: 60 },
  );
});

it("F8 what makes way for a panel comes back when it closes; nothing of the panel stays, and the scrollback has each line once", async () => {
  const one = fc.record({
    words: fc.array(fc.nat(20), { maxLength: 4 }),
    panel: fc.nat(30),
    during: fc.array(fc.nat(20), { maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 10 }), async (steps) => {
      const screen = openEmulator(80, 24);
      let count = 0;
      const draw = (words: readonly number[]) =>
        screen.draw(
          words.map((length) => [count++, length] as const),
          foot(1),
        );
      for (const { words, panel, during } of steps) {
        await draw(words);
        const before = screen.all();
        await screen.raise(panel);
        await draw(during);
        await screen.raise(0);
        if (during.length === 0) expect(screen.all().join("\n").trimEnd()).toBe(before.join("\n").trimEnd());
        expect(marks(screen.text(), /n(\d+)n/g)).toEqual(Array.from({ length: count }, (_, at) => at));
        expect(screen.text()).not.toContain("panel");
        expect(screen.all().filter((line) => line.startsWith("status"))).toHaveLength(1);
      }
    }),
    { numRuns: 40 },
  );
});

it("F12 what is visible is drawn at the new width; Ctrl+L draws it too", async () => {
  const screen = openEmulator(100, 30);
  const paragraphs = Array.from({ length: 20 }, (_, at) => [at, 25] as const);
  await screen.draw(paragraphs, foot(1));
  for (const next of [
    { columns: 60, rows: 30 },
    { columns: 44, rows: 26 },
    { columns: 120, rows: 40 },
  ]) {
    await screen.resize([next]);
    await screen.wait(250);
    const rows = screen.screen();
    const first = rows.findIndex((row) => row.startsWith("* n"));
    const from = Number(/n(\d+)n/.exec(rows[first] ?? "")?.[1]);
    const expected = paragraphs.slice(from).flatMap(([number, words]) => paragraph(number, words, next.columns));
    expect(rows.slice(first, first + expected.length)).toEqual(expected);
    expect(20 - from).toBeGreaterThan(1);
    const before = screen.all();
    await screen.redraw();
    expect(screen.all()).toEqual(before);
  }
});

const thirty = Array.from({ length: 30 }, (_, at) => [at, 20] as const);
const upToThirty = thirty.map(([number]) => number);

it("F12 a terminal whose sizes the system tells late, as tmux does: nothing is drawn for a size that it does not have", async () => {
  const screen = openEmulator(80, 24);
  await screen.draw(thirty, foot(1));
  const sizes = Array.from({ length: 15 }, (_, at) => ({ columns: 60 + ((at * 37) % 60), rows: 22 + ((at * 7) % 18) }));
  for (const [at, next] of sizes.entries()) {
    screen.become(next);
    await screen.tell(sizes[at - 1] ?? { columns: 80, rows: 24 });
    await screen.wait(60);
  }
  await screen.tell({ columns: 77, rows: 30 });
  screen.become({ columns: 77, rows: 30 });
  await screen.wait(500);
  expect(marks(screen.text(), /n(\d+)n/g)).toEqual(upToThirty);
  expect(marks(screen.text(), /e(\d+)e/g)).toEqual(upToThirty);
  expect(screen.all().filter((line) => line.startsWith("status"))).toHaveLength(1);
});

it("F12 a new size that the program hears of only by asking: no frame goes out for the old one", async () => {
  const screen = openEmulator(80, 24);
  await screen.draw(
    [
      [0, 1],
      [1, 1],
    ],
    foot(2),
  );
  const before = screen.written().length;
  screen.becomeUnheard({ columns: 70, rows: 17 });
  await screen.draw([[2, 60]], foot(2));
  expect(screen.written().slice(before)).not.toContain("─".repeat(80));
  await screen.wait(500);
  expect(marks(screen.text(), /n(\d+)n/g)).toEqual([0, 1, 2]);
  expect(screen.all().filter((line) => line === "open 0")).toHaveLength(1);
});

it("F12 a window that becomes small while the frame for a larger one is on its way: no printed line stands there twice", async () => {
  for (const small of [
    { columns: 60, rows: 20 },
    { columns: 100, rows: 16 },
    { columns: 70, rows: 40 },
  ]) {
    const screen = openEmulator(90, 24);
    await screen.draw(thirty, foot(1));
    screen.becomeAtFrame(small);
    await screen.resize([{ columns: 100, rows: 40 }]);
    await screen.tell(small);
    await screen.wait(500);
    expect(marks(screen.text(), /n(\d+)n/g)).toEqual(upToThirty);
    expect(marks(screen.text(), /e(\d+)e/g)).toEqual(upToThirty);
    expect(screen.all().filter((line) => line.startsWith("status"))).toHaveLength(1);
  }
});

it("F12 open lines that the terminal itself scrolled away are told once", async () => {
  const screen = openEmulator(120, 40);
  await screen.draw([[0, 3]], foot(20));
  await screen.resize([{ columns: 40, rows: 10 }]);
  expect(screen.scrollback().filter((line) => line.startsWith("open"))).toEqual(screen.out().split("\n"));
});

it("F12 a terminal that answers no questions keeps every line", async () => {
  const screen = openEmulator(80, 24, { answers: false });
  await screen.draw(
    Array.from({ length: 30 }, (_, at) => [at, 8] as const),
    foot(1),
  );
  for (const columns of [70, 100, 60, 80]) await screen.resize([{ columns, rows: 24 }]);
  expect(marks(screen.text(), /n(\d+)n/g)).toEqual(Array.from({ length: 30 }, (_, at) => at));
  expect(screen.all().filter((line) => line.startsWith("status"))).toHaveLength(1);
});

it("F69 F10 a terminal that is far away is not waited for: each key is seen at once; after a resize it is asked again", async () => {
  const screen = openEmulator(80, 24, { lagMs: 400 });
  const type = (words: string) => screen.draw([], (now) => foot(1)(now).with(-1, words));
  for (const words of ["a", "b", "c"]) {
    await type(words);
    await vi.advanceTimersByTimeAsync(500);
  }
  for (const words of ["one", "two", "three"]) {
    await type(words);
    expect(screen.screen().filter(Boolean).at(-1)).toBe(words);
  }
  await screen.resize([{ columns: 60, rows: 24 }]);
  await vi.advanceTimersByTimeAsync(2000);
  expect(screen.screen().filter((line) => line.startsWith("─"))).toHaveLength(2);
  expect(screen.all().filter((line) => line.startsWith("status"))).toHaveLength(1);
});

it("F10 a frame that changes nothing writes nothing; one that changes a line writes that line", async () => {
  const screen = openEmulator(80, 24);
  await screen.draw([[0, 1]], foot(1));
  const before = screen.bytes();
  await screen.draw([], foot(1));
  expect(screen.bytes()).toBe(before);
  await screen.draw([], (now) => foot(1)(now).with(-1, "other"));
  expect(screen.bytes() - before).toBeLessThan(70);
});

it("F12 a row is erased whole before it is written: a terminal that counts erased cells has none to wrap", async () => {
  const screen = openEmulator(80, 24);
  await screen.draw([[0, 3]], foot(2));
  await screen.draw([[1, 9]], foot(1));
  expect(screen.written()).not.toMatch(/\u001b\[0?K/);
});

it("F10 F14 a full line keeps its colour and its last character, and what stood there before is gone", async () => {
  const screen = openEmulator(80, 24);
  await screen.draw([], () => ["x".repeat(80), "foot"]);
  for (const last of ["…", "z", "─"]) {
    const line = `\u001b[31m${"y".repeat(79)}${last}\u001b[39m`;
    await screen.draw([], () => [line, "foot"]);
    expect(screen.screen()[0]).toBe(`${"y".repeat(79)}${last}`);
  }
});
