// The index of recall on SQLite: the terms and marks of a passage are one row of an FTS5 table.
import type { Database } from "./sqlite.ts";
import { column, prepared } from "./statement.ts";
import type { TermAnswer, TermGroup, TermMatch, TermQuestion, TermStep } from "./term-step.ts";
import type { SqlPiece } from "./unit.ts";

/**
 * The highest passage that was taken out over a connection. Its number is not used again: FTS5 (detail none, secure
 * delete) loses all later rows of a word whose row is deleted and inserted again before it has written them out.
 */
const freed = new WeakMap<Database, number>();

export function answerToTerms(db: Database, step: TermStep): unknown {
  switch (step.type) {
    case "reserve": {
      const last = Number(prepared(db, `SELECT max(id) AS id FROM ${step.table}`).get()?.["id"] ?? 0);
      const from = step.table === "recall_passage" ? Math.max(last, freed.get(db) ?? 0) : last;
      return Array.from({ length: step.count }, (_, i) => from + 1 + i);
    }
    case "put_terms": {
      const insert = prepared(db, `INSERT INTO ${step.table} (rowid, tokens) VALUES (?, ?)`);
      for (const { passage, tokens } of step.passages) insert.run(passage, `${step.place.marks} ${tokens}`);
      return undefined;
    }
    case "remove_terms": {
      const remove = prepared(db, `INSERT INTO ${step.table} (${step.table}, rowid, tokens) VALUES ('delete', ?, ?)`);
      for (const { passage, tokens } of step.passages) {
        freed.set(db, Math.max(passage, freed.get(db) ?? 0));
        remove.run(passage, `${step.place.marks} ${tokens}`);
      }
      return undefined;
    }
    case "ask_terms": {
      const answers: TermAnswer[] = [];
      for (const question of step.questions) {
        if (!step.mayGoOn()) break;
        answers.push(answerToQuestion(db, question));
      }
      return answers;
    }
    case "terms_within":
      return within(step.match);
    case "tally": {
      const add = prepared(db, "UPDATE recall_scope SET passages = passages + ?, words = words + ? WHERE id = ?");
      for (const { scope, passages, words } of step.gains) add.run(passages, words, scope);
      return undefined;
    }
    case "note_removal":
      return prepared(
        db,
        `INSERT INTO recall_note (name, value) VALUES ('removed', hex(randomblob(8)))
         ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      ).run();
    case "removals":
      return String(prepared(db, "SELECT value FROM recall_note WHERE name = 'removed'").get()?.["value"]);
  }
}

const HOLDING = "FROM recall_terms WHERE recall_terms MATCH ?";
/** Going backwards costs a third more. */
const NEWEST = `SELECT rowid ${HOLDING} ORDER BY rowid DESC LIMIT ?`;
const FEW = `SELECT rowid ${HOLDING} LIMIT ?`;
/** Many numbers are read sooner as one text than as a row each. */
const ALL = `SELECT json_group_array(rowid) ${HOLDING}`;
const NEWEST_IN_TIME = `SELECT t.rowid FROM recall_terms t JOIN recall_passage p ON p.id = t.rowid
  JOIN recall_item i ON i.id = p.item WHERE t.recall_terms MATCH ? AND i.time >= ? AND i.time < ? ORDER BY t.rowid DESC LIMIT ?`;

function answerToQuestion(db: Database, question: TermQuestion): TermAnswer {
  const { match, want, most, time } = question;
  const rare = idsByRow(db, question);
  if (rare) return answerOf(rare, question);
  const text = ftsMatch(match) ?? "";
  if (want === "count") return { count: Number(prepared(db, `SELECT count(*) AS n ${HOLDING}`).get(text)?.["n"]) };
  if (most === undefined) {
    const [ids] = prepared(db, ALL, true).get(text) as unknown as [string];
    return counted(JSON.parse(ids) as number[]);
  }
  if (want === "few") {
    const few = counted(column(db, FEW, text, most));
    return few.count === most ? { count: most } : few;
  }
  return counted(time ? column(db, NEWEST_IN_TIME, text, ...time, most) : column(db, NEWEST, text, most));
}

/** With so many scopes FTS5 reads all that stands in each of them, as far as its list is too short for an index of its own. */
const MANY_SCOPES = 5;
const MOST_ROWS = 200;
const SCOPES = `SELECT p.id, l.scopes FROM recall_passage p JOIN recall_item i ON i.id = p.item
  JOIN recall_place l ON l.id = i.place WHERE p.id IN (SELECT 0 + value FROM json_each(?))`;

/** What stands in few passages is sorted out by their rows, which say to which of many scopes each belongs. Ascending. */
function idsByRow(db: Database, { match, time }: TermQuestion): number[] | undefined {
  const { scopes = [], and, ...frame } = match.frame;
  if (time || match.groups.length === 0 || scopes.length < MANY_SCOPES) return undefined;
  const anywhere = ftsMatch({ groups: match.groups, frame: { ...frame, and: and.slice(1) } }) ?? "";
  const ids = column(db, FEW, anywhere, MOST_ROWS);
  if (ids.length === MOST_ROWS) return undefined;
  const wanted = new Set(scopes);
  const rows = prepared(db, SCOPES, true).all(JSON.stringify(ids)) as unknown as [id: number, scopes: string][];
  const inside = new Set(
    rows.flatMap(([id, of]) => (of.split(" ").some((one) => wanted.has(Number(one))) ? [id] : [])),
  );
  return ids.filter((id) => inside.has(id));
}

function answerOf(ids: number[], { want, most = Number.POSITIVE_INFINITY }: TermQuestion): TermAnswer {
  if (want === "count") return { count: ids.length };
  if (want === "few") return ids.length < most ? counted(ids) : { count: most };
  return counted(most === Number.POSITIVE_INFINITY ? ids : ids.reverse().slice(0, most));
}

const counted = (ids: number[]): TermAnswer => ({ count: ids.length, ids });

function within(match: TermMatch): SqlPiece {
  const text = ftsMatch(match);
  return text === undefined
    ? { sql: "SELECT id FROM recall_passage", values: [] }
    : { sql: `SELECT rowid AS id ${HOLDING}`, values: [text] };
}

/** As FTS5 reads it: quoted tokens only. Undefined when nothing is demanded. */
function ftsMatch({ groups, frame }: TermMatch): string | undefined {
  const must = [...groups.map(groupText), ...frame.and.map(any)].join(" AND ");
  if (must === "") return frame.not.length > 0 && frame.left ? any(frame.left) : undefined;
  return frame.not.length > 0 ? `(${must}) NOT ${any(frame.not)}` : must;
}

const groupText = ({ tokens, beginnings = [] }: TermGroup): string =>
  beginnings.length === 0
    ? any(tokens)
    : `(${[...tokens.map(quote), ...beginnings.map((token) => `${quote(token)}*`)].join(" OR ")})`;

const quote = (token: string): string => `"${token.replaceAll('"', '""')}"`;
/** No tokens match nothing: no passage has a token of this mark alone. */
const any = (tokens: readonly string[]): string => `(${(tokens.length > 0 ? tokens : ["!"]).map(quote).join(" OR ")})`;
