// Rows that can still be read in a damaged database and stand nowhere else are copied into the new one.
import { statSync } from "node:fs";
import type { SQLInputValue } from "node:sqlite";
import { errorCode } from "../../base/failure.ts";
import { ok, type Result } from "../../base/result.ts";
import { codeOf, type Fault, isConstraint } from "../fault.ts";
import { isOwnJournal } from "../journal/mark.ts";
import { segmentSize } from "../journal/segment.ts";
import { readState } from "../journal/state.ts";
import { storeJournal } from "../journal/tables.ts";
import { tableKinds } from "../kinds.ts";
import { type Database, sqlite, write } from "../sqlite.ts";

export type Salvaged = {
  table: string;
  copied: number;
  /** Rows that could not be read; absent when there are none. */
  lost?: number | "unknown";
};

/** What nothing else has, and what a whole journal would have had. */
export const salvagedTables = (isJournalWhole: boolean): string[] =>
  Object.entries(tableKinds)
    .filter(([, row]) => row.salvage === "always" || (row.salvage === "journal" && !isJournalWhole))
    .map(([name]) => name);

/** Whether a damaged database has read more of this journal than there is, or another one that began like it. */
export function hasMore(damaged: string, folder: string, journal: string | undefined): boolean {
  let from: Database | undefined;
  try {
    if (!statSync(damaged, { throwIfNoEntry: false })?.isFile()) return false;
    from = new (sqlite().DatabaseSync)(damaged, { readOnly: true });
    const state = readState(from);
    if (!state || state.journal !== journal) return false;
    const size = segmentSize(folder, state.segment) ?? 0;
    return size < state.offset || !isOwnJournal(from, folder, state.segment, state.offset, size);
  } catch (error) {
    if (errorCode(error) !== "ERR_SQLITE_ERROR") throw error;
    return false; // it cannot be read: nobody knows
  } finally {
    from?.close();
  }
}

type SalvageOptions = {
  at: string;
  /** The journal says that the row is gone. */
  isDeleted: (table: string, row: Record<string, unknown>) => boolean;
};

export async function salvageRows(
  db: Database,
  damaged: string,
  tables: readonly string[],
  options: SalvageOptions,
): Promise<Result<Salvaged[], Fault>> {
  let from: Database | undefined;
  const salvaged: Salvaged[] = [];
  try {
    from = new (sqlite().DatabaseSync)(damaged, { readOnly: true });
    for (const table of tables) {
      const outcome = await salvageTable(from, db, table, options);
      if (!outcome.ok) return outcome;
      if (outcome.value) salvaged.push(outcome.value);
    }
  } catch (error) {
    if (codeOf(error) === undefined) throw error; // else: no more of it can be read
  } finally {
    from?.close();
  }
  return ok(salvaged);
}

const BATCH = 200;

async function salvageTable(
  from: Database,
  db: Database,
  table: string,
  { at, isDeleted }: SalvageOptions,
): Promise<Result<Salvaged | undefined, Fault>> {
  const columns = columnsOf(db, table);
  const shared = columnsOf(from, table).filter(({ name }) => columns.some((column) => column.name === name));
  const key = columns.filter(({ isKey }) => isKey).map(({ name }) => name);
  if (shared.length === 0 || key.some((name) => !shared.some((column) => column.name === name))) return ok(undefined);
  const names = shared.map(({ name }) => name);
  const { projection, isFreelyNumbered } = storeJournal[table] ?? {};
  const mark = "INSERT OR REPLACE INTO salvaged (table_name, row_key, at) VALUES (?, ?, ?)";
  const rows = readable(from, table, key);
  let [copied, read] = [0, 0];
  while (true) {
    const batch = [...firstOf(rows, BATCH)];
    if (batch.length === 0) break;
    read += batch.length;
    const outcome = await write(db, () => {
      let count = 0;
      for (const row of batch) {
        const into = { table, names, key };
        const added = !isDeleted(table, row) && (put(db, into, row) ?? (isFreelyNumbered && renumber(db, into, row)));
        if (!added) continue;
        count++;
        if (projection) db.prepare(projection.add).run(...added);
        db.prepare(mark).run(table, JSON.stringify(added), at);
      }
      return count;
    });
    if (!outcome.ok) return outcome;
    copied += outcome.value;
  }
  const count = countIn(from, table);
  const lost: number | "unknown" = count === undefined ? "unknown" : count - read;
  return ok({ table, copied, ...(lost === "unknown" || lost > 0 ? { lost } : {}) });
}

type Target = { table: string; names: readonly string[]; key: readonly string[] };
type Row = Record<string, unknown>;

/** Gives the key. Undefined: there is such a row, or what it refers to is lost. */
function put(db: Database, { table, names, key }: Target, row: Row): SQLInputValue[] | undefined {
  const sql = `INSERT OR IGNORE INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
  try {
    const { changes } = db.prepare(sql).run(...names.map((name) => row[name] as SQLInputValue));
    return changes === 0 ? undefined : key.map((name) => row[name] as SQLInputValue);
  } catch (error) {
    if (isConstraint(error)) return undefined;
    throw error;
  }
}

/** Its number belongs to another row by now, as after two copies of a home went on apart. */
function renumber(db: Database, target: Target, row: Row): SQLInputValue[] | undefined {
  const [number = ""] = target.key;
  const holder = db.prepare(`SELECT * FROM ${target.table} WHERE ${number} = ?`).get(row[number] as SQLInputValue);
  if (!holder || target.names.every((name) => holder[name] === row[name])) return undefined;
  if (!put(db, { ...target, names: target.names.filter((name) => name !== number) }, row)) return undefined;
  return [Number(db.prepare("SELECT last_insert_rowid() AS number").get()?.["number"])];
}

function* firstOf<T>(all: Iterator<T>, count: number): Generator<T> {
  for (let left = count; left > 0; left--) {
    const next = all.next();
    if (next.done) return;
    yield next.value;
  }
}

type Column = { name: string; isKey: boolean };

function columnsOf(db: Database, table: string): Column[] {
  const rows = db.prepare("SELECT name, pk FROM pragma_table_info(?)").all(table);
  return rows.map((row) => ({ name: String(row["name"]), isKey: Number(row["pk"]) > 0 }));
}

/** From the front to the first damaged page, then from the back to the last; a row may come twice. */
function* readable(db: Database, table: string, key: readonly string[]): Generator<Record<string, unknown>> {
  for (const order of ["ASC", "DESC"]) {
    const sql = `SELECT * FROM ${table} ORDER BY ${key.map((name) => `${name} ${order}`).join(", ")}`;
    try {
      for (const row of db.prepare(sql).iterate()) yield row;
      return;
    } catch (error) {
      if (codeOf(error) !== "store_corrupt") throw error;
    }
  }
}

function countIn(db: Database, table: string): number | undefined {
  try {
    return Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"]);
  } catch (error) {
    if (codeOf(error) !== "store_corrupt") throw error;
    return undefined;
  }
}
