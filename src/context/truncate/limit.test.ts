// The effective limit, what a refusal teaches, and where a cut aims.
import { describe, expect, it } from "vitest";
import { afterRefusal, effectiveLimit, lowWaterMark } from "./limit.ts";

const limit = { tokens: 100_000, retryBuffer: 0 };

describe("limits", () => {
  it("C17 C61 the buffer grows by 0.1 for each refusal without a smaller limit, to 0.5 at most", () => {
    let now: typeof limit = limit;
    const seen: number[] = [];
    for (let i = 0; i < 7; i++) {
      now = afterRefusal(now, { unit: "tokens" });
      seen.push(effectiveLimit(now));
    }
    expect(seen).toEqual([90_000, 80_000, 70_000, 60_000, 50_000, 50_000, 50_000]);
    expect(now.tokens).toBe(100_000);
  });

  it("C60 a named limit below L becomes L and leaves the buffer alone; it never raises L", () => {
    expect(afterRefusal(limit, { unit: "tokens", reportedLimit: 32_000 })).toEqual({
      tokens: 32_000,
      retryBuffer: 0,
      learned: true,
    });
    for (const reportedLimit of [100_000, 200_000, 999]) {
      const next = afterRefusal(limit, { unit: "tokens", reportedLimit });
      expect(next).toEqual({ tokens: 100_000, retryBuffer: 0.1, learned: false });
    }
    expect(afterRefusal(limit, { unit: "tokens", reportedLimit: 1_000 })).toMatchObject({ tokens: 1_000 });
  });

  it("C60 a limit in bytes is no limit in tokens", () => {
    expect(afterRefusal(limit, { unit: "bytes", reportedLimit: 32_000 })).toMatchObject({
      learned: false,
      tokens: 100_000,
    });
  });

  it("C55 a refused request is never resent unchanged: the next must be smaller, also far below the limit", () => {
    expect(effectiveLimit({ tokens: 100_000, retryBuffer: 0.1 }, 40_000)).toBe(36_000);
    expect(effectiveLimit({ tokens: 100_000, retryBuffer: 0.5 }, 90_000)).toBe(50_000);
  });

  it("C35 the low-water mark is 0.7 E, more beside a large fixed part, never above 0.95 E", () => {
    const at = (fixedTokens: number, target = 0.7) => lowWaterMark({ effectiveLimit: 10_000, fixedTokens, target });
    expect([at(1_000), at(6_000), at(9_500), at(0, 0.5)]).toEqual([7_000, 7_500, 9_500, 5_000]);
  });
});
