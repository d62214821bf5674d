// The board as a model sees it: a table without contents, in a block that no cell can leave.
import { inTag } from "../../base/tag.ts";
import { boundTokens } from "../../context/fragment/fragment.ts";
import { recalled } from "../../context/fragment/recalled.ts";
import type { SecretFilter } from "../secret/filter.ts";
import type { BoardItem, BoardPlace } from "./item.ts";
import note from "./table.md";

type BoardRow = Pick<BoardItem, "src" | "name" | "description" | "readCount" | "count">;

export const EMPTY_BOARD = "The board of this repository and branch is empty.";

/** `redact`: rows are filtered again, so that a new rule covers old ones. */
export function renderBoard(place: BoardPlace, items: readonly BoardRow[], redact: SecretFilter): string {
  const cell = (text: string): string => tableCell(recalled(redact(text)));
  const rows = items.map((item) => [
    item.src,
    cell(item.name),
    cell(item.description),
    String(item.readCount),
    String(item.count),
  ]);
  const lines = [["src", "name", "description", "read_count", "count"], Array(5).fill("---"), ...rows];
  const table = items.length === 0 ? [EMPTY_BOARD] : lines.map((cells) => `| ${cells.join(" | ")} |`);
  const body = [
    `Repository: ${line(recalled(redact(place.repository)))}`,
    `Branch: ${line(recalled(redact(place.branch)))}`,
    note.trim(),
    "",
    ...table,
  ];
  return inTag("dynamic_context_board", body.join("\n"));
}

/** As many rows as stay within so many tokens; at least one, as the table tells that there is a board. */
export function boardWithin(
  place: BoardPlace,
  items: readonly BoardRow[],
  redact: SecretFilter,
  maxTokens: number,
): string {
  let shown = items.length;
  let table = renderBoard(place, items, redact);
  while (shown > 1 && boundTokens(table) > maxTokens) table = renderBoard(place, items.slice(0, --shown), redact);
  return table;
}

const line = (text: string): string => text.replace(/[\n\t]/g, " ");

/** One cell of a Markdown table: nothing in it ends the cell or the row. */
const tableCell = (text: string): string => line(text).replaceAll("\\", "\\\\").replaceAll("|", "\\|");
