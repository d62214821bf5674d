// A damaged index: how it shows, and the empty one that takes its place. It holds nothing that is not elsewhere.
import { hash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { errorText } from "../../../base/failure.ts";
import { runUnit } from "../../../store/embedded-store.ts";
import { codeOf } from "../../../store/fault.ts";
import { recallSchema } from "../../../store/schema/recall.ts";
import { noteRemoval } from "../../../store/terms.ts";
import { kindToken } from "../text/tokens.ts";
import { NEXT_TERMS, noteOf, setNote } from "./note.ts";

const MISSING = /no such table: (?:main\.)?(?:recall_|search_index)|vtable constructor failed/;

const NOT_A_DATABASE = 26;
const NO_MEMORY = 7;

/** Whether what was thrown while the index was read or written says that the index itself is broken. */
export function isDamage(error: unknown): boolean {
  // Full text takes a size from a broken page at its word: no search of ours needs more memory than there is.
  if (sqliteCode(error) === NO_MEMORY) return true;
  if (codeOf(error) !== "store_corrupt") return MISSING.test(errorText(error));
  return sqliteCode(error) !== NOT_A_DATABASE;
}

const sqliteCode = (error: unknown): unknown =>
  error instanceof Error && "errcode" in error ? error.errcode : undefined;

const WORDS = ["recall_terms", "search_index"];
/** What refers to another comes before it. */
const TABLES = ["item", "place", "scope", "passage", "vector", "waiting", "note"].map((name) => `recall_${name}`);

const STRAY = `SELECT 1 FROM recall_passage p LEFT JOIN recall_item i ON i.id = p.item
  WHERE i.id IS NULL OR p.id < i.passage OR p.id >= i.passage + i.passages
  UNION ALL SELECT 1 WHERE (SELECT count(*) FROM recall_passage) <> (SELECT ifnull(sum(passages), 0) FROM recall_item)`;

/** An index of full text that lost its structure may be a good one that holds nothing. */
const PASSAGES_BY_KIND = `SELECT i.kind, count(*) AS passages FROM recall_passage p JOIN recall_item i ON i.id = p.item
  WHERE p.words > 0 GROUP BY i.kind`;
const INDEXED = "SELECT count(*) AS passages FROM recall_terms WHERE recall_terms MATCH ?";

/** What is wrong with the index, every row looked at and nothing written; undefined when nothing is. */
export function indexProblem(db: DatabaseSync): string | undefined {
  try {
    for (const table of TABLES) db.prepare(`SELECT * FROM ${table} LIMIT 1`).all();
    for (const table of WORDS) {
      const problem = String(db.prepare(`PRAGMA integrity_check(${table})`).get()?.["integrity_check"]);
      if (problem !== "ok") return problem;
    }
    for (const { kind, passages } of db.prepare(PASSAGES_BY_KIND).all()) {
      const indexed = db.prepare(INDEXED).get(`"${kindToken(String(kind))}"`)?.["passages"];
      if (indexed !== passages) return `${passages} passages of kind ${kind}, but ${indexed} in the full text`;
    }
    if (db.prepare(STRAY).get()) return "passages and items do not fit together";
    for (const { hash: kept, text } of db.prepare("SELECT hash, text FROM recall_passage").iterate())
      if (!hash("sha1", String(text), "buffer").equals(kept as Uint8Array)) return "a passage was changed";
    return undefined;
  } catch (error) {
    if (isDamage(error)) return errorText(error);
    throw error;
  }
}

/** Inside the caller's transaction: the tables anew, to be filled. Who makes the vectors stays as it was. */
export function clearIndex(db: DatabaseSync): void {
  const embedder = keptChoice(db);
  for (const view of ["recall_said", "recall_scope_size"]) db.exec(`DROP VIEW IF EXISTS ${view}`);
  for (const table of [...WORDS, NEXT_TERMS, ...TABLES]) db.exec(`DROP TABLE IF EXISTS ${table}`);
  db.exec(recallSchema);
  setNote(db, "embedder", embedder);
  setNote(db, "rebuild", "begun");
  // Numbers of rows are given anew: nobody may remember what stood under them.
  runUnit(db, noteRemoval());
}

function keptChoice(db: DatabaseSync): string | undefined {
  try {
    return noteOf(db, "embedder");
  } catch {
    return undefined; // it went with the table: the next start chooses anew
  }
}
