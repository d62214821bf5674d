// A damaged index: how it shows, and the empty one that takes its place. It holds nothing that is not elsewhere.
import type { DatabaseSync } from "node:sqlite";
import { errorText } from "../../../base/failure.ts";
import { codeOf } from "../../../store/fault.ts";
import { recallSchema } from "../../../store/schema/recall.ts";
import { noteOf, setNote } from "./note.ts";

const MISSING = /no such table: (?:main\.)?(?:recall_|search_index)|vtable constructor failed/;

/** Whether what was thrown while the index was read or written says that the index itself is broken. */
export const isDamage = (error: unknown): boolean =>
  codeOf(error) === "store_corrupt" || MISSING.test(errorText(error));

const WORDS = ["recall_terms", "search_index"];
const TABLES = ["scope", "place", "item", "passage", "vector", "waiting", "note"].map((name) => `recall_${name}`);

/** Why the index cannot be used; undefined when every table is there and the words of it are whole. */
export function indexProblem(db: DatabaseSync): string | undefined {
  try {
    for (const table of [...WORDS, ...TABLES]) db.prepare(`SELECT * FROM ${table} LIMIT 1`).all();
    for (const table of WORDS) db.exec(`INSERT INTO ${table} (${table}) VALUES ('integrity-check')`);
    return undefined;
  } catch (error) {
    if (isDamage(error)) return errorText(error);
    throw error;
  }
}

/** Inside the caller's transaction: the tables anew, with nothing in them. Who makes the vectors stays as it was. */
export function clearIndex(db: DatabaseSync): void {
  const embedder = keptChoice(db);
  db.exec("DROP VIEW IF EXISTS recall_said");
  for (const table of [...WORDS, ...TABLES]) db.exec(`DROP TABLE IF EXISTS ${table}`);
  db.exec(recallSchema);
  setNote(db, "embedder", embedder);
}

function keptChoice(db: DatabaseSync): string | undefined {
  try {
    return noteOf(db, "embedder");
  } catch {
    return undefined; // it went with the table: the next start chooses anew
  }
}
