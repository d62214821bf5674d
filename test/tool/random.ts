// A seeded random source: fault suites print their seed, and EVERLONG_TEST_SEED repeats a run.
export function seededRandom(name: string): { random: () => number; seed: number } {
  const seed = Number(process.env["EVERLONG_TEST_SEED"] ?? Date.now() % 1_000_000);
  console.log(`${name}: seed ${seed}`);
  return { random: randomFrom(seed), seed };
}

/** The same numbers for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
