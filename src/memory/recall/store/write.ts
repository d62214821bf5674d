// Items into the index and out of it for those who have the embedded store in their hand, inside their transaction.
import { runUnit } from "../../../store/embedded-store.ts";
import type { Database } from "../../../store/sqlite.ts";
import type { TermTable } from "../../../store/term-step.ts";
import type { Item } from "../item.ts";
import {
  addItems,
  analyseItems,
  type IndexWriteOptions,
  markRewound,
  removeItems,
  removeSession,
  type SessionPlace,
} from "./change.ts";

/** The units of `change.ts`, performed at once. */
export class RecallWriter {
  readonly #db: Database;
  readonly #options: IndexWriteOptions;

  constructor(db: Database, options: IndexWriteOptions = {}) {
    this.#db = db;
    this.#options = options;
  }

  add(items: Iterable<Item>): number {
    return runUnit(this.#db, addItems([...items], this.#options));
  }

  remove(ids: Iterable<string>): number {
    return runUnit(this.#db, removeItems([...ids]));
  }

  removeSession(place: SessionPlace, most?: number): number {
    return runUnit(this.#db, removeSession(place, most));
  }

  markRewound(place: SessionPlace, fromTurn: number): void {
    runUnit(this.#db, markRewound(place, fromTurn));
  }

  analyse(table: TermTable, after: number, count: number): number | undefined {
    return runUnit(this.#db, analyseItems(table, after, count));
  }
}
