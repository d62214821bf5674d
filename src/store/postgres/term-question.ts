// Questions to the index of recall on PostgreSQL. Those about one thing each are answered together, in one round.
import type pg from "pg";
import type { TermAnswer, TermFrame, TermGroup, TermMatch, TermQuestion } from "../term-step.ts";
import type { SqlPiece, SqlValue } from "../unit.ts";
import { EVERY_PASSAGE, keyOf } from "./term-key.ts";

export async function answerToQuestions(
  client: pg.PoolClient,
  questions: readonly TermQuestion[],
): Promise<TermAnswer[]> {
  const answers: TermAnswer[] = [];
  const marksOf = new Map<TermFrame, Marks>();
  for (const indexes of alike(questions)) {
    const some = indexes.flatMap((i) => questions[i] ?? []);
    const [first] = some;
    if (!first) continue;
    const { frame } = first.match;
    const marks = marksOf.get(frame) ?? (await marksWithin(client, frame));
    marksOf.set(frame, marks);
    const replies = await (isSimple(first) ? answerTogether(client, some, marks) : answerAlone(client, first, marks));
    for (const [n, i] of indexes.entries()) answers[i] = replies[n] ?? { count: 0, ids: [] };
  }
  return answers;
}

const isSimple = ({ match: { groups }, time }: TermQuestion): boolean =>
  groups.length === 1 && (groups[0]?.beginnings ?? []).length === 0 && !time;

/** The places of questions that can be answered in one query. */
function alike(questions: readonly TermQuestion[]): number[][] {
  const groups = new Map<string, number[]>();
  for (const [i, question] of questions.entries()) {
    const { match, want, most } = question;
    const key = isSimple(question) ? JSON.stringify([want, most, match.frame]) : `alone ${i}`;
    groups.set(key, [...(groups.get(key) ?? []), i]);
  }
  return [...groups.values()];
}

type Marks = readonly number[] | "any";

/** The sets of marks that fit the frame. */
async function marksWithin(client: pg.PoolClient, { and, not }: TermFrame): Promise<Marks> {
  if (and.length === 0 && not.length === 0) return "any";
  const holding = (place: number): string => `SELECT mark FROM recall_mark_token WHERE token = ANY ($${place}::text[])`;
  const all = and.length === 0 ? ["SELECT id FROM recall_mark"] : and.map((_, i) => holding(i + 1));
  const without = not.length > 0 ? ` EXCEPT ${holding(and.length + 1)}` : "";
  const text = `(${all.join(" INTERSECT ")})${without}`;
  const values = not.length > 0 ? [...and, not] : [...and];
  const { rows } = await client.query<[number]>({ text, values, rowMode: "array" });
  return rows.map(([mark]) => mark);
}

/** Ids as one text: thousands of rows would cost more on their way. */
const COUNTED =
  "count(*)::int AS n, CASE WHEN $4::bigint IS NULL OR count(*) < $4 OR $5::boolean THEN string_agg(id::text, ',') END";

async function answerTogether(
  client: pg.PoolClient,
  questions: readonly TermQuestion[],
  marks: Marks,
): Promise<TermAnswer[]> {
  const [q, words]: [number[], string[]] = [[], []];
  for (const [i, { match }] of questions.entries())
    for (const word of match.groups[0]?.tokens ?? []) {
      q.push(i);
      words.push(keyOf(word));
    }
  const [first] = questions;
  const { want, most = null, match } = first ?? { want: "ids", match: undefined };
  const ids = want === "count" ? "count(*)::int AS n, NULL::text" : COUNTED;
  const text = `SELECT q, ${ids} FROM (
      SELECT DISTINCT w.q, x.id FROM unnest($1::int[], $2::text[]) AS w(q, word) CROSS JOIN unnest($3::bigint[]) AS r(realm)
      CROSS JOIN LATERAL (SELECT t.id FROM recall_term t WHERE t.realm = r.realm AND t.word = w.word
        ${marks === "any" ? "" : "AND t.mark = ANY ($6::bigint[])"} ORDER BY t.id DESC LIMIT $4) AS x
    ) AS hit WHERE $5::boolean IS NOT NULL GROUP BY q`;
  const values = [q, words, match?.frame.realms, want === "count" ? null : most, want === "ids"];
  const answer = await client.query<[number, number, string | null]>({
    ...{ text, values: marks === "any" ? values : [...values, marks], rowMode: "array" },
  });
  const answers: TermAnswer[] = questions.map(() => ({ count: 0, ids: [] }));
  for (const [i, count, list] of answer.rows) answers[i] = want === "ids" ? newest(list, most) : few(count, list);
  return answers;
}

