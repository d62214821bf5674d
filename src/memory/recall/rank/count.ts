// How many passages a match has, for the rarity of a term: exact in small stores, from a sample in large ones.
import type { DatabaseSync } from "node:sqlite";
import { column, prepared } from "../store/statement.ts";

const EXACT_UP_TO = 100_000;
const SAMPLE = 5_000;
/** A large store may grow by this share before its terms are counted anew. */
const GROWTH = 0.01;
const MOST_KEPT = 20_000;

type Kept = { count: number; passages: number; removed: string };
const countsByDatabase = new WeakMap<DatabaseSync, Map<string, Kept>>();

/** `ids`: those passages, when they are few and had to be looked at. */
export type TermCount = { count: number; ids?: number[] };

/** `passages`: how many the scope has; the match says which scope. */
export function countOf(db: DatabaseSync, match: string, passages: number): TermCount {
  const counts = countsOf(db);
  const removed = String(prepared(db, "SELECT value FROM recall_note WHERE name = 'removed'").get()?.["value"]);
  const cached = counts.get(match);
  const slack = passages <= EXACT_UP_TO ? 0 : passages * GROWTH;
  if (cached && cached.removed === removed && passages - cached.passages <= slack) return { count: cached.count };
  const ids = column(db, `SELECT rowid FROM recall_terms WHERE recall_terms MATCH ? LIMIT ${SAMPLE}`, match);
  const isAll = ids.length < SAMPLE;
  const count = isAll ? ids.length : passages <= EXACT_UP_TO ? exact(db, match) : sampled(db, match, passages);
  counts.set(match, { count, passages, removed });
  return isAll ? { count, ids } : { count };
}

function countsOf(db: DatabaseSync): Map<string, Kept> {
  const existing = countsByDatabase.get(db);
  if (existing && existing.size <= MOST_KEPT) return existing;
  const fresh = new Map<string, Kept>();
  countsByDatabase.set(db, fresh);
  return fresh;
}

function exact(db: DatabaseSync, match: string): number {
  const sql = "SELECT count(*) AS n FROM recall_terms WHERE recall_terms MATCH ?";
  return Number(prepared(db, sql).get(match)?.["n"]);
}

/** The newest matches tell how dense the others are. */
function sampled(db: DatabaseSync, match: string, passages: number): number {
  const sql = `SELECT count(*) AS n, min(rowid) AS least, (SELECT max(id) FROM recall_passage) AS most FROM
    (SELECT rowid FROM recall_terms WHERE recall_terms MATCH ? ORDER BY rowid DESC LIMIT ${SAMPLE})`;
  const row = prepared(db, sql).get(match);
  const [count, least, most] = [Number(row?.["n"]), Number(row?.["least"]), Number(row?.["most"])];
  return Math.min(passages, Math.round((count * most) / (most - least + 1)));
}
