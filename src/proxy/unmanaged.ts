// Requests that pass unmanaged are counted and recorded, many at a time: a write for each would cost more than the request itself.
import type { Clock } from "../base/clock.ts";
import type { RequestRecord } from "./contract.ts";
import type { ServicesDoor } from "./services.ts";
import { recordPassed } from "./store/records.ts";
import { countUnmanaged } from "./store/totals.ts";

const GATHER_MS = 50;
/** In a flood only so many of a write are recorded; all are counted. */
const MOST_RECORDS = 50;

export class UnmanagedCounts {
  readonly #door: ServicesDoor;
  readonly #clock: Clock;
  #waiting = new Map<string, number>();
  #records: RequestRecord[] = [];
  #writing: Promise<void> | undefined;

  constructor(door: ServicesDoor, clock: Clock) {
    this.#door = door;
    this.#clock = clock;
  }

  /** Resolves when it is stored, or cannot be. Without a record it is only counted. */
  add(reason: string, record: RequestRecord | undefined): Promise<void> {
    this.#waiting.set(reason, (this.#waiting.get(reason) ?? 0) + 1);
    if (record && this.#records.length < MOST_RECORDS) this.#records.push(record);
    this.#writing ??= this.#write();
    return this.#writing;
  }

  async #write(): Promise<void> {
    await this.#clock.sleep(GATHER_MS);
    const counts = this.#waiting;
    const records = this.#records;
    this.#waiting = new Map();
    this.#records = [];
    this.#writing = undefined;
    const services = await this.#door.get();
    if (!services.ok) return;
    await countUnmanaged(services.value.store, counts);
    if (records.length > 0) await recordPassed(services.value.store, records);
  }
}
