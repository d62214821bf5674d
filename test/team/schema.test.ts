// W5: every table of a tenant is walled twice, has the columns of its twin in store.db, and shows nothing of another tenant.
import pg from "pg";
import { describe, expect, it } from "vitest";
import { newTeamDatabase } from "../../src/store/postgres/postgres-fixture.ts";
import { execute } from "../../src/store/unit.ts";
import { openMemories } from "../memory/record-fixture.ts";

/** Tables that belong to nobody: names of tenants, the nodes' key, the version, and how much of those who left was removed. */
const COMMON = ["node_secret", "removals", "schema_version", "tenants"];

const TABLES = `SELECT relname AS name, relrowsecurity AND relforcerowsecurity AS walled FROM pg_class
  WHERE relnamespace = 'everlong'::regnamespace AND relkind = 'r' ORDER BY relname`;
const COLUMNS = `SELECT column_name AS name, is_nullable = 'NO' AS fixed, column_default IS NOT NULL AS filled,
  data_type AS type FROM information_schema.columns WHERE table_schema = 'everlong' AND table_name = $1 ORDER BY ordinal_position`;

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, options: "-c search_path=everlong" });
  await client.connect();
  return client;
}

describe("W5", () => {
  it("W5 M140 row-level security is forced on every table that has a tenant: another tenant's rows are not there", async () => {
    const team = await newTeamDatabase();
    const client = await connected(team.url);
    try {
      const tables = (await client.query<{ name: string; walled: boolean }>(TABLES)).rows;
      expect(tables.filter(({ walled }) => !walled).map(({ name }) => name)).toEqual(COMMON);
      const own = tables.filter(({ walled }) => walled);
      expect(own.length).toBeGreaterThan(10);
      // A row of acme in every table, whatever its columns are.
      await client.query("BEGIN; SET LOCAL everlong.tenant = 'acme'");
      const waiting = own.map(({ name }) => name);
      for (let tries = 0; waiting.length > 0 && tries < 100; tries++) {
        const name = waiting.shift() ?? "";
        await client.query("SAVEPOINT one");
        try {
          await client.query(await rowFor(client, name));
        } catch (error) {
          if ((error as { code?: string }).code !== "23503") throw new Error(`${name}: ${String(error)}`);
          await client.query("ROLLBACK TO one");
          waiting.push(name); // the row that it belongs to comes first
        }
      }
      expect(waiting).toEqual([]);
      await client.query("COMMIT");
      for (const { name } of own) {
        const count = async (tenant: string): Promise<number> => {
          await client.query(`BEGIN; SET LOCAL everlong.tenant = '${tenant}'`);
          const rows = await client.query<{ n: string }>(`SELECT count(*) AS n FROM ${name} WHERE tenant = 'acme'`);
          const gone = await client.query(`DELETE FROM ${name} WHERE tenant = 'acme'`);
          await client.query("ROLLBACK");
          expect(gone.rowCount).toBe(Number(rows.rows[0]?.n));
          return Number(rows.rows[0]?.n);
        };
        expect([name, await count("acme"), await count("globex"), await count("")]).toEqual([name, 1, 0, 0]);
        await client.query("BEGIN; SET LOCAL everlong.tenant = 'globex'");
        await expect(client.query(`UPDATE ${name} SET tenant = 'globex'`)).resolves.toMatchObject({ rowCount: 0 });
        await client.query("ROLLBACK");
        // Outside any tenant nothing can be seen or written at all.
        expect((await client.query(`SELECT * FROM ${name}`)).rowCount).toBe(0);
      }
    } finally {
      await client.end();
    }
  });

  it("W5 a row cannot be written for another tenant", async () => {
    const team = await newTeamDatabase();
    const forged = "INSERT INTO memory_generation (tenant, slot, value) VALUES ('globex', 1, 1)";
    expect(await team.store("acme").write(() => execute(forged))).toMatchObject({
      error: { code: "store_denied", what: expect.stringContaining("row-level security") },
    });
  });

  it("W1 W2 each table has the columns of its twin in store.db", async () => {
    const team = await newTeamDatabase();
    const db = await openMemories();
    const client = await connected(team.url);
    try {
      let twins = 0;
      for (const { name } of (await client.query<{ name: string }>(TABLES)).rows) {
        const info = db.prepare("SELECT name FROM pragma_table_info(?) ORDER BY cid").all(name);
        if (info.length === 0 || ODD.has(name)) continue;
        const columns = (await client.query<{ name: string }>(COLUMNS, [name])).rows.map((row) => row.name);
        expect([name, ...columns]).toEqual([name, "tenant", ...info.map((row) => row["name"])]);
        twins++;
      }
      expect(twins).toBeGreaterThanOrEqual(7);
    } finally {
      await client.end();
    }
  });
});

it("M83 the board's table has its columns, its key and its index on both databases", async () => {
  const columns =
    "repository branch src name description content read_count count version author source created_at updated_at last_read_at";
  const db = await openMemories();
  const info = db.prepare("SELECT name, pk FROM pragma_table_info('dynamic_context_items') ORDER BY cid").all();
  expect(info.map((row) => row["name"]).join(" ")).toBe(columns);
  expect(info.flatMap((row) => (Number(row["pk"]) > 0 ? [row["name"]] : []))).toEqual(KEY);
  const index = db.prepare("SELECT name FROM pragma_index_info('dynamic_context_items_place')").all();
  expect(index.map((row) => row["name"])).toEqual(["repository", "branch"]);
  const client = await connected((await newTeamDatabase()).url);
  try {
    const rows = (await client.query<{ name: string }>(COLUMNS, ["dynamic_context_items"])).rows;
    expect(rows.map(({ name }) => name).join(" ")).toBe(`tenant ${columns}`);
    const { rows: key } = await client.query<{ key: string }>(
      "SELECT pg_get_constraintdef(oid) AS key FROM pg_constraint WHERE conrelid = 'dynamic_context_items'::regclass AND contype = 'p'",
    );
    expect(key[0]?.key).toBe(`PRIMARY KEY (${["tenant", ...KEY].join(", ")})`);
  } finally {
    await client.end();
  }
});
const KEY = ["repository", "branch", "src", "name"];

/** The index of texts, the generation, and what scopes have are made in another way there. */
const ODD = new Set(["memory_text", "memory_generation", "recall_scope"]);

/** Some value for each column that must have one. */
async function rowFor(client: pg.Client, table: string): Promise<string> {
  const { rows } = await client.query<{ name: string; fixed: boolean; filled: boolean; type: string }>(COLUMNS, [
    table,
  ]);
  const needed = rows.filter(({ fixed, filled }) => fixed && !filled);
  const value = ({ name, type }: { name: string; type: string }): string => {
    if (type === "bytea") return "'x'";
    if (type === "json") return `'{}'`;
    if (type !== "text") return "1";
    return `'${CHECKED[name] ?? "x"}'`;
  };
  const names = needed.map(({ name }) => `"${name}"`).join(", ");
  return names === ""
    ? `INSERT INTO ${table} DEFAULT VALUES`
    : `INSERT INTO ${table} (${names}) VALUES (${needed.map(value).join(", ")})`;
}

const CHECKED: Record<string, string> = {
  ...{ scope: "user", status: "active", kind: "user", direction: "upvote", src: "user", state: "queued" },
};
