// The storing thread as the main thread sees it: asked with plain values, started when first asked, replaced when it ends or hangs.
import { Worker } from "node:worker_threads";
import { within } from "../../base/abort.ts";
import { errorText } from "../../base/failure.ts";
import { fail, type Result } from "../../base/result.ts";
import type { ItemStorage } from "../../proxy/remember/storage.ts";
import { type Fault, faultAt } from "../../store/fault.ts";
import { suspect } from "../../store/rebuild/suspect.ts";
import type { WriteTurn } from "../../store/write-turn.ts";
import type { AcceptNewTurns } from "./graph-feed.ts";
import type { StorageAsk, StorageData, StorageJobs, StorageReply } from "./storage-thread.ts";

type ThreadOptions = Omit<StorageData, "turn" | "endedThreads"> & {
  /** The main thread's side of it. */
  turn: WriteTurn;
  onTrouble(part: "log" | "graph" | "index", message: string): void;
  hungMs?: number;
  cutMs?: number;
};
type Waiting = { resolve(value: unknown): void; reject(error: Error): void };
type Running = { worker: Worker; waiting: Map<number, Waiting> };

/** V8 would let short-lived objects take more than 100 MB, for nothing. */
const resourceLimits = { maxYoungGenerationSizeMb: 6 };
/** One job is one transaction and what it takes to prepare it; the largest item takes seconds. */
const HUNG_MS = 120_000;
/** A request waits so long for what its cut needs; then it goes on without a new one. */
const CUT_MS = 20_000;
const CLOSE_MS = 5000;
/** After its end a thread gets so much rest before the next reads what it had in hand. */
const REST_MS = 250;

export class StorageThread implements ItemStorage {
  readonly #options: ThreadOptions;
  #running: Promise<Running> | undefined;
  readonly #endedThreads: number[] = [];
  #count = 0;
  #rows = 0;
  #isClosed = false;
  #isWoken = false;
  #waking: Promise<void> | undefined;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** About how many rows it has changed. */
  get rows(): number {
    return this.#rows;
  }

  store: ItemStorage["store"] = async (items, when) => {
    const storing = this.#ask<Result<number[], Fault>>("store", items, when);
    const stored = await (when === "now" ? this.#forCut(storing) : storing);
    this.#rows += items.length * ROWS_AN_ITEM;
    return stored;
  };
  drop: ItemStorage["drop"] = (...args) => this.#forCut(this.#ask("drop", ...args));
  anchor: ItemStorage["anchor"] = (...args) => this.#forCut(this.#ask("anchor", ...args));
  flush: ItemStorage["flush"] = async (sessions) => {
    const faults = await this.#ask<Awaited<ReturnType<ItemStorage["flush"]>> | Result<never, Fault>>("flush", sessions);
    if (Array.isArray(faults)) return faults;
    const [session] = sessions;
    return faults.ok || !session ? [] : [{ session, fault: faults.error }];
  };

  /** The reader of the graph's episodes, which works there too. */
  readonly ingest = {
    wake: (): void => {
      this.#isWoken = true;
      this.#waking ??= this.#wakeGraph();
    },
    idle: async (limitMs: number): Promise<boolean> => (await this.#ask<unknown>("idleGraph", limitMs)) === true,
    close: async (limitMs: number): Promise<void> => void (await this.#ask("closeGraph", limitMs)),
  };

  /** Many may write at the same time: one call is under way, and one more after it for those who came meanwhile. */
  async #wakeGraph(): Promise<void> {
    while (this.#isWoken) {
      this.#isWoken = false;
      await this.#ask("wakeGraph");
    }
    this.#waking = undefined;
  }

  feedGraph: AcceptNewTurns = (...args) => this.#ask("feedGraph", ...args);

  checkpoint(): void {
    if (this.#running) void this.#ask("checkpoint");
  }

  /** Ends the thread at once: what it had in hand fails, and the next job starts another. */
  async end(): Promise<void> {
    await (await this.#running)?.worker.terminate();
  }

  async close(): Promise<void> {
    if (this.#running) await within(this.#ask("close"), CLOSE_MS);
    this.#isClosed = true;
    await this.end();
  }

  /** The job itself goes on: what it does helps the next cut. */
  async #forCut<T>(job: Promise<T>): Promise<T | Result<never, Fault>> {
    const { store, cutMs = CUT_MS } = this.#options;
    const answer = await within(job, cutMs);
    return answer.type === "value"
      ? answer.value
      : fail(faultAt("store_busy", store, "the storing thread is too busy"));
  }

  /** Never rejects: a thread that ended is a store that failed for now. */
  async #ask<T>(job: keyof StorageJobs, ...args: readonly unknown[]): Promise<T | Result<never, Fault>> {
    const { store, hungMs = HUNG_MS } = this.#options;
    try {
      if (this.#isClosed) throw new Error("it was closed");
      this.#running ??= this.#start();
      const { worker, waiting } = await this.#running;
      const id = ++this.#count;
      const answer = new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject }));
      worker.postMessage({ id, job, args } satisfies StorageAsk);
      const reply = await within(answer, hungMs);
      if (reply.type === "value") return reply.value as T;
      waiting.delete(id);
      await worker.terminate();
      throw new Error("it did not answer");
    } catch (error) {
      return fail(faultAt("store_io", store, `the storing thread failed: ${errorText(error)}`));
    }
  }

  async #start(): Promise<Running> {
    const { threadUrl } = await import("./storage-thread.ts");
    const { turn, onTrouble, hungMs: _hung, cutMs: _cut, ...data } = this.#options;
    const everlongStorage: StorageData = { ...data, endedThreads: [...this.#endedThreads], turn: turn.memory };
    const worker = new Worker(new URL(threadUrl), {
      ...{ workerData: { everlongStorage }, execArgv: ["--no-warnings"], resourceLimits },
    });
    const { threadId } = worker; // it has none after its end
    const waiting: Running["waiting"] = new Map();
    let why = new Error("it has ended");
    worker.unref();
    worker.on("message", (reply: StorageReply) => {
      if (reply.type === "suspect") return suspect(data.store);
      if (reply.type === "trouble") return onTrouble(reply.part, reply.message);
      const job = waiting.get(reply.id);
      waiting.delete(reply.id);
      if (reply.type === "answer") job?.resolve(reply.value);
      else job?.reject(new Error(reply.message));
    });
    worker.on("error", (error) => {
      why = error instanceof Error ? error : new Error(String(error));
    });
    worker.on("exit", () => {
      turn.free();
      this.#running = undefined;
      this.#endedThreads.push(threadId);
      if (data.readsGraph && !this.#isClosed) setTimeout(() => this.ingest.wake(), REST_MS).unref();
      for (const { reject } of waiting.values()) reject(why);
    });
    return { worker, waiting };
  }
}

/** An item and its passages, words and journal. */
const ROWS_AN_ITEM = 8;
