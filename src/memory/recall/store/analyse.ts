// A new analyser reads every indexed text anew, in short transactions: the old words answer until the new ones take their place.
import type { DatabaseSync } from "node:sqlite";
import { setImmediate as nextRound } from "node:timers/promises";
import { ok, type Result } from "../../../base/result.ts";
import type { Fault } from "../../../store/fault.ts";
import { recallTerms } from "../../../store/schema/recall.ts";
import { type Database, write } from "../../../store/sqlite.ts";
import { ANALYSER } from "../text/tokens.ts";
import { analysing, NEXT_TERMS, noteOf, setNote } from "./note.ts";
import { RecallWriter } from "./write.ts";

const PAGE = 32;

/** An empty index is of any version: its first item notes the present one. */
const isAnalysed = (db: DatabaseSync): boolean =>
  noteOf(db, "analyser") === ANALYSER || db.prepare("SELECT 1 FROM recall_item LIMIT 1").get() === undefined;

/** Goes on where an earlier process stopped. Processes that do it at the same time share the work. */
export async function analyseAnew(db: Database, signal: AbortSignal): Promise<Result<void, Fault>> {
  while (!signal.aborted && !isAnalysed(db)) {
    const page = await write(db, () => {
      if (isAnalysed(db)) return;
      if (analysing(db) === undefined) begin(db);
      const last = new RecallWriter(db).analyse(NEXT_TERMS, analysing(db) ?? 0, PAGE);
      if (last === undefined) swap(db);
      else setNote(db, "analysing", `${ANALYSER} ${last}`);
    });
    if (!page.ok) return page;
    await nextRound();
  }
  return ok(undefined);
}

function begin(db: DatabaseSync): void {
  db.exec(`DROP TABLE IF EXISTS ${NEXT_TERMS}; ${recallTerms(NEXT_TERMS)}`);
  db.exec(`INSERT INTO ${NEXT_TERMS} (${NEXT_TERMS}, rank) VALUES ('secure-delete', 1)`);
  setNote(db, "analysing", `${ANALYSER} 0`);
}

function swap(db: DatabaseSync): void {
  db.exec(`DROP TABLE recall_terms; ALTER TABLE ${NEXT_TERMS} RENAME TO recall_terms`);
  setNote(db, "analysing", undefined);
  setNote(db, "analyser", ANALYSER);
  // What searches count of the old words is forgotten.
  db.exec("INSERT OR REPLACE INTO recall_note (name, value) VALUES ('removed', hex(randomblob(8)))");
}
