// Erasing an item of the board: its row, what was noted of its changes, its words in the index, and its lines in the journal.
import { subjectId } from "../../store/journal/erase.ts";
import { execute, forgettingText, type Unit } from "../../store/unit.ts";
import { indexed } from "../recall/store/source.ts";
import { boardSource, boardTarget } from "./recall-source.ts";

/** Inside a transaction, by the id that recall gives it. It cannot be taken back. */
export function* eraseBoardItem(id: string): Unit<void> {
  const target = boardTarget(id);
  if (!target) return;
  const names = [target.place.repository, target.place.branch, target.src, target.name];
  const own = "repository = ? AND branch = ? AND src = ? AND name = ?";
  for (const table of ["dynamic_context_items", "board_changes"])
    yield* execute(`DELETE FROM ${table} WHERE ${own}`, ...names);
  yield* indexed([{ source: boardSource, id }]);
  yield* forgettingText({ kind: "board", id: subjectId(names) });
}
