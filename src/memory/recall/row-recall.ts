// Recall over any store of rows: searches and lists where they are asked for, within their time.
import { within } from "../../base/abort.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { RowStore, Unit } from "../../store/unit.ts";
import { type ListAnswer, type ListRequest, listing, type Original, originalOf } from "./list.ts";
import { boundsWithin } from "./rank/candidates.ts";
import { TermCounts } from "./rank/count.ts";
import { type SearchAnswer, type SearchRequest, type SharedSearchParts, searching } from "./search.ts";
import type { Within } from "./store/scope.ts";
import type { SearchFault, SearchLimits } from "./thread/searcher.ts";

type RowRecallOptions = {
  store: RowStore;
  /** The limit of searches that bring none of their own. */
  timeoutMs: number;
  maxPostings?: number;
};

/** The search gets this part of the time; the rest is for the way back. */
const MARGIN = 0.8;

export class RowRecall {
  readonly #options: RowRecallOptions;
  readonly #counts = new TermCounts();
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
    const whole = { budgetMs: timeoutMs * MARGIN, ...request, bounds: boundsWithin(maxPostings, request.bounds) };
    const answer = await this.#read(() => searching(whole, parts), { ...limits, timeoutMs });
    if (!answer.ok && answer.error.code === "timeout")
      return ok({ results: [], more: 0, partial: true, skipped: ["all"] });
    return answer;
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
      counts: this.#counts,
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
