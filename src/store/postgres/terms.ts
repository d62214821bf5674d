// The index of recall on PostgreSQL: one row a term and passage, apart by owner, so that equality finds it behind row-level security.
import type pg from "pg";
import type { PassageTerms, TermPlace, TermStep } from "../term-step.ts";
import { keyOf } from "./term-key.ts";
import { answerToQuestions, termsPiece } from "./term-question.ts";

export async function answerToTerms(client: pg.PoolClient, step: TermStep): Promise<unknown> {
  switch (step.type) {
    case "reserve": {
      const text = `SELECT nextval(pg_get_serial_sequence('${step.table}', 'id')) AS id FROM generate_series(1, $1)`;
      const { rows } = await client.query<{ id: number }>({
        ...{ name: `reserve-${step.table}`, text, values: [step.count] },
      });
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
      return client.query({
        ...{ name: "recall-tally", text: TALLY },
        values: [
          step.gains.map(({ scope }) => scope),
          step.gains.map(({ passages }) => passages),
          step.gains.map(({ words }) => words),
        ],
      });
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

/** The set of marks is made with the first passage that has it; whoever else makes it at the same time waits for it. */
const PUT = `WITH had AS (SELECT id FROM recall_mark WHERE marks = $2),
  made AS (INSERT INTO recall_mark (marks) SELECT $2 WHERE NOT EXISTS (SELECT 1 FROM had)
    ON CONFLICT (tenant, marks) DO UPDATE SET marks = excluded.marks RETURNING id),
  tokens AS (INSERT INTO recall_mark_token (token, mark)
    SELECT DISTINCT m.token, made.id FROM made, unnest(string_to_array($2, ' ')) AS m(token) ON CONFLICT DO NOTHING)
  INSERT INTO recall_term (realm, word, id, mark) SELECT $1, t.word, t.id, mark.id
  FROM unnest($3::text[], $4::bigint[]) AS t(word, id), (SELECT id FROM had UNION ALL SELECT id FROM made) AS mark`;

function put(client: pg.PoolClient, place: TermPlace, passages: readonly PassageTerms[]): Promise<unknown> {
  const { words, ids } = rowsOf(passages);
  return client.query({ name: "recall-put-terms", text: PUT, values: [place.realm, place.marks, words, ids] });
}

function remove(client: pg.PoolClient, { realm }: TermPlace, passages: readonly PassageTerms[]): Promise<unknown> {
  const { words, ids } = rowsOf(passages);
  const sql = `DELETE FROM recall_term t USING unnest($2::text[], $3::bigint[]) AS gone(word, id)
    WHERE t.realm = $1 AND t.word = gone.word AND t.id = gone.id`;
  return client.query({ name: "recall-remove-terms", text: sql, values: [realm, words, ids] });
}
