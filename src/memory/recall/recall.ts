// The engine as a process uses it: searches in a thread, vectors made in the background, one choice of embedder.
import { within } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { errorText } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import type { Result } from "../../base/result.ts";
import { embeddedStore } from "../../store/embedded-store.ts";
import { type Database, write } from "../../store/sqlite.ts";
import type { EmbedderSettings } from "./embed/choose.ts";
import type { Embedder } from "./embed/contract.ts";
import { QueryEmbedder } from "./embed/query-vector.ts";
import type { VectorFormat } from "./embed/vectors.ts";
import type { ListAnswer, ListRequest } from "./list.ts";
import { boundsWithin } from "./rank/candidates.ts";
import type { SearchAnswer, SearchRequest } from "./search.ts";
import type { RecallStats } from "./stats.ts";
import { keepsVectors, noteOf, setNote } from "./store/note.ts";
import type { Within } from "./store/scope.ts";
import { RecallWriter } from "./store/write.ts";
import { Searcher, type SearchFault, type SearchLimits } from "./thread/searcher.ts";

type RecallOptions = {
  /** The open, migrated store of this process; vectors are written through it. */
  db: Database;
  /** Its file: the searching thread reads it. */
  path: string;
  /** The limit of searches that bring none of their own. */
  timeoutMs: number;
  maxPostings?: number;
  /** Without it no vectors are made, and nobody is called. */
  semantic?: EmbedderSettings;
  vectorFormat?: VectorFormat;
  clock?: Clock;
  onTrouble?: (trouble: { code: string; message: string }) => void;
  /** Told each time that a search meets a broken index. */
  onDamaged?: (message: string) => void;
};

/** A choice that is kept is there at once; a search waits no longer for a new one, which has no vectors yet anyway. */
const CHOICE_MS = 50;
const FIRST_VECTOR_MS = 1000;
const EVERYTHING = { text: "first question", within: { everyone: true, scopes: [{ type: "all" }] } } as const;

export class Recall {
  readonly #options: RecallOptions;
  readonly #searcher: Searcher;
  readonly #ended = new AbortController();
  #embedder: Promise<Embedder | undefined> | undefined;
  #queries: QueryEmbedder | undefined;
  #working: Promise<void> | undefined;
  #analysing: Promise<void> | undefined;

  constructor(options: RecallOptions) {
    this.#options = options;
    const { path, timeoutMs, onDamaged } = options;
    const embedder = () => this.#queries;
    this.#searcher = new Searcher({ path, embedder, timeoutMs, ...optional("onDamaged", onDamaged) });
  }

  /** The writer is used inside a transaction on `db`. */
  get writer(): RecallWriter {
    const { db, semantic } = this.#options;
    return new RecallWriter(db, { embed: semantic !== undefined && keepsVectors(db) });
  }

  /** Waits for the thread; false when it does not run by then. */
  start(limitMs: number, signal?: AbortSignal): Promise<boolean> {
    return this.#searcher.start(limitMs, signal);
  }

