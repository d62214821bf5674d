// Tables that both databases have, as a copy of their rows sees them: columns, keys, and which must come before which.
import type { Database } from "../sqlite.ts";
import { allRows, type SqlPiece, type SqlRow, type Unit } from "../unit.ts";

/** Whose rows they become, and the key of the database that they come to. */
export type Crossing = {
  user: { from: string; to: string };
  /** Who the owner of the home is among all tenants; absent on the way home. */
  identity?: string;
  /** What tells the home from others: names that people choose may be the same in two homes. */
  home: string;
  hashKey: string;
};

/** What is special about a table; most have nothing that is. */
type CopyRule = {
  /** Why its rows are not copied: what makes them there, or why nobody wants them. */
  stays?: string;
  /** A number that each database gives by itself: a row may have another one on the other side. */
  number?: string;
  /** What tells a row from all others; else its key. "all": nothing but all of it does. */
  identity?: readonly string[] | "all";
  /** With "all": columns with an index, by which a row is looked for. */
  near?: readonly string[];
  /** Columns with numbers of rows in another table. */
  refers?: Readonly<Record<string, string>>;
  /** The condition for those of a team's rows that this user may take home. */
  only?: (user: string) => SqlPiece;
  /** The row as it stands on the other side. */
  become?: (row: SqlRow, crossing: Crossing) => SqlRow;
  /** With a row that was added: what is made from it. */
  after?: (row: SqlRow) => Unit<void>;
};
export type CopyRules = Readonly<Record<string, CopyRule>>;

export type CopiedTable = Omit<CopyRule, "stays" | "identity"> & {
  name: string;
  columns: readonly string[];
  /** The order in which its rows are read. */
  key: readonly string[];
  identity: readonly string[];
};

/** The tables of tenants, on PostgreSQL. */
export function* tenantTables(): Unit<string[]> {
  const rows = yield* allRows(
    `SELECT table_name AS name FROM information_schema.columns
     WHERE table_schema = 'everlong' AND column_name = 'tenant' ORDER BY table_name`,
  );
  return rows.map((row) => String(row["name"]));
}

/** As store.db has them; tables that it does not have, and those that stay, are left out. Parents come first. */
export function copiedTables(db: Database, names: readonly string[], rules: CopyRules): CopiedTable[] {
  const tables = new Map<string, CopiedTable>();
  for (const name of names) {
    const { stays, identity, ...rule } = rules[name] ?? {};
    const info = db.prepare("SELECT name, pk FROM pragma_table_info(?) ORDER BY cid").all(name);
    if (stays !== undefined || info.length === 0) continue;
    const columns = info.map((row) => String(row["name"]));
    const key = info
      .filter((row) => Number(row["pk"]) > 0)
      .sort((a, b) => Number(a["pk"]) - Number(b["pk"]))
      .map((row) => String(row["name"]));
    const own = identity === "all" ? columns.filter((column) => column !== rule.number) : identity;
    tables.set(name, { ...rule, name, columns, key, identity: own ?? key });
  }
  return inOrder(db, tables);
}

function inOrder(db: Database, tables: ReadonlyMap<string, CopiedTable>): CopiedTable[] {
  const ordered = new Set<CopiedTable>();
  const place = (table: CopiedTable, above: readonly string[]): void => {
    if (ordered.has(table) || above.includes(table.name)) return;
    const keys = db.prepare('SELECT "table" AS parent FROM pragma_foreign_key_list(?)').all(table.name);
    for (const parent of [...keys.map((row) => String(row["parent"])), ...Object.values(table.refers ?? {})]) {
      const owner = tables.get(parent);
      if (owner) place(owner, [...above, table.name]);
    }
    ordered.add(table);
  };
  for (const table of tables.values()) place(table, []);
  return [...ordered];
}
