// The temporal graph as a process uses it: what comes in is filtered and read in the background, facts are searched.
import type { Clock } from "../../base/clock.ts";
import { systemClock } from "../../base/clock.ts";
import { optional } from "../../base/optional.ts";
import type { Result } from "../../base/result.ts";
import type { Instant } from "../../schema/graph.ts";
import type { Fault } from "../../store/fault.ts";
import type { SecretFilter } from "../secret/filter.ts";
import type { AcceptOutcome, AcceptRequest, GraphStore } from "./contract.ts";
import { type Extractor, GraphIngest, type GraphTrouble } from "./ingest.ts";
import { type FactSearch, type RecallSearch, searchFacts } from "./search.ts";
import { instantAt } from "./time.ts";

type GraphOptions<F> = {
  store: GraphStore;
  /** Absent: text is kept and nobody looks for facts in it. */
  extractor?: Extractor;
  /** Who has the episodes read, where that is done elsewhere; without it the extractor reads them here. */
  ingest?: EpisodeReader;
  redact: SecretFilter;
  search: RecallSearch<F>;
  clock?: Clock;
  onTrouble?: (trouble: GraphTrouble) => void;
};

export type EpisodeReader = Pick<GraphIngest, "wake" | "idle" | "close"> & Partial<Pick<GraphIngest, "heard">>;

export class TemporalGraph<F = Fault> {
  readonly store: GraphStore;
  readonly #options: GraphOptions<F>;
  readonly #clock: Clock;
  readonly #ingest: EpisodeReader | undefined;
  readonly #readsLate: boolean;

  constructor(options: GraphOptions<F>) {
    const { store, extractor, clock = systemClock, onTrouble } = options;
    this.store = store;
    this.#options = options;
    this.#clock = clock;
    const here = extractor && new GraphIngest({ store, extractor, clock, ...optional("onTrouble", onTrouble) });
    this.#ingest = options.ingest ?? here;
    this.#readsLate = this.#ingest === undefined || (options.ingest === undefined && extractor?.fillMs !== undefined);
  }

  now(): Instant {
    return instantAt(Date.parse(this.#clock.now()));
  }

  /** Durable when it returns; its facts follow in the background. */
  async accept(request: Omit<AcceptRequest, "now">): Promise<Result<AcceptOutcome, Fault>> {
    const { redact } = this.#options;
    const episodes = request.episodes.map((episode) => ({
      ...episode,
      text: redact(episode.text),
      name: redact(episode.name),
      sourceDescription: redact(episode.sourceDescription ?? ""),
    }));
    const outcome = await this.store.accept({ ...request, episodes, readLate: this.#readsLate, now: this.now() });
    if (outcome.ok) this.wake();
    return outcome;
  }

  search(request: Omit<FactSearch, "now">): ReturnType<typeof searchFacts<F>> {
    return searchFacts(this.#options.search, this.store, { ...request, now: this.now() });
  }

  /** Episodes may wait that another process left behind. */
  wake(): void {
    this.#ingest?.wake();
  }

  /** Somebody looks, or will not any more. */
  async heard(): Promise<void> {
    await this.#ingest?.heard?.();
  }

  /** True: every episode that waited has been read. */
  idle(limitMs: number, signal?: AbortSignal): Promise<boolean> {
    return this.#ingest?.idle(limitMs, signal) ?? Promise.resolve(true);
  }

  async close(limitMs: number): Promise<void> {
    await this.#ingest?.close(limitMs);
  }
}
