// A window that was guessed from a refusal without a figure may be far too small: it rises again while requests near it pass.

/** `refusals`: how often it was guessed; 0 for one that the error named. `passes`: accepted requests near it since it last changed. */
export type Guess = { tokens: number; refusals: number; passes: number };

const STEP = 1.1;
/** A request is near when it has this share of the mark at which it would be cut: larger ones are hardly ever sent. */
const NEAR = 0.8;
const MOST_PASSES = 64;

/**
 * After an accepted request of `sent` tokens; `high` is the mark it was planned with, `whole` the window without the guess.
 * Undefined: nothing is left to learn. Each further refusal doubles the requests that a step takes, so that it settles.
 */
export function risen(
  guess: Guess,
  { sent, high, whole }: { sent: number; high: number; whole: number },
): Guess | undefined {
  if (guess.refusals === 0 || sent < NEAR * high) return guess;
  const passes = guess.passes + 1;
  if (passes < Math.min(MOST_PASSES, 2 ** (guess.refusals - 1))) return { ...guess, passes };
  const tokens = Math.floor(guess.tokens * STEP);
  return tokens >= whole ? undefined : { ...guess, tokens, passes: 0 };
}
