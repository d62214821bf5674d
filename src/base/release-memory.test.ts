// A thread gives back what a large piece of work left behind.
import { expect, it, onTestFinished, vi } from "vitest";
import { heapKeeper } from "./release-memory.ts";

it("N33 garbage of much work is collected in the pause after it", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const keep = heapKeeper();
  keep();
  let texts: string[] | undefined = Array.from({ length: 200 }, (_, n) =>
    `${n}`.padEnd(1_000_000, "\u00e9x").toUpperCase(),
  );
  expect(texts.length).toBe(200);
  keep();
  texts = undefined;
  const before = process.memoryUsage().heapTotal;
  vi.advanceTimersByTime(10_000);
  expect(before - process.memoryUsage().heapTotal).toBeGreaterThan(100e6);
});