  /** Makes ready all that the first search would have to wait for: thread, index, embedder. False when it took too long. */
  async warm(limitMs: number): Promise<boolean> {
    const { signal } = this.#ended;
    const [isRunning] = await Promise.all([this.start(limitMs, signal), this.#tryEmbedder(signal)]);
    return isRunning && (await this.#searcher.search(EVERYTHING, { timeoutMs: limitMs, signal })).ok;
  }

  /** Its table is read, or its server loads its model. */
  async #tryEmbedder(signal: AbortSignal): Promise<void> {
    if (!this.#options.semantic) return;
    await within(this.#chosen(), FIRST_VECTOR_MS, signal);
    await this.#queries?.vectorOf(EVERYTHING.text, signal, FIRST_VECTOR_MS);
  }

  /** Never rejects. Ends at its limit with what was ready by then; `partial` says so. */
  async search(request: SearchRequest, limits: SearchLimits = {}): Promise<Result<SearchAnswer, SearchFault>> {
    this.#analyseSoon();
    if (this.#options.semantic) await within(this.#chosen(), CHOICE_MS, limits.signal);
    const { maxPostings } = this.#options;
    return this.#searcher.search({ ...request, bounds: boundsWithin(maxPostings, request.bounds) }, limits);
  }

  /** Searches there are to be expected. */
  readAhead(within: Within): void {
    this.#searcher.readAhead(within);
  }

  list(request: ListRequest, limits: SearchLimits = {}): Promise<Result<ListAnswer, SearchFault>> {
    return this.#searcher.list(request, limits);
  }

  stats(limits: SearchLimits = {}): Promise<Result<RecallStats, SearchFault>> {
    return this.#searcher.stats(limits);
  }

  /** Once a process: what an older analyser made of the texts answers until the present one has read them all. */
  #analyseSoon(): void {
    const { db, onTrouble } = this.#options;
    if (this.#ended.signal.aborted) return;
    this.#analysing ??= import("./store/analyse.ts")
      .then(({ analyseAnew }) => analyseAnew(db, this.#ended.signal))
      .then((outcome) => {
        if (!outcome.ok) onTrouble?.({ code: outcome.error.code, message: outcome.error.what });
      })
      .catch((error: unknown) => onTrouble?.({ code: "failed", message: errorText(error) }));
  }

  /** Passages that wait get their vectors, in the background; a call while that goes on changes nothing. */
  embedSoon(): void {
    if (!this.#options.semantic || this.#ended.signal.aborted) return;
    this.#working ??= this.#embed()
      .catch((error: unknown) => this.#options.onTrouble?.({ code: "failed", message: errorText(error) }))
      .finally(() => {
        this.#working = undefined;
      });
  }

  /** Ends the thread and the background work; the database stays open. */
  async close(): Promise<void> {
    this.#ended.abort();
    await Promise.all([this.#searcher.close(), this.#working, this.#analysing]);
  }

  async #embed(): Promise<void> {
    const { db, vectorFormat, clock, onTrouble } = this.#options;
    const embedder = await this.#chosen();
    if (!embedder) return;
    const { embedWaiting, lineUp } = await import("./embed/queue.ts");
    const { signal } = this.#ended;
    const store = embeddedStore(db);
    const lined = await lineUp(store, embedder.id, signal);
    if (!lined.ok) return onTrouble?.({ code: lined.error.code, message: lined.error.what });
    const options = {
      embedder,
      ...(vectorFormat ? { format: vectorFormat } : {}),
      ...(clock ? { clock } : {}),
      ...(onTrouble ? { onTrouble } : {}),
    };
    await embedWaiting(store, options, signal);
  }

  #chosen(): Promise<Embedder | undefined> {
    this.#embedder ??= this.#choose().catch((error: unknown) => {
      this.#embedder = undefined;
      this.#options.onTrouble?.({ code: "failed", message: errorText(error) });
      return undefined;
    });
    return this.#embedder;
  }

  /** The choice is kept in the store: a stopped server does not change who makes the vectors. */
  async #choose(): Promise<Embedder | undefined> {
    const { db, semantic, clock, onTrouble } = this.#options;
    if (!semantic) return undefined;
    const chosenName = noteOf(db, "embedder");
    if (semantic.embedder === "auto" && chosenName === undefined && !semantic.mayChoose) return undefined;
    const { chooseEmbedder } = await import("./embed/choose.ts");
    const { name, embedder, notes } = await chooseEmbedder(semantic, chosenName);
    // Under auto nobody asked for what is missing.
    if (semantic.embedder !== "auto") for (const message of notes) onTrouble?.({ code: "embedder", message });
    if (embedder && name !== chosenName) {
      const saved = await write(db, () => setNote(db, "embedder", name));
      if (!saved.ok) onTrouble?.({ code: saved.error.code, message: saved.error.what });
    }
    if (embedder) {
      this.#queries = new QueryEmbedder(embedder, clock);
      this.embedSoon();
    }
    return embedder;
  }
}
