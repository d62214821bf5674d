// How an import keeps out of the way of who else writes to the store, such as a gateway: small steps and long pauses meanwhile.
import { type Clock, systemClock } from "../../base/clock.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import type { Database } from "../../store/sqlite.ts";

type Batch = { events: number; chars: number };

/** Words are written in fewer and larger pieces when nobody waits for the store. */
const ALONE: Batch = { events: 4000, chars: 4 * 1024 * 1024 };
const BESIDE: Batch = { events: 20, chars: 32 * 1024 };
/** Somebody who wrote will write again: for so long they are not kept waiting. */
const REMEMBERED_MS = 60_000;
/** The import has the store for one part in so many of the time. */
const SHARE = 20;
const LONGEST_PAUSE_MS = 1000;

export class ImportCourtesy {
  readonly #db: Database | undefined;
  readonly #signal: AbortSignal;
  readonly #clock: Clock;
  #version: unknown;
  #until = Number.NEGATIVE_INFINITY;

  constructor(db: Database | undefined, signal: AbortSignal, clock = systemClock) {
    this.#db = db;
    this.#signal = signal;
    this.#clock = clock;
    this.#version = this.#versionNow();
  }

  /** What one transaction may have. */
  get batch(): Batch {
    return this.#clock.monotonic() < this.#until ? BESIDE : ALONE;
  }

  /** Runs a transaction; then others have their turn, if there are any. */
  async after<T>(work: () => Promise<T>): Promise<T> {
    const start = this.#clock.monotonic();
    const outcome = await work();
    const end = this.#clock.monotonic();
    const version = this.#versionNow();
    if (version !== this.#version) this.#until = end + REMEMBERED_MS;
    this.#version = version;
    if (end < this.#until)
      await this.#clock.sleep(Math.min(LONGEST_PAUSE_MS, (SHARE - 1) * (end - start)), this.#signal);
    return outcome;
  }

  /** It changes with what other connections commit, and with nothing of ours. */
  #versionNow(): unknown {
    return this.#db && prepared(this.#db, "PRAGMA data_version").get()?.["data_version"];
  }
}
