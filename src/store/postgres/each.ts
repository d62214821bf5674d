// One query for each of many lists of numbers, answered in one round.
import type pg from "pg";

const PLACE = /\?(\d+)/g;

export async function eachAnswer(
  client: pg.PoolClient,
  sql: string,
  lists: readonly (readonly number[])[],
): Promise<unknown[][][]> {
  const columns = lists[0]?.map((_, i) => i + 1) ?? [];
  const one = sql.replace(PLACE, (_, number: string) => `q.v${number}`);
  const text = `SELECT q.n, x.* FROM unnest(${columns.map((c) => `$${c}::bigint[]`).join(", ")}) WITH ORDINALITY
    AS q(${columns.map((c) => `v${c}`).join(", ")}, n) CROSS JOIN LATERAL (${one}) AS x`;
  const values = columns.map((c) => lists.map((list) => list[c - 1]));
  const { rows } = await client.query<unknown[]>({ text, values, rowMode: "array" });
  const answers: unknown[][][] = lists.map(() => []);
  for (const [n, ...row] of rows) answers[Number(n) - 1]?.push(row);
  return answers;
}
