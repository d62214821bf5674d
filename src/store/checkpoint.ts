// Checkpoints off the event loop: moving the log into the database waits for the disk, and every request would wait with it.
import { Worker } from "node:worker_threads";
import type { Database } from "./sqlite.ts";

const LOOK_MS = 1000;
/** A page is moved once, however often it was written: seldom is cheaper. */
const CHANGED_ROWS = 400;
/** Pages at which a commit does it after all: with their frames, and what the last commit brought, the log has at most 64 MiB. */
export const MOST_LOG_PAGES = 15_000;

type WritingThread = { readonly rows: number; checkpoint(): void };

/** For a process that lives long and writes much. Must be closed before the database. */
export class Checkpointer {
  readonly #db: Database;
  readonly #timer: NodeJS.Timeout;
  #thread: Promise<Worker> | undefined;
  #changed = 0;
  readonly #elsewhere: WritingThread | undefined;

  /** `elsewhere`: a thread that writes, too, and makes the checkpoints; it says how many rows it has changed. */
  constructor(db: Database, options: { lookMs?: number; elsewhere?: WritingThread } = {}) {
    this.#db = db;
    this.#elsewhere = options.elsewhere;
    db.exec(`PRAGMA wal_autocheckpoint = ${MOST_LOG_PAGES}`);
    this.#timer = setInterval(() => this.#look(), options.lookMs ?? LOOK_MS);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await (await this.#thread)?.terminate();
  }

  #look(): void {
    const own = Number(this.#db.prepare("SELECT total_changes() AS rows").get()?.["rows"]);
    const changed = own + (this.#elsewhere?.rows ?? 0);
    if (changed - this.#changed < CHANGED_ROWS) return;
    this.#changed = changed;
    if (this.#elsewhere) return this.#elsewhere.checkpoint();
    this.#thread ??= this.#start();
    void this.#thread.then((thread) => thread.postMessage("now"));
  }

  async #start(): Promise<Worker> {
    const { threadUrl } = await import("./checkpoint-thread.ts");
    const workerData = { everlongCheckpoint: { path: this.#db.location() } };
    const thread = new Worker(new URL(threadUrl), { workerData, execArgv: ["--no-warnings"] });
    thread.unref();
    // Another is started when there is more to move.
    thread
      .once("error", () => undefined)
      .once("exit", () => {
        this.#thread = undefined;
      });
    return thread;
  }
}
