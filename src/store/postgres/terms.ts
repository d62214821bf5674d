// The index of recall on PostgreSQL: one row a term and passage, apart by owner, so that equality finds it behind row-level security.
import type pg from "pg";
import type { PassageTerms, TermPlace, TermStep } from "../term-step.ts";
import { keyOf } from "./term-key.ts";
import { answerToQuestions, termsPiece } from "./term-question.ts";

export async function answerToTerms(client: pg.PoolClient, step: TermStep): Promise<unknown> {
  switch (step.type) {
    case "reserve": {
      const sql = `SELECT nextval(pg_get_serial_sequence('${step.table}', 'id')) AS id FROM generate_series(1, $1)`;
      const { rows } = await client.query<{ id: number }>(sql, [step.count]);
      return rows.map(({ id }) => Number(id)).sort((a, b) => a - b);
    }
    case "put_terms":
      return put(client, step.place, step.passages);
    case "remove_terms":
      return remove(client, step.place, step.passages);
    case "ask_terms":
      return answerToQuestions(client, step.questions);
    case "terms_within":
      return termsPiece(client, step.match);
    case "tally":
      return client.query(TALLY, [
        step.gains.map(({ scope }) => scope),
        step.gains.map(({ passages }) => passages),
        step.gains.map(({ words }) => words),
      ]);
    case "note_removal":
      return client.query(REMOVAL);
    case "removals": {
      const { rows } = await client.query<{ sum: string | null }>("SELECT sum(value)::text AS sum FROM recall_removal");
      return rows[0]?.sum ?? "0";
    }
  }
}

/** A row for each of a few connections: see `RAISE` in team-store.ts. */
const SLOT = "pg_backend_pid() % 16";
const TALLY = `INSERT INTO recall_scope_part (scope, slot, passages, words)
  SELECT g.scope, ${SLOT}, g.passages, g.words FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS g(scope, passages, words)
  ON CONFLICT (tenant, scope, slot) DO UPDATE
  SET passages = recall_scope_part.passages + excluded.passages, words = recall_scope_part.words + excluded.words`;
const REMOVAL = `INSERT INTO recall_removal (slot, value) VALUES (${SLOT}, 1)
  ON CONFLICT (tenant, slot) DO UPDATE SET value = recall_removal.value + 1`;

const rowsOf = (passages: readonly PassageTerms[]): { words: string[]; ids: number[] } => {
  const [words, ids]: [string[], number[]] = [[], []];
  for (const { passage, tokens } of passages)
    for (const word of new Set(["", ...tokens.split(" ").map(keyOf)])) {
      words.push(word);
      ids.push(passage);
    }
  return { words, ids };
};

async function put(client: pg.PoolClient, place: TermPlace, passages: readonly PassageTerms[]): Promise<void> {
  const mark = await markOf(client, place.marks);
  const { words, ids } = rowsOf(passages);
  const sql = `INSERT INTO recall_term (realm, word, id, mark)
    SELECT $1, t.word, t.id, $2 FROM unnest($3::text[], $4::bigint[]) AS t(word, id)`;
  await client.query({ name: "recall-put-terms", text: sql, values: [place.realm, mark, words, ids] });
}

async function remove(client: pg.PoolClient, { realm }: TermPlace, passages: readonly PassageTerms[]): Promise<void> {
  const { words, ids } = rowsOf(passages);
  const sql = `DELETE FROM recall_term t USING unnest($2::text[], $3::bigint[]) AS gone(word, id)
    WHERE t.realm = $1 AND t.word = gone.word AND t.id = gone.id`;
  await client.query(sql, [realm, words, ids]);
}

async function markOf(client: pg.PoolClient, marks: string): Promise<number> {
  const find = { name: "recall-mark", text: "SELECT id FROM recall_mark WHERE marks = $1", values: [marks] };
  const [existing] = (await client.query<{ id: number }>(find)).rows;
  if (existing) return existing.id;
  const insert = "INSERT INTO recall_mark (marks) VALUES ($1) ON CONFLICT (tenant, marks) DO NOTHING RETURNING id";
  const [fresh] = (await client.query<{ id: number }>(insert, [marks])).rows;
  if (!fresh) return (await client.query<{ id: number }>(find)).rows[0]?.id ?? 0;
  const tokens = "INSERT INTO recall_mark_token (token, mark) SELECT DISTINCT unnest($1::text[]), $2::bigint";
  await client.query(tokens, [marks.split(" "), fresh.id]);
  return fresh.id;
}
