// Statements of the outbox, which only ever stands in the store.db of a home.
import type { Database } from "../../store/sqlite.ts";
import type { SqlRow } from "../../store/unit.ts";
import { prepared } from "../recall/store/statement.ts";

type Value = string | number | null;

export const all = (db: Database, sql: string, ...values: Value[]): SqlRow[] => prepared(db, sql).all(...values);
export const get = (db: Database, sql: string, ...values: Value[]): SqlRow | undefined =>
  prepared(db, sql).get(...values);
export const run = (db: Database, sql: string, ...values: Value[]) => prepared(db, sql).run(...values);
