// The gauge: when it looks, when it acts.
import { expect, it } from "vitest";
import { pressureGauge } from "./pressure.ts";

it("A8.22 looks every 30 s, acts once in 5 min, and not when a collection helped", () => {
  let now = 1;
  let rss = 2_000;
  const clock = { now: () => "", monotonic: () => now, sleep: async () => true };
  const over = pressureGauge(
    () => 1,
    clock,
    () => rss * 1024 * 1024,
  );
  expect(over()).toBe(true);
  now += 31_000;
  expect(over(), "acted less than 5 min ago").toBe(false);
  now += 300_000;
  rss = 0.5;
  expect(over()).toBe(false);
  rss = 2_000;
  now += 10_000;
  expect(over(), "looked less than 30 s ago").toBe(false);
  now += 21_000;
  expect(over()).toBe(true);
});
