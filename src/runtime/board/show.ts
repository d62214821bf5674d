// Items and changes of the board as a person reads them.
import type { BoardChange } from "../../memory/board/change.ts";
import { type BoardItem, keyOf } from "../../memory/board/item.ts";

const time = (at: string): string => at.slice(0, 16).replace("T", " ");

export const rowText = (item: BoardItem): string =>
  `${keyOf(item)}: ${item.description} (read ${item.readCount}, shown to ${item.count} sessions)`;

export function itemText(item: BoardItem): string {
  const { source } = item;
  const origin = [
    source.session ? `session ${source.session}` : "",
    source.run ? `run ${source.run}` : "",
    source.turns?.length ? `turns ${source.turns.join(", ")}` : "",
  ].filter(Boolean);
  return [
    rowText(item),
    `version ${item.version}, by ${item.author}, ${time(item.updatedAt)}${origin.length > 0 ? `; from ${origin.join(", ")}` : ""}`,
    "",
    item.content,
  ].join("\n");
}

export function changeText(change: BoardChange): string {
  const { id, at, action, actor, run, after, before } = change;
  const about = (after ?? before)?.description ?? "";
  return `${id}  ${time(at)}  ${action} ${keyOf(change)} by ${actor}${run ? ` (${run})` : ""}: ${about}`;
}
