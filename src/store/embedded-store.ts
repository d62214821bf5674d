// Units of work on SQLite: every step is answered at once, so a unit runs to its end without anybody waiting.
import { answerToTerms } from "./embedded-terms.ts";
import { eraseFromJournal, eraseNoted } from "./journal/journal.ts";
import { type Database, emptyLog, whileBusy, write } from "./sqlite.ts";
import { prepared } from "./statement.ts";
import { type RowStore, type SqlPiece, type StoreStep, type TextQuery, textIndexes, type Unit } from "./unit.ts";

const stores = new WeakMap<Database, RowStore>();

/** The store of an open database: always the same one. */
export function embeddedStore(db: Database): RowStore {
  const cached = stores.get(db);
  if (cached) return cached;
  const store: RowStore = {
    read: (unit, options = {}) => whileBusy(db.location() ?? "memory", () => ofOneMoment(db, unit), options),
    async write(unit, options = {}) {
      const forgets = { any: false };
      const outcome = await write(db, () => perform(db, unit(), forgets), options);
      if (!outcome.ok || !forgets.any || !db.isOpen) return outcome;
      const emptied = await emptyLog(db);
      return emptied.ok ? outcome : emptied;
    },
  };
  stores.set(db, store);
  return store;
}

/** Another process may write between two statements: a transaction sees none of it. */
export function ofOneMoment<T>(db: Database, unit: () => Unit<T>): T {
  if (db.isTransaction) return runUnit(db, unit());
  db.exec("BEGIN");
  try {
    return runUnit(db, unit());
  } finally {
    if (db.isTransaction) db.exec("COMMIT");
  }
}

/** At once: what it reads, or its part of a transaction that the caller has begun. */
export const runUnit = <T>(db: Database, unit: Unit<T>): T => perform(db, unit, { any: false });

function perform<T>(db: Database, unit: Unit<T>, forgets: { any: boolean }): T {
  let next = unit.next();
  while (!next.done) {
    let answer: unknown;
    try {
      answer = answerTo(db, next.value, forgets);
    } catch (error) {
      next = unit.throw(error);
      continue;
    }
    next = unit.next(answer);
  }
  return next.value;
}

function answerTo(db: Database, step: StoreStep, forgets: { any: boolean }): unknown {
  switch (step.type) {
    case "together":
      return step.steps.map((one) => answerTo(db, one, forgets));
    case "one":
      return prepared(db, step.sql).get(...step.values);
    case "all":
      return prepared(db, step.sql).all(...step.values);
    case "arrays":
      return prepared(db, step.sql, true).all(...step.values);
    case "run":
      return prepared(db, step.sql).run(...step.values);
    case "change":
      return Number(prepared(db, step.sql).run(...step.values).changes);
    case "hold": // one writer at a time
    case "advance": // the next number is always higher than all that are there
      return undefined;
    case "raise":
      return prepared(db, "UPDATE memory_generation SET value = value + 1").run();
    case "erase":
      forgets.any ||= step.when === "now";
      return eraseFromJournal(db, step.subject, step.when);
    case "erase_noted":
      forgets.any = true;
      return eraseNoted(db);
    case "put_text": {
      const columns = textIndexes[step.index];
      const sql = `INSERT INTO ${step.index} (rowid, ${columns.join(", ")}) VALUES (?${", ?".repeat(columns.length)})`;
      return prepared(db, sql).run(step.id, ...step.texts);
    }
    case "remove_text":
      return prepared(db, `DELETE FROM ${step.index} WHERE rowid = ?`).run(step.id);
    case "match_text":
      return match(step.query);
    case "each":
      return step.lists.map((values) => prepared(db, step.sql, true).all(...values));
    case "embedded":
      return step.work(db);
    default:
      return answerToTerms(db, step);
  }
}

const match = ({ index, words, which }: TextQuery): SqlPiece => ({
  sql: `SELECT rowid AS id, rank FROM ${index} WHERE ${index} MATCH ?`,
  values: [words.map((word) => `"${word.replaceAll('"', '""')}"`).join(which === "all" ? " " : " OR ")],
});
