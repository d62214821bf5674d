// Rows that a transaction changed go into the index together, at its end: between other writes each would cost a flush.
import type { Database } from "../../../store/sqlite.ts";
import { indexRow, indexRows, type RecallSource } from "../../recall/store/source.ts";

type Waiting = Map<string, { source: RecallSource; id: string }>;
const waitingByDatabase = new WeakMap<Database, Waiting>();

/** At the end of `indexing`, else at once. A row that is gone by then leaves the index. */
export function indexLater(db: Database, source: RecallSource, id: string): void {
  const waiting = waitingByDatabase.get(db);
  if (waiting) waiting.set(id, { source, id });
  else indexRow(db, source, id);
}

/** Inside a transaction: the work, and then the rows that it changed. */
export function indexing<T>(db: Database, work: () => T): T {
  const waiting: Waiting = new Map();
  waitingByDatabase.set(db, waiting);
  try {
    const value = work();
    indexRows(db, [...waiting.values()]);
    return value;
  } finally {
    waitingByDatabase.delete(db);
  }
}
