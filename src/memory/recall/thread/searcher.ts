// Searches off the event loop: one thread a store, started when first asked, replaced when it hangs.
import { Worker } from "node:worker_threads";
import { within } from "../../../base/abort.ts";
import { errorText } from "../../../base/failure.ts";
import { fail, ok, type Result } from "../../../base/result.ts";
import type { QueryEmbedder } from "../embed/query-vector.ts";
import { searchWithVector } from "../embed/vector-search.ts";
import type { ListAnswer, ListRequest } from "../list.ts";
import type { SearchAnswer, SearchRequest } from "../search.ts";
import type { RecallStats } from "../stats.ts";
import type { Within } from "../store/scope.ts";
import type { ThreadAnswers, ThreadData, ThreadQuestion, ThreadReply, ThreadRequest } from "./protocol.ts";

type SearcherOptions = {
  /** The database file; it must have the engine's tables. */
  path: string;
  /** The limit of searches that bring none of their own. */
  timeoutMs: number;
  /** The one in force now. */
  embedder?: () => QueryEmbedder | undefined;
  /** Told each time that a question meets a broken index. */
  onDamaged?: (message: string) => void;
};
export type SearchFault = { code: "timeout" | "stopped" | "store_unavailable" | "index_damaged"; message: string };
export type SearchLimits = { timeoutMs?: number; signal?: AbortSignal };

/** A thread that only starts on a busy machine does not hang. */
const STUCK_MS = 1_000;

export class Searcher {
  readonly #options: SearcherOptions;
  #thread: Promise<Thread> | undefined;
  #closed = false;
  #count = 0;

  constructor(options: SearcherOptions) {
    this.#options = options;
  }

  /** Waits until the thread runs, so that its start is not counted as a search's time. */
  async start(limitMs: number, signal?: AbortSignal): Promise<boolean> {
    return (await this.#ask({ type: "start" }, limitMs, signal)).ok;
  }

  /** Ends at its limit with what was ready by then; `partial` says so. */
  async search(request: SearchRequest, limits: SearchLimits = {}): Promise<Result<SearchAnswer, SearchFault>> {
    const timeoutMs = limits.timeoutMs ?? this.#options.timeoutMs;
    const queries = this.#options.embedder?.();
    return searchWithVector({ queries, request, timeoutMs, signal: limits.signal }, async (full, leftMs) => {
      const reply = await this.#answer({ type: "search", request: full }, { ...limits, timeoutMs: leftMs });
      return !reply.ok && reply.error.code === "timeout"
        ? ok({ results: [], more: 0, partial: true, skipped: ["all"] })
        : reply;
    });
  }

  list(request: ListRequest, limits: SearchLimits = {}): Promise<Result<ListAnswer, SearchFault>> {
    return this.#answer({ type: "list", request }, limits);
  }

  stats(limits: SearchLimits = {}): Promise<Result<RecallStats, SearchFault>> {
    return this.#answer({ type: "stats" }, limits);
  }

  /** What searches there will want is read while nobody asks: at once in the order of questions, and nobody is told. */
  readAhead(within: Within): void {
    void this.#ask({ type: "ahead", within }, this.#options.timeoutMs);
  }

  async #answer<Type extends keyof ThreadAnswers>(
    question: ThreadQuestion & { type: Type },
    { timeoutMs = this.#options.timeoutMs, signal }: SearchLimits,
  ): Promise<Result<ThreadAnswers[Type], SearchFault>> {
    const reply = await this.#ask(question, timeoutMs, signal);
    // The thread answers each question with a reply of its own type.
    return reply.ok ? ok((reply.value as ThreadReply & { answer: ThreadAnswers[Type] }).answer) : reply;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await (await this.#thread)?.worker.terminate();
  }

  async #ask(ask: ThreadQuestion, limitMs: number, signal?: AbortSignal): Promise<Result<ThreadReply, SearchFault>> {
    if (this.#closed) return fail({ code: "stopped", message: "the search was closed" });
    const until = Date.now() + limitMs;
    const running = this.#running();
    const started = await within(running, limitMs, signal);
    if (started.type !== "value") return fail(faultOf(started.type, limitMs));
    const { worker, waiting } = started.value;
    const id = ++this.#count;
    const answered = new Promise<ThreadReply>((resolve) => waiting.set(id, resolve));
    worker.postMessage({ ...ask, id, until } satisfies ThreadRequest);
    const reply = await within(answered, Math.max(0, until - Date.now()), signal);
    if (reply.type === "value") {
      if (reply.value.type === "late") return fail(faultOf("timeout", limitMs));
      if (reply.value.type !== "failed") return ok(reply.value);
      const { message, damaged } = reply.value;
      if (damaged) this.#options.onDamaged?.(message);
      return fail({ code: damaged ? "index_damaged" : "store_unavailable", message });
    }
    if (reply.type === "timeout") endIfStuck(id, started.value, limitMs);
    else waiting.delete(id);
    return fail(faultOf(reply.type, limitMs));
  }

  /** The thread at work, or a new one when there is none or the last has ended. */
  #running(): Promise<Thread> {
    if (this.#thread) return this.#thread;
    const begun = startThread(this.#options.path, () => {
      if (this.#thread === begun) this.#thread = undefined;
    });
    this.#thread = begun;
    return begun;
  }
}

const faultOf = (type: "timeout" | "aborted", limitMs: number): SearchFault =>
  type === "timeout"
    ? { code: "timeout", message: `no answer within ${Math.round(limitMs)} ms` }
    : { code: "stopped", message: "the search was stopped" };

/** V8 would let short-lived objects take more than 100 MB, for nothing. */
const resourceLimits = { maxYoungGenerationSizeMb: 6 };

type Thread = { worker: Worker; waiting: Map<number, (reply: ThreadReply) => void> };

/** Whoever waits when it ends is told why. */
async function startThread(path: string, onEnd: () => void): Promise<Thread> {
  const { threadUrl } = await import("./worker.ts");
  const workerData: ThreadData = { everlongRecall: { path } };
  const worker = new Worker(new URL(threadUrl), { workerData, execArgv: ["--no-warnings"], resourceLimits });
  const waiting: Thread["waiting"] = new Map();
  let message = "the searching thread has ended";
  worker.unref();
  worker.on("message", (reply: ThreadReply) => {
    const resolve = waiting.get(reply.id);
    waiting.delete(reply.id);
    resolve?.(reply);
  });
  worker.on("error", (error) => {
    message = errorText(error);
  });
  worker.on("exit", () => {
    onEnd();
    for (const [id, resolve] of waiting) resolve({ id, type: "failed", message });
  });
  return { worker, waiting };
}

/** A thread that has not answered after twice the time hangs in a query: it ends, and the next search starts another. */
function endIfStuck(id: number, { worker, waiting }: Thread, limitMs: number): void {
  const timer = setTimeout(
    () => {
      if (waiting.delete(id)) void worker.terminate();
    },
    Math.max(STUCK_MS, limitMs),
  );
  timer.unref();
}