const few = (count: number, list: string | null): TermAnswer =>
  list === null ? { count } : { count, ids: idsIn(list) };

function newest(list: string | null, most: number | null): TermAnswer {
  const ids = idsIn(list ?? "").sort((a, b) => b - a);
  const wanted = most === null ? ids : ids.slice(0, most);
  return { count: wanted.length, ids: wanted };
}

const idsIn = (list: string): number[] => (list === "" ? [] : list.split(",").map(Number));

async function answerAlone(
  client: pg.PoolClient,
  { match, want, most, time }: TermQuestion,
  marks: Marks,
): Promise<TermAnswer[]> {
  const values: unknown[] = [];
  const param = (value: unknown, type: string): string => `$${values.push(value)}::${type}`;
  const sql = holding(match, marks, param, most, time);
  const { rows } = await client.query<[number]>({ text: sql, values, rowMode: "array" });
  const ids = rows.map(([id]) => id).sort((a, b) => b - a);
  if (want === "ids") return [{ count: ids.length, ids: most === undefined ? ids : ids.slice(0, most) }];
  return [want === "few" && ids.length < (most ?? 0) ? { count: ids.length, ids } : { count: ids.length }];
}

/** A list of values stands in the text as JSON there. */
export async function termsPiece(client: pg.PoolClient, match: TermMatch): Promise<SqlPiece> {
  const values: SqlValue[] = [];
  const param = (value: unknown, type: string): string => {
    values.push(Array.isArray(value) ? JSON.stringify(value) : (value as SqlValue));
    return Array.isArray(value) ? `ARRAY(SELECT json_array_elements_text(?::json))::${type}` : `?::${type}`;
  };
  const sql = holding(match, await marksWithin(client, match.frame), param);
  return { sql, values };
}

type Param = (value: unknown, type: string) => string;

/** A query of the ids of passages that hold something of every group; the first group leads. */
function holding(
  { groups, frame }: TermMatch,
  marks: Marks,
  param: Param,
  most?: number,
  time?: readonly [number, number],
): string {
  const [lead = EVERY_PASSAGE, ...others] = groups;
  const branches = [
    ...(lead.tokens.length > 0 ? [{ words: lead.tokens.map(keyOf), is: "t.word = w.word", id: "t.id" }] : []),
    // A passage may hold several words with one beginning.
    ...(lead.beginnings?.length
      ? [{ words: lead.beginnings, is: `t.word >= w.word AND t.word < w.word || ${LAST}`, id: "DISTINCT t.id" }]
      : []),
  ];
  return branches
    .map(({ words, is, id }) => {
      // The order in which values are named is that of the text.
      const from = `unnest(${param(words, "text[]")}) AS w(word) CROSS JOIN unnest(${param(frame.realms, "bigint[]")}) AS r(realm)`;
      const conditions = [
        ...["t.realm = r.realm", is],
        ...(marks === "any" ? [] : [`t.mark = ANY (${param(marks, "bigint[]")})`]),
        ...others.map((group) => standsToo(group, frame, param)),
        ...(time ? [inTime(time, param)] : []),
      ];
      const limit = most === undefined ? "OFFSET 0" : `ORDER BY t.id DESC LIMIT ${param(most, "bigint")}`;
      return `SELECT DISTINCT x.id FROM ${from} CROSS JOIN LATERAL (SELECT ${id} FROM recall_term t
        WHERE ${conditions.join(" AND ")} ${limit}) AS x`;
    })
    .join(" UNION ");
}

/** Behind every letter there is. */
const LAST = "U&'\\+10FFFF'";

function standsToo({ tokens, beginnings = [] }: TermGroup, { realms }: TermFrame, param: Param): string {
  const ofRealms = `u.realm = ANY (${param(realms, "bigint[]")})`;
  const words = `u.word = ANY (${param(tokens.map(keyOf), "text[]")})`;
  const starts = beginnings.map(
    (start) => `(u.word >= ${param(start, "text")} AND u.word < ${param(start, "text")} || ${LAST})`,
  );
  return `EXISTS (SELECT 1 FROM recall_term u WHERE ${ofRealms} AND u.id = t.id
    AND (${[words, ...starts].join(" OR ")}))`;
}

const inTime = ([since, before]: readonly [number, number], param: Param): string =>
  `EXISTS (SELECT 1 FROM recall_passage p JOIN recall_item i ON i.id = p.item WHERE p.id = t.id
    AND i.time >= ${param(since, "bigint")} AND i.time < ${param(before, "bigint")})`;
