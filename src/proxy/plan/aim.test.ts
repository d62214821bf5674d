// Where cuts aim, over all sizes, and how many requests pass between them.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AimInput, aimOf } from "./aim.ts";
import { LaneRun, momentsOf, rawsAt, words } from "./plan-fixture.ts";

const tokens = (max: number) => fc.integer({ min: 0, max });
const input = fc.record({
  high: fc.integer({ min: 1, max: 200_000 }),
  growth: tokens(20_000),
  least: tokens(150_000),
  work: tokens(100_000),
  share: fc.double({ min: 0.1, max: 0.95, noNaN: true }),
});
const aimed = (one: Omit<AimInput, "usual" | "refused"> & { share: number }): AimInput => ({
  ...one,
  usual: one.share * one.high,
  refused: false,
});

describe("N29 the aim of a cut", () => {
  it("N29 leaves room for six requests whenever what stays leaves it", () => {
    fc.assert(
      fc.property(input, (one) => {
        const { high, growth, least } = one;
        if (high - 6 * growth < least) return;
        expect(aimOf(aimed(one))).toBeLessThanOrEqual(high - 6 * growth);
      }),
    );
  });

  it("N29 else keeps the newest prompt's own work and nothing besides, while three more requests fit", () => {
    fc.assert(
      fc.property(input, (one) => {
        const { high, growth, least, work } = one;
        if (high - 6 * growth >= least || least + work > high - 3 * growth) return;
        expect(aimOf(aimed(one))).toBe(least + work);
      }),
    );
  });

  it("N29 X91 after a refusal a smaller window never aims higher", () => {
    fc.assert(
      fc.property(input, (one) => {
        const refused = (high: number) => aimOf({ ...aimed({ ...one, high }), refused: true });
        expect(refused(Math.floor(one.high / 2))).toBeLessThanOrEqual(refused(one.high));
      }),
    );
  });

  it("N29 never aims below what no cut takes, nor above the mark", () => {
    fc.assert(
      fc.property(input, (one) => {
        const aim = aimOf(aimed(one));
        if (one.least <= one.share * one.high) expect(aim).toBeGreaterThanOrEqual(Math.min(one.least, one.high) - 1);
        expect(aim).toBeLessThanOrEqual(one.high);
      }),
    );
  });
});

/** How many requests pass between two cuts when each adds so many tokens; a window of 15,000, of which half is asked for. */
async function requestsBetweenCuts(growth: number): Promise<number[]> {
  const run = new LaneRun("openai-chat");
  const steps = Array.from({ length: 3 }, () => ({ reasoning: false, calls: [{ text: words(growth) }] }));
  const history = Array.from({ length: 16 }, (_, n) => ({ prompt: `prompt ${n}`, steps, answer: "Done." }));
  const budget = { window: 15_000, reserve: 7_500, usable: 7_500, high: 6_000, lowShare: 0.55 };
  const gaps: number[] = [];
  let since = 0;
  for (const moment of momentsOf(history)) {
    const { newEpoch } = await run.send(rawsAt("openai-chat", history, moment), { budget, fixedTokens: 3_500 });
    since++;
    if (newEpoch) gaps.push(since);
    if (newEpoch) since = 0;
  }
  return gaps.slice(1);
}

describe("N29 in a lane with a large system text and half of the window asked for", () => {
  it("N29 at least six requests pass between two cuts where the window allows it", async () => {
    const gaps = await requestsBetweenCuts(450);
    expect(gaps.length).toBeGreaterThan(1);
    expect(Math.min(...gaps), gaps.join()).toBeGreaterThanOrEqual(6);
  });

  it("N29 where it does not, all goes but the newest prompt's own work", async () => {
    const gaps = await requestsBetweenCuts(600);
    expect(gaps.length).toBeGreaterThan(1);
    expect(gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length, gaps.join()).toBeGreaterThanOrEqual(3);
  });
});
