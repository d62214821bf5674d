// A page of rows beside those on the other side: which are there, which differ, and adding those that are missing.
import { advanceNumbers, allRows, execute, oneRow, type SqlRow, type SqlValue, type Unit } from "../unit.ts";
import type { CopiedTable } from "./table.ts";

type Met = {
  /** The rows as they came, each with the one that stands there now; undefined: none. */
  pairs: { row: SqlRow; there: SqlRow | undefined }[];
  added: number;
};

const quoted = (columns: readonly string[]): string => columns.map((name) => `"${name}"`).join(", ");
const valuesOf = (row: SqlRow, columns: readonly string[]): SqlValue[] =>
  columns.map((name) => (row[name] ?? null) as SqlValue);

/** The rows behind `after` in the order of the key. */
export function* readPage(
  { name, columns, key, only }: CopiedTable,
  { after, user, size }: { after: SqlRow | undefined; user: string | undefined; size: number },
): Unit<SqlRow[]> {
  const own = user === undefined ? undefined : only?.(user);
  const clauses = [
    ...(own ? [`(${own.sql})`] : []),
    ...(after ? [`(${quoted(key)}) > (${key.map(() => "?").join(", ")})`] : []),
  ];
  const where = clauses.length > 0 ? ` WHERE ${clauses.join(" AND ")}` : "";
  return yield* allRows(
    `SELECT ${quoted(columns)} FROM ${name}${where} ORDER BY ${quoted(key)} LIMIT ${size}`,
    ...(own?.values ?? []),
    ...(after ? valuesOf(after, key) : []),
  );
}

/** `isAdding`: in a transaction that writes. */
export function* meetPage(table: CopiedTable, rows: readonly SqlRow[], isAdding: boolean): Unit<Met> {
  const there = yield* standing(table, rows);
  const missing = rows.filter((row) => !there.has(nameOf(table, row)));
  if (isAdding && missing.length > 0) {
    for (const row of yield* add(table, missing)) {
      there.set(nameOf(table, row), row);
      if (table.after) yield* table.after(row);
    }
  }
  const pairs = rows.map((row) => ({ row, there: there.get(nameOf(table, row)) }));
  return { pairs, added: isAdding ? missing.length : 0 };
}

/** What stands there under the identities of these rows. */
function* standing(table: CopiedTable, rows: readonly SqlRow[]): Unit<Map<string, SqlRow>> {
  const { name, columns, identity, near = identity } = table;
  const keys = new Map(rows.map((row) => [JSON.stringify(valuesOf(row, near)), valuesOf(row, near)]));
  if (keys.size === 0) return new Map();
  const one = `(${near.map((column) => `"${column}" = ?`).join(" AND ")})`;
  const where =
    near.length === 1
      ? `"${near[0]}" IN (${[...keys].map(() => "?").join(", ")})`
      : [...keys].map(() => one).join(" OR ");
  const matches = yield* allRows(`SELECT ${quoted(columns)} FROM ${name} WHERE ${where}`, ...[...keys.values()].flat());
  return new Map(matches.map((row) => [nameOf(table, row), row]));
}

/** Rows keep their numbers where nobody else has them. Gives them as they stand there now. */
function* add(table: CopiedTable, rows: readonly SqlRow[]): Unit<SqlRow[]> {
  const { name, columns, number } = table;
  const taken = number === undefined ? new Set() : yield* takenNumbers(name, number, rows);
  const isTaken = (row: SqlRow): boolean => number !== undefined && taken.has(row[number]);
  const free = rows.filter((row) => !isTaken(row));
  if (free.length > 0) {
    const places = free.map(() => `(${columns.map(() => "?").join(", ")})`).join(", ");
    const values = free.flatMap((row) => valuesOf(row, columns));
    yield* execute(`INSERT INTO ${name} (${quoted(columns)}) VALUES ${places}`, ...values);
  }
  if (number === undefined) return free;
  if (free.length > 0) yield* advanceNumbers(name, number, Math.max(...free.map((row) => Number(row[number]))));
  const others = columns.filter((column) => column !== number);
  const renumbered: SqlRow[] = [];
  for (const row of rows.filter(isTaken)) {
    const sql = `INSERT INTO ${name} (${quoted(others)}) VALUES (${others.map(() => "?").join(", ")}) RETURNING "${number}"`;
    renumbered.push({ ...row, ...(yield* oneRow(sql, ...valuesOf(row, others))) });
  }
  return [...free, ...renumbered];
}

function* takenNumbers(name: string, number: string, rows: readonly SqlRow[]): Unit<Set<unknown>> {
  const places = rows.map(() => "?").join(", ");
  const sql = `SELECT "${number}" FROM ${name} WHERE "${number}" IN (${places})`;
  return new Set((yield* allRows(sql, ...rows.map((row) => Number(row[number])))).map((row) => row[number]));
}

const nameOf = (table: CopiedTable, row: SqlRow): string => rowText(row, table.identity);

/** A row as one text, the same from both databases. */
export const rowText = (row: SqlRow, columns: readonly string[]): string =>
  JSON.stringify(
    columns.map((column) => {
      const value = row[column] ?? null;
      if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString("base64") };
      // PostgreSQL has no place for a NUL.
      return typeof value === "string" ? value.replaceAll("\0", "") : value;
    }),
  );
