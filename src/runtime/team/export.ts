// `everlong export`: every row of a tenant, one a line, all of one moment.

import { type Failure, refusal } from "../../base/failure.ts";
import { encodeLine } from "../../base/json-line.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { listTenants } from "../../server/team/tokens.ts";
import { tenantTables } from "../../store/copy/table.ts";
import { allRows, type SqlRow, type Unit } from "../../store/unit.ts";
import { movedTables } from "./moved-tables.ts";
import { onTeamDatabase } from "./on-database.ts";

const PAGE = 500;
/** A hash of a token is worth nothing to anybody, and is nobody's business. */
const HIDDEN = new Set(["tenant", "hash"]);

/** Gives how many rows it wrote; the last line says so too, so that half a file is known as one. */
export const exportTenant = (
  tenant: string,
  url: string | undefined,
  write: (line: string) => Promise<void>,
): Promise<Result<number, Failure>> =>
  onTeamDatabase(url, async (team) => {
    const counted = await team.snapshot(tenant, async (read): Promise<Result<number, Failure>> => {
      if (!(await read(listTenants)).includes(tenant))
        return fail(refusal("no_such_tenant", `There is no tenant ${tenant}.`, "everlong token list shows them."));
      let count = 0;
      for (const table of (await read(tenantTables)).filter(isOwn)) {
        const key = await read(() => keyOf(table));
        for (let after: SqlRow | undefined; ; ) {
          const page = await read(() => pageOf(table, key, after));
          for (const row of page) await write(encodeLine({ table, row: shown(table, row) }));
          count += page.length;
          after = page.at(-1);
          if (page.length < PAGE) break;
        }
      }
      await write(encodeLine({ end: true, rows: count }));
      return ok(count);
    });
    return counted.ok ? counted.value : counted;
  });

/** What is made from other rows says nothing new. */
const isOwn = (table: string): boolean => !movedTables[table]?.stays?.startsWith("made from");

const shown = (table: string, row: SqlRow): SqlRow =>
  Object.fromEntries(
    Object.entries(row)
      .filter(([name]) => !(name === "tenant" || (table === "tokens" && HIDDEN.has(name))))
      .map(([name, value]) => [
        name,
        value instanceof Uint8Array ? { base64: Buffer.from(value).toString("base64") } : value,
      ]),
  );

function* keyOf(table: string): Unit<string[]> {
  const rows = yield* allRows(
    `SELECT a.attname AS name FROM pg_index AS i, unnest(i.indkey) WITH ORDINALITY AS k (number, position), pg_attribute AS a
     WHERE i.indrelid = ?::text::regclass AND i.indisprimary AND a.attrelid = i.indrelid AND a.attnum = k.number
     ORDER BY k.position`,
    table,
  );
  return rows.map((row) => `"${String(row["name"])}"`);
}

function* pageOf(table: string, key: readonly string[], after: SqlRow | undefined): Unit<SqlRow[]> {
  const behind = after ? ` WHERE (${key.join(", ")}) > (${key.map(() => "?").join(", ")})` : "";
  const values = after ? key.map((name) => after[name.slice(1, -1)] as string | number) : [];
  return yield* allRows(`SELECT * FROM ${table}${behind} ORDER BY ${key.join(", ")} LIMIT ${PAGE}`, ...values);
}
