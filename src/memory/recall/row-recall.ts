// Recall over any store of rows: searches and lists where they are asked for, within their time.
import { within } from "../../base/abort.ts";
import { errorText } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { RowStore, Unit } from "../../store/unit.ts";
import type { Embedder } from "./embed/contract.ts";
import { QueryEmbedder } from "./embed/query-vector.ts";
import { VectorScan } from "./embed/scan.ts";
import { searchWithVector } from "./embed/vector-search.ts";
import type { VectorFormat } from "./embed/vectors.ts";
import { type ListAnswer, type ListRequest, listing, type Original, originalOf } from "./list.ts";
import { boundsWithin } from "./rank/candidates.ts";
import { TermCounts } from "./rank/count.ts";
import { type SearchAnswer, type SearchRequest, type SharedSearchParts, searching } from "./search.ts";
import { writeNote } from "./store/note.ts";
import type { Within } from "./store/scope.ts";
import type { SearchFault, SearchLimits } from "./thread/searcher.ts";

type RowRecallOptions = {
  store: RowStore;
  /** The limit of searches that bring none of their own. */
  timeoutMs: number;
  maxPostings?: number;
  /** Who makes vectors; without it none are made, and nobody is called. */
  embedder?: Promise<Embedder | undefined>;
  vectorFormat?: VectorFormat;
  onTrouble?: (message: string) => void;
};

/** The search gets this part of the time; the rest is for the way back. */
const MARGIN = 0.8;

export class RowRecall {
  readonly #options: RowRecallOptions;
  readonly #shared = { counts: new TermCounts(), vectors: new VectorScan() };
  readonly #ended = new AbortController();
  #queries: Promise<QueryEmbedder | undefined> | undefined;
  #working: Promise<void> | undefined;
  #parts: Promise<SharedSearchParts> | undefined;

  constructor(options: RowRecallOptions) {
    this.#options = options;
  }

  /** The words of like use are read; nothing else has to be started. */
  async start(): Promise<boolean> {
    await this.#ready();
    return true;
  }

  async search(request: SearchRequest, limits: SearchLimits = {}): Promise<Result<SearchAnswer, SearchFault>> {
    const { maxPostings, timeoutMs: usual } = this.#options;
    const timeoutMs = limits.timeoutMs ?? usual;
    const parts = await this.#ready();
    const bounds = boundsWithin(maxPostings, request.bounds);
    const queries = await this.#questions();
    return searchWithVector({ queries, request, timeoutMs, signal: limits.signal }, async (full, leftMs) => {
      const whole = { budgetMs: leftMs * MARGIN, ...full, bounds };
      const answer = await this.#read(() => searching(whole, parts), { ...limits, timeoutMs: leftMs });
      if (!answer.ok && answer.error.code === "timeout")
        return ok({ results: [], more: 0, partial: true, skipped: ["all"] });
      return answer;
    });
  }

  /** Passages that wait get their vectors, in the background; a call while that goes on changes nothing. */
  embedSoon(): void {
    if (!this.#options.embedder || this.#ended.signal.aborted) return;
    this.#working ??= this.#embed()
      .catch((error: unknown) => this.#options.onTrouble?.(errorText(error)))
      .finally(() => {
        this.#working = undefined;
      });
  }

  /** Ends the background work. */
  async close(): Promise<void> {
    this.#ended.abort();
    await this.#working;
  }

  async #embed(): Promise<void> {
    const { store, vectorFormat, onTrouble } = this.#options;
    const embedder = await this.#options.embedder;
    if (!embedder) return;
    const { embedWaiting, lineUp } = await import("./embed/queue.ts");
    const { signal } = this.#ended;
    // From here on whoever adds a passage puts it in line.
    const noted = await store.write(() => writeNote("embedder", embedder.id), { holds: true });
    const lined = noted.ok ? await lineUp(store, embedder.id, signal) : noted;
    if (!lined.ok) return onTrouble?.(lined.error.what);
    const passOn = ({ message }: { message: string }) => onTrouble?.(message);
    await embedWaiting(store, { embedder, ...optional("format", vectorFormat), onTrouble: passOn }, signal);
  }

  #questions(): Promise<QueryEmbedder | undefined> | undefined {
    this.#queries ??= this.#options.embedder?.then((embedder) => embedder && new QueryEmbedder(embedder));
    return this.#queries;
  }

  list(request: ListRequest, limits: SearchLimits = {}): Promise<Result<ListAnswer, SearchFault>> {
    return this.#read(() => listing(request), limits);
  }

  item(scope: Within, id: string, limits: SearchLimits = {}): Promise<Result<Original | undefined, SearchFault>> {
    return this.#read(() => originalOf(scope, id), limits);
  }

  #ready(): Promise<SharedSearchParts> {
    this.#parts ??= import("./text/related-words.ts").then(({ relatedWords }) => ({
      relatedTo: relatedWords,
      ...this.#shared,
    }));
    return this.#parts;
  }

  async #read<T>(unit: () => Unit<T>, { timeoutMs, signal }: SearchLimits): Promise<Result<T, SearchFault>> {
    const limitMs = timeoutMs ?? this.#options.timeoutMs;
    const read = await within(this.#options.store.read(unit, optional("signal", signal)), limitMs, signal);
    if (read.type === "timeout")
      return fail({ code: "timeout", message: `no answer within ${Math.round(limitMs)} ms` });
    if (read.type === "aborted") return fail({ code: "stopped", message: "the search was stopped" });
    return read.value.ok ? read.value : fail({ code: "store_unavailable", message: read.value.error.what });
  }
}
