// Prepared statements, kept for as long as their database.
import type { DatabaseSync, StatementSync } from "node:sqlite";

const kept = new WeakMap<DatabaseSync, Map<string, StatementSync>>();

/** Rows as objects; with `arrays`, as arrays of columns. */
export function prepared(db: DatabaseSync, sql: string, arrays = false): StatementSync {
  const statements = kept.get(db) ?? new Map<string, StatementSync>();
  kept.set(db, statements);
  const key = arrays ? `arrays ${sql}` : sql;
  const known = statements.get(key);
  if (known) return known;
  const made = db.prepare(sql);
  if (arrays) made.setReturnArrays(true);
  statements.set(key, made);
  return made;
}

/** The first column of every row. */
export function column(db: DatabaseSync, sql: string, ...values: (string | number)[]): number[] {
  return (prepared(db, sql, true).all(...values) as unknown as [number][]).map(([value]) => value);
}
