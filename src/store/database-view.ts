// A database looked at without leaving a trace: no lock file, no journal, no index is made or changed beside it.
import { existsSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { fail, ok, type Result } from "../base/result.ts";
import { codeOf, type Fault, faultAt, faultOf } from "./fault.ts";
import { lockHolders } from "./home-lock.ts";
import { type Database, sqlite } from "./sqlite.ts";

export class DatabaseView {
  readonly db: Database;

  private constructor(db: Database) {
    this.db = db;
  }

  /** Fails with `not_found` when there is none. */
  static async open(path: string): Promise<Result<DatabaseView, Fault>> {
    if (!existsSync(path)) return fail(faultAt("not_found", path, "there is no such file"));
    let db: Database | undefined;
    try {
      db = openUntouched(path);
      db.prepare("SELECT count(*) FROM sqlite_master").get();
      return ok(new DatabaseView(db));
    } catch (error) {
      db?.close();
      return fail(faultOf(error, path));
    }
  }

  /** Undefined: no such table, or it cannot be read. */
  count(table: string): number | undefined {
    return this.number(`SELECT count(*) FROM ${table}`);
  }

  number(sql: string, ...values: (string | number)[]): number | undefined {
    const [first] = this.rows(sql, ...values);
    const value = first && Object.values(first)[0];
    return typeof value === "number" ? value : undefined;
  }

  /** The first column as text. */
  texts(sql: string, ...values: (string | number)[]): string[] {
    return this.rows(sql, ...values).map((row) => String(Object.values(row)[0]));
  }

  /** None when the table is missing or damaged: the check of the whole file says so. */
  rows(sql: string, ...values: (string | number)[]): Record<string, unknown>[] {
    try {
      return this.db.prepare(sql).all(...values);
    } catch (error) {
      const missing = error instanceof Error && /no such (table|column)/.test(error.message);
      if (missing || codeOf(error) !== undefined) return [];
      throw error;
    }
  }

  close(): void {
    this.db.close();
  }
}

/**
 * A plain read-only connection would make or change the files beside the database. While others have it open those
 * files are theirs and in motion anyway. Otherwise: without changes that wait in the log, the file alone is the whole
 * truth; with them, the log is read into memory, which SQLite does for who holds the file alone and without locks.
 */
function openUntouched(path: string): Database {
  const { DatabaseSync } = sqlite();
  const url = pathToFileURL(path);
  const waiting = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (isOpenElsewhere(path)) return new DatabaseSync(path, { readOnly: true, timeout: 1000 });
  url.search = waiting === 0 ? "immutable=1" : "mode=ro&vfs=unix-none";
  const db = new DatabaseSync(url, { readOnly: true });
  if (waiting > 0) db.exec("PRAGMA locking_mode = EXCLUSIVE");
  return db;
}

const isOpenElsewhere = (path: string): boolean =>
  [path, `${path}-shm`].some((file) => lockHolders(file).some((pid) => pid !== process.pid));
