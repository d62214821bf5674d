// T1: fault suites have small counts here and full ones in a soak run, and a seed repeats a run.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { seededRandom } from "../tool/random.ts";
import { soakCount } from "../tool/soak.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it("T1 EVERLONG_TEST_SEED repeats a run, and the seed is printed", () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  const draw = (seed: string): number[] => {
    vi.stubEnv("EVERLONG_TEST_SEED", seed);
    const { random } = seededRandom("a storm");
    return [random(), random(), random()];
  };
  expect(draw("7")).toEqual(draw("7"));
  expect(draw("7")).not.toEqual(draw("8"));
  expect(log.mock.calls.at(-1)).toEqual(["a storm: seed 8"]);
});

it("T1 counts are full in npm run soak, which runs this folder", () => {
  vi.stubEnv("EVERLONG_SOAK", undefined);
  expect(soakCount(3, 40)).toBe(3);
  vi.stubEnv("EVERLONG_SOAK", "1");
  expect(soakCount(3, 40)).toBe(40);
  const soak = readFileSync(join(import.meta.dirname, "..", "..", "scripts", "run.mjs"), "utf8");
  expect(soak).toMatch(/EVERLONG_SOAK = "1"[\s\S]*"test\/fault"/);
});
