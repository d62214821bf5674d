// For tests: a tenant's store that remembers every statement that reaches the server, and the tables that these would scan whole.
import pg from "pg";
import type { ServerPool } from "../../src/store/postgres/pool.ts";
import { teamStore } from "../../src/store/postgres/team-store.ts";
import type { RowStore } from "../../src/store/unit.ts";

export type SentStatement = { text: string; values: unknown[] };

export function recordingStore(pool: ServerPool, tenant: string, sent: SentStatement[]): RowStore {
  const listening = (client: pg.PoolClient): pg.PoolClient =>
    new Proxy(client, {
      get(target, name) {
        if (name !== "query") return Reflect.get(target, name);
        return (query: string | { text: string; values?: unknown[] }, values?: unknown[]) => {
          const text = typeof query === "string" ? query : query.text;
          if (!/^(BEGIN|COMMIT|ROLLBACK)/.test(text))
            sent.push({ text, values: values ?? (typeof query === "string" ? [] : (query.values ?? [])) });
          return target.query(query as string, values);
        };
      },
    });
  const recording = {
    place: pool.place,
    connected: <T>(work: (client: pg.PoolClient) => Promise<T>) => pool.connected((client) => work(listening(client))),
  };
  return teamStore(recording as unknown as ServerPool, tenant);
}

export async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, options: "-c search_path=everlong" });
  await client.connect();
  return client;
}

/** `TABLE: STATEMENT` for every scan of a whole table in a plan. */
export async function wholeScans(client: pg.Client, tenant: string, sent: readonly SentStatement[]): Promise<string[]> {
  const scans = new Set<string>();
  for (const { text, values } of sent) {
    await client.query(`BEGIN; SET LOCAL everlong.tenant = '${tenant}'`);
    const plan = await client.query(`EXPLAIN ${text}`, values);
    await client.query("ROLLBACK");
    // Of several statements in one, the first is explained and the others answer for themselves.
    const lines = [plan]
      .flat()
      .flatMap(({ rows }) => rows.map((row) => Object.values(row as object)[0]))
      .join("\n");
    for (const [, table] of lines.matchAll(/Seq Scan on (\w+)/g))
      scans.add(`${table}: ${text.replace(/\s+/g, " ").slice(0, 200)}`);
  }
  return [...scans];
}
