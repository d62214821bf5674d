// How long is waited: as asked, else by the rule.
import { describe, expect, it } from "vitest";
import { askedWaitMs, backoffMs } from "./retry-wait.ts";

const NOW = Date.parse("2025-06-01T10:00:00Z");
const asked = (headers: Record<string, string>, body = "") => askedWaitMs(headers, body, NOW);

describe("A2.14 the wait that was asked for", () => {
  it("A2.14 reads retry-after-ms first, then seconds, then a date by the server's clock or ours", () => {
    expect(asked({ "retry-after-ms": "1500", "retry-after": "9" })).toBe(1500);
    expect(asked({ "retry-after": "2.5" })).toBe(2500);
    expect(asked({ "retry-after": "Sun, 01 Jun 2025 10:00:30 GMT" })).toBe(30_000);
    expect(asked({ "retry-after": "Sun, 01 Jun 2025 10:00:30 GMT", date: "Sun, 01 Jun 2025 10:00:20 GMT" })).toBe(
      10_000,
    );
    expect(asked({ "retry-after": "Sun, 01 Jun 2025 09:00:00 GMT" })).toBe(0);
  });

  it("AB7 what is no time counts as absent", () => {
    for (const value of ["soon", "-5", "", "soon 5", "NaN"]) expect(asked({ "retry-after": value })).toBeUndefined();
  });

  it("A2.14 reads Google's RetryInfo and a sentence", () => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.5s" }];
    expect(asked({}, JSON.stringify({ error: { details } }))).toBe(34_500);
    expect(asked({}, "Rate limit reached. Please try again in 20s. Visit")).toBe(20_000);
    expect(asked({}, "Please try again in 6m0s.")).toBe(360_000);
    expect(asked({}, "try again in 250ms")).toBe(250);
    expect(asked({}, "Please retry after 12 seconds.")).toBe(12_000);
    expect(asked({}, "try again in 1 minute")).toBe(60_000);
    expect(asked({}, "try again later")).toBeUndefined();
  });

  it("A2.14 else five times the base for 429 and once otherwise, doubling, with jitter, capped", () => {
    const wait = (attempt: number, rateLimited: boolean, chance: number) =>
      backoffMs({ attempt, rateLimited, baseMs: 1000, maxMs: 180_000, random: () => chance });
    expect([1, 2, 3].map((attempt) => wait(attempt, false, 0))).toEqual([1000, 2000, 4000]);
    expect([1, 2, 3].map((attempt) => wait(attempt, true, 0))).toEqual([5000, 10_000, 20_000]);
    expect(wait(1, false, 1)).toBe(1250);
    expect(wait(20, true, 1)).toBe(180_000);
  });
});
