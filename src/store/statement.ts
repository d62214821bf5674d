// Prepared statements, kept for as long as their database.
import type { DatabaseSync, StatementSync } from "node:sqlite";

const statementsByDatabase = new WeakMap<DatabaseSync, Map<string, StatementSync>>();
/** Queries with lists of values have many texts; the oldest of them is prepared anew. */
const MOST_STATEMENTS = 500;
/** Where one writer works at a time no row needs a lock. */
const LOCK = / FOR UPDATE( OF \w+)?( SKIP LOCKED)?$/;

/** Rows as objects; with `arrays`, as arrays of columns. */
export function prepared(db: DatabaseSync, sql: string, arrays = false): StatementSync {
  const statements = statementsByDatabase.get(db) ?? new Map<string, StatementSync>();
  statementsByDatabase.set(db, statements);
  const key = arrays ? `arrays ${sql}` : sql;
  const cached = statements.get(key);
  if (cached) return cached;
  const statement = db.prepare(sql.replace(LOCK, ""));
  if (arrays) statement.setReturnArrays(true);
  const [oldest] = statements.keys();
  if (statements.size >= MOST_STATEMENTS && oldest !== undefined) statements.delete(oldest);
  statements.set(key, statement);
  return statement;
}

/** The first column of every row. */
export function column(db: DatabaseSync, sql: string, ...values: (string | number)[]): number[] {
  return (prepared(db, sql, true).all(...values) as unknown as [number][]).map(([value]) => value);
}
