// Notes which rows a transaction changes, by temporary triggers of the connection: no writer has to think of it.
import type { StatementSync } from "node:sqlite";
import { isConstraint } from "../fault.ts";
import type { Database } from "../sqlite.ts";
import { fromCell, type RowChange, type Stored, toCell } from "./line.ts";
import type { JournalledTable, JournalledTables } from "./tables.ts";

const NOTE = "everlong_note_change";
/** The index of recall has no longer all rows as they stand. */
const UNFILLED = "DELETE FROM recall_note WHERE name = 'filled'";

type Shape = JournalledTable & { columns: string[]; key: string[] };

/** The rows that the running transaction has touched. */
export class Capture {
  readonly #db: Database;
  readonly #shapes = new Map<string, Shape>();
  readonly #statements = new Map<string, StatementSync>();
  readonly #touched = new Map<string, { table: string; key: Stored[] }>();
  readonly #erased = new Set<string>();
  #mode: "idle" | "noting" | "applying" = "idle";

  constructor(db: Database, tables: JournalledTables) {
    this.#db = db;
    db.function(NOTE, { varargs: true }, (table: Stored, ...key: Stored[]) => this.#note(String(table), key));
    // A row that another one replaces counts as deleted.
    db.exec("PRAGMA recursive_triggers = ON");
    const info = db.prepare("SELECT name, pk FROM pragma_table_info(?) ORDER BY cid");
    for (const [name, table] of Object.entries(tables)) this.#shapes.set(name, { ...table, ...shapeOf(info, name) });
    const all = [...this.#shapes].map(([name, shape]) => triggers(name, shape, shape.key));
    // In one transaction: each on its own costs every start milliseconds.
    db.exec(`SAVEPOINT capture;\n${all.join("\n")}\nRELEASE capture`);
  }

  begin(mode: "noting" | "applying"): void {
    this.#touched.clear();
    this.#erased.clear();
    this.#mode = mode;
  }

  end(): void {
    this.begin("noting");
    this.#mode = "idle";
  }

  /** The subject's text leaves the journal with this transaction. */
  erase(subject: string): void {
    this.#erased.add(subject);
  }

  get erased(): readonly string[] {
    return [...this.#erased];
  }

  get isEmpty(): boolean {
    return this.#touched.size === 0 && this.#erased.size === 0;
  }

  /** Each touched row as it stands now. */
  changes(): RowChange[] {
    return [...this.#touched.values()].map(({ table, key }) => {
      const { key: names } = this.#shape(table);
      const row = this.#prepared(`SELECT * FROM ${table} WHERE ${where(names)}`).get(...key);
      return row
        ? { table, op: "put", row: cellsOf(row) }
        : { table, op: "delete", row: cellsOf(Object.fromEntries(names.map((name, i) => [name, key[i] ?? null]))) };
    });
  }

  hasRows(): boolean {
    return !this.allRows().next().done;
  }

  *allRows(): Generator<RowChange> {
    for (const table of this.#shapes.keys())
      for (const row of this.#db.prepare(`SELECT * FROM ${table}`).iterate())
        yield { table, op: "put", row: cellsOf(row) };
  }

  /** Every row of every table goes; foreign keys are off. */
  clear(): void {
    for (const [table, { projection, isRecalled }] of this.#shapes) {
      this.#db.exec(`DELETE FROM ${table}`);
      if (projection) this.#db.exec(projection.clear);
      if (isRecalled) this.#db.exec(UNFILLED);
    }
  }

  /** False: this database has no such table, or takes no such row. Foreign keys are off. */
  apply({ table, op, row }: RowChange): boolean {
    const shape = this.#shapes.get(table);
    if (!shape || op === "gap" || shape.key.some((name) => !(name in row))) return op === "gap";
    const key = shape.key.map((name) => fromCell(row[name]));
    if (shape.projection) this.#prepared(shape.projection.remove).run(...key);
    if (shape.isRecalled) this.#prepared(UNFILLED).run();
    if (op === "delete") {
      this.#prepared(`DELETE FROM ${table} WHERE ${where(shape.key)}`).run(...key);
      return true;
    }
    const columns = shape.columns.filter((name) => name in row);
    const sql = `INSERT OR REPLACE INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
    try {
      this.#prepared(sql).run(...columns.map((name) => fromCell(row[name])));
    } catch (error) {
      if (isConstraint(error)) return false;
      throw error;
    }
    if (shape.projection) this.#prepared(shape.projection.add).run(...key);
    return true;
  }

  keyOf(table: string, row: Record<string, unknown>): string {
    return JSON.stringify([table, ...(this.#shapes.get(table)?.key ?? []).map((name) => row[name])]);
  }

  #prepared(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #shape(table: string): Shape {
    const shape = this.#shapes.get(table);
    if (!shape) throw new Error(`${table} is not journalled`);
    return shape;
  }

  #note(table: string, key: Stored[]): null {
    if (this.#mode === "idle") throw new Error(`${table} was changed outside write(): the journal would miss it`);
    if (this.#mode === "noting") this.#touched.set(JSON.stringify([table, ...key.map(toCell)]), { table, key });
    return null;
  }
}

const where = (key: readonly string[]): string => key.map((name) => `${name} = ?`).join(" AND ");

const cellsOf = (row: Record<string, unknown>): RowChange["row"] =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toCell(value as Stored)]));

function shapeOf(info: StatementSync, table: string): Pick<Shape, "columns" | "key"> {
  const rows = info.all(table);
  const key = rows.filter((row) => Number(row["pk"]) > 0).sort((a, b) => Number(a["pk"]) - Number(b["pk"]));
  return { columns: rows.map((row) => String(row["name"])), key: key.map((row) => String(row["name"])) };
}

function triggers(name: string, table: JournalledTable, key: readonly string[]): string {
  const call = (side: string): string => `${NOTE}('${name}', ${key.map((column) => `${side}.${column}`).join(", ")})`;
  const make = (event: string, condition: string | undefined, calls: string): string =>
    `CREATE TEMP TRIGGER journal_${event}_${name} AFTER ${event} ON main.${name}
     ${condition === undefined ? "" : `WHEN ${condition}`} BEGIN SELECT ${calls}; END;`;
  return [
    make("INSERT", table.insert, call("NEW")),
    make("UPDATE", table.update, `${call("OLD")}, ${call("NEW")}`),
    make("DELETE", table.remove, call("OLD")),
  ].join("\n");
}
