// Units of work on SQLite: every step is answered at once, so a unit runs to its end without anybody waiting.
import type { StatementSync } from "node:sqlite";
import { eraseFromJournal } from "./journal/journal.ts";
import { type Database, whileBusy, write } from "./sqlite.ts";
import { type RowStore, type SqlPiece, type StoreStep, type TextQuery, textIndexes, type Unit } from "./unit.ts";

const stores = new WeakMap<Database, RowStore>();

/** The store of an open database: always the same one. */
export function embeddedStore(db: Database): RowStore {
  const cached = stores.get(db);
  if (cached) return cached;
  const store: RowStore = {
    read: (unit, options = {}) => whileBusy(db.location() ?? "memory", () => runUnit(db, unit()), options),
    async write(unit, options = {}) {
      const forgets = { any: false };
      const outcome = await write(db, () => perform(db, unit(), forgets), options);
      // The log of the database still has the old pages; a reader in the way leaves them to the next time.
      if (outcome.ok && forgets.any && db.isOpen) db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      return outcome;
    },
  };
  stores.set(db, store);
  return store;
}

/** At once: what it reads, or its part of a transaction that the caller has begun. */
export const runUnit = <T>(db: Database, unit: Unit<T>): T => perform(db, unit, { any: false });

function perform<T>(db: Database, unit: Unit<T>, forgets: { any: boolean }): T {
  let next = unit.next();
  while (!next.done) {
    if (next.value.type === "erase") forgets.any = true;
    let answer: unknown;
    try {
      answer = answerTo(db, next.value);
    } catch (error) {
      next = unit.throw(error);
      continue;
    }
    next = unit.next(answer);
  }
  return next.value;
}

function answerTo(db: Database, step: StoreStep): unknown {
  switch (step.type) {
    case "one":
      return statement(db, step.sql).get(...step.values);
    case "all":
      return statement(db, step.sql).all(...step.values);
    case "arrays":
      return statement(db, step.sql, true).all(...step.values);
    case "run":
      return Number(statement(db, step.sql).run(...step.values).changes);
    case "hold": // one writer at a time
      return undefined;
    case "raise":
      return statement(db, "UPDATE memory_generation SET value = value + 1").run();
    case "erase":
      return eraseFromJournal(db, step.subject);
    case "put_text": {
      const columns = textIndexes[step.index];
      const sql = `INSERT INTO ${step.index} (rowid, ${columns.join(", ")}) VALUES (?${", ?".repeat(columns.length)})`;
      return statement(db, sql).run(step.id, ...step.texts);
    }
    case "remove_text":
      return statement(db, `DELETE FROM ${step.index} WHERE rowid = ?`).run(step.id);
    case "match_text":
      return match(step.query);
    case "embedded":
      return step.work(db);
  }
}

const match = ({ index, words, which }: TextQuery): SqlPiece => ({
  sql: `SELECT rowid AS id, rank FROM ${index} WHERE ${index} MATCH ?`,
  values: [words.map((word) => `"${word.replaceAll('"', '""')}"`).join(which === "all" ? " " : " OR ")],
});

const statementsByDatabase = new WeakMap<Database, Map<string, StatementSync>>();
/** Queries with lists of values have many texts; the oldest of them is prepared anew. */
const MOST_STATEMENTS = 500;

function statement(db: Database, sql: string, arrays = false): StatementSync {
  const statements = statementsByDatabase.get(db) ?? new Map<string, StatementSync>();
  statementsByDatabase.set(db, statements);
  const key = arrays ? `arrays ${sql}` : sql;
  const cached = statements.get(key);
  if (cached) return cached;
  const fresh = db.prepare(sql);
  if (arrays) fresh.setReturnArrays(true);
  const [oldest] = statements.keys();
  if (statements.size >= MOST_STATEMENTS && oldest !== undefined) statements.delete(oldest);
  statements.set(key, fresh);
  return fresh;
}
