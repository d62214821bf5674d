// An index of texts on PostgreSQL: one row a word, so that equality finds it behind row-level security; ranked as SQLite ranks.
import { stemmer } from "stemmer";
import type { SqlPiece, TextIndex, TextQuery } from "../unit.ts";

const WORD = /[\p{L}\p{N}\p{Co}]+/gu;
const MARKS = /\p{M}+/gu;

/** As the embedded index reads them: without case and accents, by their stems. */
const stemsOf = (text: string): string[] =>
  (text.normalize("NFD").replace(MARKS, "").toLowerCase().match(WORD) ?? []).map((word) =>
    // A word is a key: what is longer than any word is cut.
    stemmer(word).slice(0, 100),
  );

export function putWords(index: TextIndex, id: number, texts: readonly string[]): SqlPiece {
  const words = texts.flatMap(stemsOf);
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return {
    sql: `WITH whole AS (INSERT INTO ${index} (id, length) VALUES (?1::bigint, ?2))
      INSERT INTO ${index}_word (id, word, count)
      SELECT ?1::bigint, w.key, w.value::int FROM json_each_text(?3::json) AS w`,
    values: [id, words.length, JSON.stringify(Object.fromEntries(counts))],
  };
}

export const removeWords = (index: TextIndex, id: number): SqlPiece[] =>
  [index, `${index}_word`].map((table) => ({ sql: `DELETE FROM ${table} WHERE id = ?`, values: [id] }));

const [K1, B] = [1.2, 0.75];

export function matchWords({ index, words, which }: TextQuery): SqlPiece {
  const stems = [...new Set(words.flatMap(stemsOf))];
  const list = JSON.stringify(stems);
  const wanted = `SELECT w.id, w.word, w.count FROM ${index}_word AS w
    WHERE w.word = ANY (ARRAY(SELECT json_array_elements_text(?::json)))`;
  if (which === "all")
    return {
      sql: `SELECT id, 0 AS rank FROM (${wanted}) AS hit GROUP BY id HAVING count(*) = ?::bigint`,
      values: [list, Math.max(1, stems.length)],
    };
  return {
    sql: `SELECT hit.id, -sum(greatest(ln((whole.texts - spread.texts + 0.5) / (spread.texts + 0.5)), 0.000001)
        * hit.count * ${K1 + 1} / (hit.count + ${K1} * (1 - ${B} + ${B} * t.length / whole.mean))) AS rank
      FROM (${wanted}) AS hit
      JOIN (SELECT word, count(*)::float8 AS texts FROM (${wanted}) AS again GROUP BY word) AS spread USING (word)
      JOIN ${index} AS t ON t.id = hit.id
      CROSS JOIN (SELECT count(*)::float8 AS texts, greatest(avg(length)::float8, 1) AS mean FROM ${index}) AS whole
      GROUP BY hit.id`,
    values: [list, list],
  };
}
