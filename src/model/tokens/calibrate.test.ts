// The factor between a provider's counts and ours.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accountingBasis, calibrated, uncalibrated, updateFactor } from "./calibrate.ts";

describe("calibration", () => {
  it("C13 a moving average of weight 0.3 that starts at 1", () => {
    const once = updateFactor(uncalibrated, { estimate: 2000, reported: 3000 });
    expect(once).toEqual({ factor: 1.15, samples: 1 });
    expect(updateFactor(once, { estimate: 2000, reported: 3000 }).factor).toBeCloseTo(1.255);
  });

  it("C14 CB17 missing, small, absurd and edited samples do not move it", () => {
    const state = { factor: 1.2, samples: 3 };
    for (const sample of [
      { estimate: 5000 },
      { estimate: 999, reported: 1000 },
      { estimate: 5000, reported: 0 },
      { estimate: 5000, reported: Number.NaN },
      { estimate: 5000, reported: 2499 },
      { estimate: 5000, reported: 15_001 },
      { estimate: 5000, reported: 5000, edited: true },
    ]) {
      expect(updateFactor(state, sample)).toBe(state);
    }
  });

  it("C14 whatever is reported, the factor stays within 0.5..3", () => {
    const samples = fc.array(
      fc.record({ estimate: fc.nat(1e6), reported: fc.double({ min: 0, max: 1e7, noNaN: true }) }),
    );
    fc.assert(
      fc.property(samples, (all) => {
        const { factor } = all.reduce(updateFactor, uncalibrated);
        expect(factor).toBeGreaterThanOrEqual(0.5);
        expect(factor).toBeLessThanOrEqual(3);
      }),
    );
  });

  it("C15 estimated until the first sample, then calibrated", () => {
    expect(accountingBasis(uncalibrated)).toBe("estimated");
    expect(accountingBasis({ factor: 1, samples: 1 })).toBe("calibrated");
    expect(calibrated(1000, { factor: 1.2345, samples: 1 })).toBe(1235);
  });
});
