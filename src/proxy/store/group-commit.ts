// Writes that come together share a transaction, since its end costs more than most of them.
import { setImmediate as nextRound } from "node:timers/promises";
import type { Clock } from "../../base/clock.ts";
import { ok, type Result } from "../../base/result.ts";
import type { Fault } from "../../store/fault.ts";
import type { RowStore, Unit } from "../../store/unit.ts";

type Job = {
  unit: () => Unit<unknown>;
  settle: (outcome: Result<unknown, Fault>) => void;
  reject: (error: unknown) => void;
  /** When it gives up waiting for other writers. */
  end: number;
};

/** What no request waits for waits so long for other writers. */
const LIMIT_MS = 5000;
/** Patient work waits so long for other work to go along with. */
const PATIENCE_MS = 20;
/** The event loop waits for a transaction: what comes after so long goes into the next one. */
const LONGEST_MS = 15;
const MOST_JOBS = 64;

export class GroupCommit {
  readonly #rows: RowStore;
  readonly #clock: Clock;
  readonly #limitMs: number;
  #waiting: Job[] = [];
  #running = false;
  #timer: NodeJS.Timeout | undefined;
  /** How many transactions there were, for a look from outside. */
  transactions = 0;

  constructor(rows: RowStore, clock: Clock, limitMs = LIMIT_MS) {
    this.#limitMs = limitMs;
    this.#rows = rows;
    this.#clock = clock;
  }

  /** It runs after what was added before it; `patient`: a little later will do. */
  add<T>(unit: () => Unit<T>, patient = false): Promise<Result<T, Fault>> {
    return new Promise((resolve, reject) => {
      const settle = (outcome: Result<unknown, Fault>): void => resolve(outcome as Result<T, Fault>);
      this.#waiting.push({ unit, settle, reject, end: this.#clock.monotonic() + this.#limitMs });
      if (!patient) this.#start();
      else this.#timer ??= setTimeout(() => this.#start(), PATIENCE_MS);
    });
  }

  /** When all that was added so far is written; patient work does not wait any longer. */
  async settled(): Promise<void> {
    // It runs after all that was added before it, also after what a full transaction has put back.
    if (this.#waiting.length > 0 || this.#running) await this.add(nothing);
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    await nextRound();
    while (this.#waiting.length > 0) {
      const jobs = this.#waiting.splice(0, MOST_JOBS);
      const count = await this.#together(jobs);
      this.#waiting.unshift(...jobs.slice(count));
      await nextRound();
    }
    this.#running = false;
  }

  /** Gives how many of them are settled. One that fails must not take the others with it, so each is then tried alone. */
  async #together(jobs: readonly Job[]): Promise<number> {
    const [first] = jobs;
    if (!first) return 0;
    try {
      const outcome = await this.#write(first, () => all(jobs));
      if (outcome.ok) {
        for (const [at, value] of outcome.value.entries()) jobs[at]?.settle(ok(value));
        return outcome.value.length;
      }
      if (jobs.length > 1) return this.#alone(first);
      first.settle(outcome);
    } catch (error) {
      if (jobs.length > 1) return this.#alone(first);
      first.reject(error);
    }
    return 1;
  }

  #alone(job: Job): Promise<number> {
    return this.#together([job]);
  }

  #write<T>(first: Job, unit: () => Unit<T>): Promise<Result<T, Fault>> {
    this.transactions++;
    const limitMs = Math.max(0, first.end - this.#clock.monotonic());
    return this.#rows.write(unit, { clock: this.#clock, limitMs, holds: true });
  }
}

function* all(jobs: readonly Job[]): Unit<unknown[]> {
  const values: unknown[] = [];
  const start = performance.now();
  for (const { unit } of jobs) {
    if (values.length > 0 && performance.now() - start > LONGEST_MS) break;
    values.push(yield* unit());
  }
  return values;
}

function* nothing(): Unit<void> {}
