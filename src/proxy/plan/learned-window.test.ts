// Guessed windows: how they rise, and that they settle.
import fc from "fast-check";
import { expect, it } from "vitest";
import { type Guess, risen } from "./learned-window.ts";

const guessed: Guess = { tokens: 40_487, refusals: 1, passes: 0 };
const whole = 60_000;
/** As budgets are made, roughly. */
const highOf = (tokens: number): number => Math.floor((tokens - 8_192) * 0.8);

it("N30 a window guessed too small rises in steps while requests near it pass, until it is forgotten", () => {
  const seen: number[] = [];
  for (let now: Guess | undefined = guessed; now; ) {
    seen.push(now.tokens);
    now = risen(now, { sent: highOf(now.tokens) * 0.9, high: highOf(now.tokens), whole });
    expect(seen.length).toBeLessThan(10);
  }
  expect(seen).toEqual([40_487, 44_535, 48_988, 53_886, 59_274]);
});

it("N30 small requests prove nothing, and a window that the error named stays", () => {
  const high = highOf(guessed.tokens);
  expect(risen(guessed, { sent: high * 0.5, high, whole })).toBe(guessed);
  const named = { ...guessed, refusals: 0 };
  expect(risen(named, { sent: high, high, whole })).toBe(named);
});

it("N30 refused again and again, it tries less and less often", () => {
  fc.assert(
    fc.property(fc.integer({ min: 8_000, max: 200_000 }), (real) => {
      let guess: Guess = { tokens: 6_000, refusals: 1, passes: 0 };
      const refusedAt: number[] = [];
      for (let request = 0; request < 600; request++) {
        const sent = highOf(guess.tokens + 9_000);
        if (sent > real) {
          refusedAt.push(request);
          guess = { tokens: Math.floor(sent * 0.9), refusals: guess.refusals + 1, passes: 0 };
        } else guess = risen(guess, { sent, high: sent, whole: 1_000_000 }) ?? guess;
      }
      expect(refusedAt.length).toBeLessThanOrEqual(9);
    }),
  );
});
