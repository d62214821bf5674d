// A broken index heals while the gateway runs: told once, emptied, filled again in the background. No request waits for it.

import { setImmediate as nextRound } from "node:timers/promises";
import { errorText } from "../../base/failure.ts";
import { isDamage } from "../../memory/recall/store/damage.ts";
import { noteOf } from "../../memory/recall/store/note.ts";
import { isFilled } from "../../memory/recall/store/source.ts";
import type { ItemIndexWriter } from "../../proxy/remember/item-index.ts";
import type { Database } from "../../store/sqlite.ts";
import type { Workspace } from "../workspace.ts";
import { fillMissing } from "./fill.ts";
import { emptyIndex, rebuildIndex } from "./rebuild.ts";

type RepairedWorkspace = Pick<Workspace, "paths" | "indexing" | "settings">;
type Tell = (trouble: { code: string; message: string }) => void;

/** A rebuild that did not help is not tried at every request. */
const PAUSE_MS = 60_000;

export class RecallRepair {
  readonly #db: Database;
  readonly #workspace: RepairedWorkspace;
  readonly #tell: Tell;
  readonly #ended = new AbortController();
  #working: Promise<void> | undefined;
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(db: Database, workspace: RepairedWorkspace, tell: Tell) {
    this.#db = db;
    this.#workspace = workspace;
    this.#tell = tell;
  }

  /** A rebuild that an earlier process did not finish goes on. */
  resume(): void {
    try {
      if (noteOf(this.#db, "rebuild") !== undefined) this.#start(() => this.#fill());
      else if (!isFilled(this.#db)) this.#start(() => this.#fillRows());
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.noticed(errorText(error));
    }
  }

  /** Somebody met a broken index. */
  noticed(message: string): void {
    if (this.#working || this.#ended.signal.aborted || performance.now() - this.#lastAt < PAUSE_MS) return;
    this.#lastAt = performance.now();
    this.#tell({ code: "index_damaged", message });
    this.#start(() => this.#rebuild());
  }

  #start(work: () => Promise<void>): void {
    // Whoever noticed it may stand in a transaction.
    this.#working = nextRound()
      .then(work)
      .catch((error: unknown) => this.#tell({ code: "index_damaged", message: errorText(error) }))
      .finally(() => {
        this.#working = undefined;
      });
  }

  /**
   * The same writer, for use inside transactions. What a broken index throws becomes a fault of the store: the item is
   * not stored and stays in its request, and is tried again.
   */
  guard(writer: () => ItemIndexWriter): ItemIndexWriter {
    const guarded = <T>(work: (writer: ItemIndexWriter) => T): T => {
      try {
        return work(writer());
      } catch (error) {
        if (!isDamage(error)) throw error;
        this.noticed(errorText(error));
        throw corruptIndex(error);
      }
    };
    const searchable = this.#workspace.settings.values["recall.enabled"];
    return {
      add: (items) => (searchable ? guarded((w) => w.add(items)) : 0),
      remove: (ids) => guarded((w) => w.remove(ids)),
      removeSession: (place) => guarded((w) => w.removeSession(place)),
    };
  }

  /** Resolves when nothing is rebuilt. */
  async idle(): Promise<void> {
    await this.#working;
  }

  async close(): Promise<void> {
    this.#ended.abort();
    await this.#working;
  }

  async #rebuild(): Promise<void> {
    const emptied = await emptyIndex(this.#db);
    if (emptied.ok) await this.#fill();
    else this.#tell({ code: emptied.error.code, message: emptied.error.what });
  }

  async #fillRows(): Promise<void> {
    const filled = await fillMissing(this.#db, this.#workspace.indexing);
    if (!filled.ok) this.#tell({ code: filled.error.code, message: filled.error.what });
  }

  async #fill(): Promise<void> {
    const skipped = (id: string): void => this.#tell({ code: "log_unreadable", message: `session ${id} was left out` });
    const outcome = await rebuildIndex(this.#db, this.#workspace, skipped, this.#ended.signal);
    if (!outcome.ok) this.#tell({ code: outcome.error.code, message: outcome.error.what });
  }
}

/** What a broken index threw, as SQLite says it of a damaged file: see store/fault.ts. */
export const corruptIndex = (error: unknown): Error =>
  Object.assign(new Error(errorText(error)), { code: "ERR_SQLITE_ERROR", errcode: 11 });
