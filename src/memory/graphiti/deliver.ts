// Delivery: the outbox of one folder goes to its Graphiti server, in the background and never faster than the server can bear.
import { within } from "../../base/abort.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import { newWorkerName } from "../../host/worker-name.ts";
import { type Database, write } from "../../store/sqlite.ts";
import type { GraphitiClient } from "./client.ts";
import { confirm, LOOK_MS } from "./confirm.ts";
import { backoffMs, changeHealth, endLease, lookMs, readHealth, restMs, takeLease } from "./health.ts";
import { type OutboxPlace, purgeRows, readRows } from "./queue.ts";
import { nextBatch, type SendFailure, type SendLimits, sendBatch } from "./send.ts";

export type DeliveryNotice = {
  code: "graphiti_unavailable" | "graphiti_stalled" | "graphiti_recovered";
  message: string;
};
type DeliveryOptions = {
  db: Database;
  place: OutboxPlace;
  client: GraphitiClient;
  /** Read for each request. */
  limits: () => SendLimits & { timeoutMs: number };
  /** Asked before anything is sent. */
  mayConnect: () => Promise<boolean>;
  clock?: Clock;
  onNotice?: (notice: DeliveryNotice) => void;
};

const GATHER_MS = 250;
const OTHERS_MS = 1000;
const LEASE_EXTRA_MS = 10_000;
const LEASE_END_MS = 1000;

export class OutboxDelivery {
  readonly #options: DeliveryOptions;
  readonly #clock: Clock;
  readonly #worker = newWorkerName("graphiti");
  readonly #ended = new AbortController();
  readonly #hurry = new AbortController();
  #running: Promise<void> | undefined;
  #nudge = new AbortController();

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Messages may wait; they go together with what comes in the next moment. Returns at once. */
  wake(): void {
    this.#nudge.abort();
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Sends what can be sent now, at most for so long; the rest waits in the store. */
  async close(limitMs: number): Promise<void> {
    const end = this.#clock.monotonic() + limitMs;
    const idle = () => (this.#running ? within(this.#running, end - this.#clock.monotonic()) : undefined);
    const { db, place } = this.#options;
    this.#hurry.abort();
    await idle();
    // Some may have come while the last round ran.
    if (!this.#running && readRows(db, { ...place, states: ["queued", "sending"] }, 1).length > 0) this.wake();
    await idle();
    this.#ended.abort();
    if (this.#running) await within(this.#running, LEASE_END_MS);
  }

  async #run(): Promise<void> {
    const stop = AbortSignal.any([this.#hurry.signal, this.#ended.signal]);
    do {
      this.#nudge = new AbortController();
      await this.#clock.sleep(GATHER_MS, stop);
      const waitMs = await this.round();
      if (waitMs !== undefined) await this.#clock.sleep(waitMs, AbortSignal.any([stop, this.#nudge.signal]));
      else if (!this.#nudge.signal.aborted) return;
      // In a hurry only what can go at once does.
    } while (!stop.aborted);
  }

  /** Does what is due. Gives when there is more to do, or undefined when nothing waits. */
  async round(): Promise<number | undefined> {
    const { db, place, mayConnect } = this.#options;
    if (!(await mayConnect())) return undefined;
    const isOurs = await this.#lease();
    if (!isOurs) return OTHERS_MS;
    try {
      const health = readHealth(db, place.endpoint);
      const isStalled = health.stalledAt > 0;
      const rest = restMs(health, this.#now());
      if (!isStalled && rest > 0) return rest;
      if (!isStalled) {
        const failure = await this.#sendAll();
        if (failure) return this.#backOff(failure);
      }
      return await this.#confirm();
    } finally {
      await write(db, () => endLease(db, place.endpoint, this.#worker));
    }
  }

  async #sendAll(): Promise<SendFailure | undefined> {
    const { db, place, client, limits } = this.#options;
    while (!this.#ended.signal.aborted) {
      const { timeoutMs: _, ...sendLimits } = limits();
      const batch = nextBatch(db, place, sendLimits.maxBatchSize);
      if (batch.length === 0) return undefined;
      if (!(await this.#lease())) return undefined;
      const parts = { db, client, now: () => this.#clock.now() };
      const outcome = await sendBatch(parts, batch, sendLimits, this.#ended.signal);
      if (!outcome.ok) return outcome.error;
      const { failures } = readHealth(db, place.endpoint);
      if (failures > 0)
        await write(db, () => changeHealth(db, place.endpoint, { failures: 0, retryAt: 0, error: null }));
    }
    return undefined;
  }

  async #backOff({ type, message, retryAfterMs }: SendFailure): Promise<number | undefined> {
    const { db, place, onNotice } = this.#options;
    if (type !== "unavailable") return undefined;
    const failures = readHealth(db, place.endpoint).failures + 1;
    const waitMs = Math.max(backoffMs(failures), retryAfterMs ?? 0);
    await write(db, () => {
      changeHealth(db, place.endpoint, { failures, retryAt: this.#now() + waitMs, error: message });
      purgeRows(db, place, this.#now());
    });
    if (failures === 1)
      onNotice?.({
        code: "graphiti_unavailable",
        message: `The Graphiti server at ${place.endpoint} cannot be reached: ${message} Messages wait and are sent later.`,
      });
    return waitMs;
  }

  async #confirm(): Promise<number | undefined> {
    const { db, place, client, onNotice } = this.#options;
    const oldest = () => readRows(db, { ...place, states: ["accepted"] }, 1)[0];
    const row = oldest();
    if (!row) return undefined;
    const { lookAt, stalledAt } = readHealth(db, place.endpoint);
    const takenAt = row.sentAt === undefined ? 0 : Date.parse(row.sentAt);
    const dueMs = lookMs(Math.max(lookAt, stalledAt > 0 ? 0 : takenAt + LOOK_MS), this.#now());
    if (dueMs > 0) return dueMs;
    const outcome = await confirm({ db, place, client, now: this.#now }, this.#ended.signal);
    if (!outcome.ok) return LOOK_MS;
    await write(db, () => purgeRows(db, place, this.#now()));
    if (outcome.value === "stalled")
      onNotice?.({
        code: "graphiti_stalled",
        message: `The Graphiti server at ${place.endpoint} accepts messages but does not store them; restart it. Messages wait and are sent again.`,
      });
    if (outcome.value === "recovered") {
      onNotice?.({
        code: "graphiti_recovered",
        message: `The Graphiti server at ${place.endpoint} stores messages again; what it lost is sent again.`,
      });
      return 0;
    }
    return oldest() ? lookMs(readHealth(db, place.endpoint).lookAt, this.#now()) : undefined;
  }

  async #lease(): Promise<boolean> {
    const { db, place, limits } = this.#options;
    const until = this.#now() + limits().timeoutMs * 2 + LEASE_EXTRA_MS;
    const taken = await write(db, () => takeLease(db, place.endpoint, this.#worker, this.#now(), until));
    return taken.ok && taken.value;
  }

  #now = (): number => Date.parse(this.#clock.now());
}
