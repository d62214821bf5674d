// Progress of long work: what a terminal and a pipe are shown, and when.
import { expect, it } from "vitest";
import { progressEvents, progressLine, progressText } from "./progress.ts";

const step = { label: "Claude Code", part: 0, total: 1000, count: 0, unit: "item" };

function shown(isTTY: boolean, steps: readonly { at: number; part: number; label?: string }[]): string[] {
  const written: string[] = [];
  let time = 0;
  const line = progressLine({ isTTY, columns: 60, write: (text) => written.push(text) }, () => time);
  for (const { at, ...rest } of steps) {
    time = at;
    line.show({ ...step, ...rest });
  }
  line.clear();
  return written;
}

it("F70 names label, how much of how much, rate and how to stop; the time left only after three seconds", () => {
  const half = { ...step, part: 500, count: 1 };
  expect(progressText(half, 2000)).toBe(
    "Claude Code: 500 bytes of 1.0 kB · 1 item · Ctrl+C stops, the next run goes on",
  );
  expect(progressText({ ...half, count: 8000 }, 4000)).toBe(
    "Claude Code: 500 bytes of 1.0 kB · 8,000 items, 2,000 a second · 4 s left · Ctrl+C stops, the next run goes on",
  );
  expect(progressText({ ...half, part: 10 }, 60_000)).toContain("99 min left");
});

it("F70 a pipe hears nothing of what is done within a second, however many works follow each other", () => {
  const works = ["Claude Code", "Codex", "pi"].flatMap((label, i) =>
    [1, 2, 3, 4].map((n) => ({ at: i * 900 + n * 200, part: n * 250, label })),
  );
  expect(shown(false, works)).toEqual([]);
});

it("F70 events tell the first step, every tenth, and ten a second", () => {
  const told: number[] = [];
  let time = 0;
  const events = progressEvents(
    ({ part }) => told.push(part),
    () => time,
  );
  for (const [at, part] of [
    [0, 1],
    [1, 2],
    [2, 120],
    [3, 130],
    [150, 131],
    [151, 1000],
  ] as const) {
    time = at;
    events.show({ ...step, part });
  }
  expect(told).toEqual([1, 120, 131, 1000]);
});

it("F70 a pipe gets a line every tenth or ten seconds, a terminal one line that is drawn anew and taken away", () => {
  const steps = [1, 2, 3, 4, 5].map((n) => ({ at: n * 10, part: n * 40 }));
  const slow = [1, 2, 3, 4, 5].map((n) => ({ at: n * 1000, part: n * 40 }));
  expect(shown(false, slow)).toHaveLength(1);
  expect(shown(false, [...slow, { at: 13_100, part: 201 }])).toHaveLength(2);
  const drawn = shown(true, [...steps, { at: 200, part: 300 }]);
  expect(drawn).toHaveLength(3);
  expect(drawn.at(-1)).toBe("\r\x1b[K");
  for (const text of drawn) expect(text.replace("\r\x1b[K", "").length).toBeLessThan(60);
});
