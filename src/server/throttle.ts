// How often an address may fail: guesses are answered more and more curtly, right tokens never.
const WINDOW_MS = 60_000;
const MOST_FAILURES = 20;
const MOST_ADDRESSES = 10_000;

export class Throttle {
  readonly #failures = new Map<string, { since: number; count: number }>();
  readonly #monotonic: () => number;
  readonly #most: number;

  constructor(monotonic: () => number, most = MOST_FAILURES) {
    this.#monotonic = monotonic;
    this.#most = most;
  }

  /** Counts a failure; true when the address has had as many as it may in this minute. */
  fail(address: string): boolean {
    const entry = this.#current(address) ?? { since: this.#monotonic(), count: 0 };
    entry.count++;
    this.#failures.delete(address); // the newest stands last, so the oldest goes first
    this.#failures.set(address, entry);
    const oldest = this.#failures.size > MOST_ADDRESSES ? this.#failures.keys().next() : undefined;
    if (oldest && !oldest.done) this.#failures.delete(oldest.value);
    return entry.count > this.#most;
  }

  /** Whether it has failed so often that the next try is not even looked at. */
  isOver(address: string): boolean {
    return (this.#current(address)?.count ?? 0) >= this.#most;
  }

  #current(address: string): { since: number; count: number } | undefined {
    const entry = this.#failures.get(address);
    return entry && this.#monotonic() - entry.since < WINDOW_MS ? entry : undefined;
  }
}
