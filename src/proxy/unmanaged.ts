// Requests that pass unmanaged are counted, many at a time: a write for each would cost more than the request itself.
import type { Clock } from "../base/clock.ts";
import type { ServicesDoor } from "./services.ts";
import { countUnmanaged } from "./store/totals.ts";

const GATHER_MS = 50;

export class UnmanagedCounts {
  readonly #door: ServicesDoor;
  readonly #clock: Clock;
  #waiting = new Map<string, number>();
  #writing: Promise<void> | undefined;

  constructor(door: ServicesDoor, clock: Clock) {
    this.#door = door;
    this.#clock = clock;
  }

  /** Resolves when it is stored, or cannot be. */
  add(reason: string): Promise<void> {
    this.#waiting.set(reason, (this.#waiting.get(reason) ?? 0) + 1);
    this.#writing ??= this.#write();
    return this.#writing;
  }

  async #write(): Promise<void> {
    await this.#clock.sleep(GATHER_MS);
    const counts = this.#waiting;
    this.#waiting = new Map();
    this.#writing = undefined;
    const services = await this.#door.get();
    if (services.ok) await countUnmanaged(services.value.store, counts);
  }
}
