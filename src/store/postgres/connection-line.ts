// Who has one of a few places next: first come, first served, for as long as places come free.
import type { Clock } from "../../base/clock.ts";

/** A line that moves is worth waiting in, but nobody waits for more than so many of its limits. */
const MOST_LIMITS = 6;

export class ConnectionLine {
  readonly #limitMs: number;
  readonly #clock: Clock;
  readonly #waiting: (() => void)[] = [];
  #free: number;
  /** How often a place came free. */
  #moves = 0;

  /** `limitMs`: a line that does not move for so long is stuck. */
  constructor(places: number, limitMs: number, clock: Clock) {
    this.#free = places;
    this.#limitMs = limitMs;
    this.#clock = clock;
  }

  get length(): number {
    return this.#waiting.length;
  }

  /** False: the line is stuck, or too long. Who has a place leaves it. `first`: before all who wait. */
  async enter(first = false): Promise<boolean> {
    if (this.#free > 0) {
      this.#free--;
      return true;
    }
    const { promise: turn, resolve } = Promise.withResolvers<void>();
    if (first) this.#waiting.unshift(resolve);
    else this.#waiting.push(resolve);
    const end = new AbortController();
    void turn.then(() => end.abort());
    for (let limits = 0, moves = -1; limits < MOST_LIMITS && moves !== this.#moves; limits++) {
      moves = this.#moves;
      if (!(await this.#clock.sleep(this.#limitMs, end.signal))) return true;
    }
    const index = this.#waiting.indexOf(resolve);
    if (index === -1) return true; // its turn came with the end of its wait
    this.#waiting.splice(index, 1);
    return false;
  }

  leave(): void {
    this.#moves++;
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}
