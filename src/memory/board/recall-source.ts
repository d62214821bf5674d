// Items of the board as items of recall, found on their own branch only.
import { allRows } from "../../store/unit.ts";
import type { RecallSource } from "../recall/store/source.ts";
import { type BoardItem, type BoardPlace, keyOf, type Src } from "./item.ts";
import { findItem } from "./row.ts";

export const boardSource: RecallSource = {
  kind: "board",
  *ids() {
    const rows = yield* allRows("SELECT repository, branch, src, name FROM dynamic_context_items");
    return rows.map((row) => {
      const text = (column: string): string => String(row[column]);
      const place = { repository: text("repository"), branch: text("branch") };
      return boardRecallId(place, { src: text("src") as Src, name: text("name") });
    });
  },
  *item(id) {
    const target = boardTarget(id);
    const item = target && (yield* findItem(target.place, target.src, target.name));
    if (!target || !item) return undefined;
    const { place } = target;
    return {
      id,
      kind: "board",
      text: `${item.name}: ${item.description}\n${item.content}`,
      role: item.src === "user" ? "user" : "assistant",
      time: Date.parse(item.updatedAt),
      seq: 0,
      place: { ...place, level: "branch", client: item.author },
    };
  },
};

const ID = /^board:([^@:]+)@([^@:]+):(agent|user)\/(.+)$/;
const escaped = (text: string): string => text.replace(/[%:@\s]/g, encodeURIComponent);

/** `board:owner/name@branch:user/item`. */
export const boardRecallId = ({ repository, branch }: BoardPlace, item: Pick<BoardItem, "src" | "name">): string =>
  `board:${escaped(repository)}@${escaped(branch)}:${keyOf(item)}`;

/** What such an id names; undefined for any other text. */
export function boardTarget(id: string): { place: BoardPlace; src: Src; name: string } | undefined {
  const [, repository, branch, src, name] = ID.exec(id) ?? [];
  if (repository === undefined || branch === undefined || name === undefined) return undefined;
  const place = { repository: decodeURIComponent(repository), branch: decodeURIComponent(branch) };
  return { place, src: src === "user" ? "user" : "agent", name };
}
