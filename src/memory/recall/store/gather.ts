// How many words of one transaction wait in memory until they are written as a piece of the index.
import type { Database } from "../../../store/sqlite.ts";

/** The words of some 4 MB of text. SQLite's own megabyte makes several pieces of them, and every piece is merged again later. */
const GATHERED_BYTES = 8 * 1024 * 1024;

/** For whoever writes much at once. It stays so for the store: short transactions never reach it. */
export function gatherWords(db: Database): void {
  for (const table of ["recall_terms", "search_index"])
    db.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('hashsize', ${GATHERED_BYTES})`);
}
