// Erasing an item of the board: its row, what was noted of its changes, its words in the index, and its lines in the journal.
import { subjectId } from "../../store/journal/erase.ts";
import { eraseFromJournal } from "../../store/journal/journal.ts";
import type { Database } from "../../store/sqlite.ts";
import { indexRow } from "../recall/store/source.ts";
import { boardSource, boardTarget } from "./recall-source.ts";

/** Inside a transaction, by the id that recall gives it. It cannot be taken back. */
export function eraseBoardItem(db: Database, id: string): void {
  const target = boardTarget(id);
  if (!target) return;
  const names = [target.place.repository, target.place.branch, target.src, target.name];
  const own = "repository = ? AND branch = ? AND src = ? AND name = ?";
  for (const table of ["dynamic_context_items", "board_changes"])
    db.prepare(`DELETE FROM ${table} WHERE ${own}`).run(...names);
  indexRow(db, boardSource, id);
  eraseFromJournal(db, { kind: "board", id: subjectId(names) });
}
