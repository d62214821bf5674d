// The worker of the graph: takes waiting episodes group by group, has them read, and settles what they say.
import { within } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { systemClock } from "../../base/clock.ts";
import { errorText } from "../../base/failure.ts";
import { ok, type Result } from "../../base/result.ts";
import { newWorkerName } from "../../host/worker-name.ts";
import type { Episode, GraphFactOrigin, Instant } from "../../schema/graph.ts";
import type { Fault } from "../../store/fault.ts";
import type { GraphStore } from "./contract.ts";
import type { Extraction } from "./extract/draft.ts";
import { instantAt } from "./time.ts";

/** Reads the episodes of one group, in order, and says for each what it means; what it throws is a failed attempt. */
export type Extractor = {
  origin: GraphFactOrigin;
  /** How many episodes it reads at a time. */
  batch: number;
  /** How long it waits for a batch to fill. */
  fillMs?: number;
  extract(episodes: readonly Episode[], signal: AbortSignal): Promise<Extraction[]>;
};
/** What went wrong with an episode, or with the store. */
export type GraphTrouble = { episode?: string; message: string };
type IngestOptions = {
  store: GraphStore;
  extractor: Extractor;
  clock?: Clock;
  /** How long others leave alone what this worker has taken. */
  leaseMs?: number;
  /** The worker goes on. */
  onTrouble?: (trouble: GraphTrouble) => void;
};

const LEASE_MS = 300_000;
const GROUPS_AT_ONCE = 4;

export class GraphIngest {
  readonly #options: Required<Omit<IngestOptions, "onTrouble">> & IngestOptions;
  readonly #worker = newWorkerName("graph");
  readonly #ended = new AbortController();
  /** No more is to come: batches are read as they are. */
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;
  #wasWoken = false;
  #heard: PromiseWithResolvers<void> | undefined;

  constructor(options: IngestOptions) {
    this.#options = { clock: systemClock, leaseMs: LEASE_MS, ...options };
  }

  /** Something may wait; returns at once. */
  wake(): void {
    this.#wasWoken = true;
    this.#heard ??= Promise.withResolvers<void>();
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#wasWoken && !this.#ended.signal.aborted) this.wake();
    });
  }

  /** A look at what waits begins after the last call: until then another one says nothing new. */
  heard(): Promise<void> {
    return this.#heard?.promise ?? Promise.resolve();
  }

  /** Nothing waits, or the limit has passed. */
  async idle(limitMs: number, signal?: AbortSignal): Promise<boolean> {
    const running = this.#running;
    if (!running) return true;
    return (await within(running, limitMs, signal)).type === "value";
  }

  /** Ends after the episodes in hand, at most after the limit; what is left waits in the store. */
  async close(limitMs: number): Promise<void> {
    this.#closing.abort();
    if (!(await this.idle(limitMs))) this.#ended.abort();
    await this.idle(limitMs);
    this.#ended.abort();
    this.#hear();
  }

  #hear(): void {
    this.#heard?.resolve();
    this.#heard = undefined;
  }

  async #run(): Promise<void> {
    while (this.#wasWoken && !this.#ended.signal.aborted) {
      const { extractor, clock } = this.#options;
      if (extractor.fillMs !== undefined) await clock.sleep(extractor.fillMs, this.#closing.signal);
      this.#wasWoken = false;
      this.#hear();
      await Promise.all(Array.from({ length: GROUPS_AT_ONCE }, () => this.#lane()));
    }
  }

  /** Takes one group's episodes after the other's until none wait. */
  async #lane(): Promise<void> {
    const { store, extractor } = this.#options;
    while (!this.#ended.signal.aborted) {
      const claimed = await store.claim({
        worker: this.#worker,
        size: extractor.batch,
        now: this.#now(),
        leaseUntil: this.#now(this.#options.leaseMs),
      });
      if (!claimed.ok) return this.#trouble(claimed.error);
      if (!claimed.value) return;
      const isStored = await this.#read(claimed.value);
      if (!isStored.ok) return this.#trouble(isStored.error);
    }
  }

  /** What cannot be read together is read one by one, so that one bad episode parks alone. */
  async #read(episodes: readonly Episode[]): Promise<Result<unknown, Fault>> {
    const { store, extractor } = this.#options;
    try {
      const extractions = await extractor.extract(episodes, this.#ended.signal);
      const nothing = { entities: [], facts: [], endings: [] };
      const readings = episodes.map(({ uuid }, i) => ({ uuid, extraction: extractions[i] ?? nothing }));
      const { origin } = extractor;
      return await store.settle({ episodes: readings, origin, worker: this.#worker, now: this.#now() });
    } catch (error) {
      // Nobody failed: another process takes them up when their lease has run out.
      if (this.#ended.signal.aborted) return ok(undefined);
      if (episodes.length === 1) return this.#giveBack(episodes, error);
    }
    for (const episode of episodes) {
      const outcome = await this.#read([episode]);
      if (!outcome.ok) return outcome;
    }
    return ok(undefined);
  }

  async #giveBack(episodes: readonly Episode[], error: unknown): Promise<Result<unknown, Fault>> {
    const { store, onTrouble } = this.#options;
    for (const { uuid: episode } of episodes) {
      onTrouble?.({ episode, message: errorText(error) });
      const returned = await store.giveBack({
        episode,
        error: errorText(error),
        worker: this.#worker,
        now: this.#now(),
      });
      if (!returned.ok) return returned;
    }
    return ok(undefined);
  }

  #trouble(fault: Fault): void {
    this.#options.onTrouble?.({ message: fault.what });
  }

  #now = (ahead = 0): Instant => instantAt(Date.parse(this.#options.clock.now()) + ahead);
}
