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

function answerToQuestion(db: Database, { match, want, most, time }: TermQuestion): TermAnswer {
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
