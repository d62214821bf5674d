// How often an address may fail: guesses are answered more and more curtly, right tokens never.
const WINDOW_MS = 60_000;
const MOST_FAILURES = 20;
const MOST_ADDRESSES = 10_000;

export class Throttle {
  readonly #failures = new Map<string, { since: number; count: number }>();
  readonly #monotonic: () => number;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** Counts a failure; true when the address has had its twenty in this minute. */
  fail(address: string): boolean {
    const now = this.#monotonic();
    const earlier = this.#failures.get(address);
    const entry = earlier && now - earlier.since < WINDOW_MS ? earlier : { since: now, count: 0 };
    entry.count++;
    this.#failures.delete(address); // the newest stands last, so the oldest goes first
    this.#failures.set(address, entry);
    const oldest = this.#failures.size > MOST_ADDRESSES ? this.#failures.keys().next() : undefined;
    if (oldest && !oldest.done) this.#failures.delete(oldest.value);
    return entry.count > MOST_FAILURES;
  }
}
