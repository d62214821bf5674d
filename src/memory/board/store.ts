// Changing the board: each verb is one transaction, so that capacity, counters and the log of changes hold with any number of processes.
import type { Result } from "../../base/result.ts";
import type { Fault } from "../../store/fault.ts";
import { type Database, write } from "../../store/sqlite.ts";
import { forgetOldChanges, recordChange } from "./change.ts";
import {
  type BoardItem,
  type BoardPlace,
  type BoardWriter,
  CAPACITY,
  type ItemText,
  keyOf,
  type PutOutcome,
  type RemoveOutcome,
  type Src,
  stampOf,
} from "./item.ts";
import { countItems, deleteRow, findItem, itemOf, writeRow } from "./row.ts";

/** The item with its content, counted as a reading; undefined when there is none. */
export function readItem(
  db: Database,
  { repository, branch }: BoardPlace,
  { src, name, at }: { src: Src; name: string; at: string },
): Promise<Result<BoardItem | undefined, Fault>> {
  return write(db, () => {
    const row = db
      .prepare(
        `UPDATE dynamic_context_items SET read_count = read_count + 1, last_read_at = ?
         WHERE repository = ? AND branch = ? AND src = ? AND name = ? RETURNING *`,
      )
      .get(at, repository, branch, src, name);
    return row && itemOf(row);
  });
}

/** A new session has come to see this board; what was changed too long ago, on any board, is forgotten with it. */
export function countSession(
  db: Database,
  { repository, branch }: BoardPlace,
  now: string,
): Promise<Result<void, Fault>> {
  return write(db, () => {
    forgetOldChanges(db, now);
    db.prepare("UPDATE dynamic_context_items SET count = count + 1 WHERE repository = ? AND branch = ?").run(
      repository,
      branch,
    );
  });
}

/** `only`: the item must be new, or must be there. */
export type Put = { src: Src; text: ItemText; at: string; only?: "new" | "present" };

export async function putItem(
  db: Database,
  place: BoardPlace,
  { src, text, at, only }: Put,
  writer: BoardWriter,
): Promise<Result<PutOutcome, Fault>> {
  let item: BoardItem | undefined;
  const outcome = await write(db, (): PutOutcome => {
    const before = findItem(db, place, src, text.name);
    if (isChanged(writer, { src, name: text.name }, before)) return { type: "changed_since", now: before };
    if (before && only === "new") return { type: "exists" };
    if (!before && only === "present") return { type: "not_found" };
    const { all, user } = countItems(db, place);
    if (!before && all >= CAPACITY) return { type: "board_full", userItems: user };
    item = {
      ...(before ?? { readCount: 0, count: 0, version: 0, createdAt: at, lastReadAt: null }),
      src,
      ...text,
      version: (before?.version ?? 0) + 1,
      author: writer.actor,
      source: writer.source,
      updatedAt: at,
    };
    writeRow(db, place, item);
    recordChange(db, place, { action: before ? "edit" : "add", at, before, after: item }, writer);
    return { type: "stored", isNew: before === undefined, items: all + (before ? 0 : 1) };
  });
  if (outcome.ok && outcome.value.type === "stored" && item) writer.seen?.set(keyOf(item), stampOf(item));
  return outcome;
}

/** A `src` names the item to remove; without it only what an agent wrote is removed. */
export async function removeItem(
  db: Database,
  place: BoardPlace,
  { src = "agent", name, at }: { src?: Src | undefined; name: string; at: string },
  writer: BoardWriter,
): Promise<Result<RemoveOutcome, Fault>> {
  const outcome = await write(db, (): RemoveOutcome => {
    const before = findItem(db, place, src, name);
    if (!before)
      return src === "agent" && findItem(db, place, "user", name) ? { type: "user_item" } : { type: "not_found" };
    if (isChanged(writer, before, before)) return { type: "changed_since", now: before };
    deleteRow(db, place, src, name);
    recordChange(db, place, { action: "remove", at, before, after: undefined }, writer);
    return { type: "removed", items: countItems(db, place).all };
  });
  if (outcome.ok && outcome.value.type === "removed") writer.seen?.delete(keyOf({ src, name }));
  return outcome;
}

/** Somebody else has made, changed or removed the row since this writer looked. */
function isChanged({ seen }: BoardWriter, row: Pick<BoardItem, "src" | "name">, now: BoardItem | undefined): boolean {
  return seen !== undefined && seen.get(keyOf(row)) !== (now && stampOf(now));
}

type Adopted = { copied: string[]; clashed: string[]; full: string[] };

/** Copies the items of another branch that do not clash, as many as fit. */
export function adoptItems(
  db: Database,
  place: BoardPlace,
  { items, at }: { items: readonly BoardItem[]; at: string },
  writer: BoardWriter,
): Promise<Result<Adopted, Fault>> {
  return write(db, () => {
    const report: Adopted = { copied: [], clashed: [], full: [] };
    for (const item of items) {
      const key = keyOf(item);
      if (findItem(db, place, item.src, item.name)) report.clashed.push(key);
      else if (countItems(db, place).all >= CAPACITY) report.full.push(key);
      else {
        const fresh = { readCount: 0, count: 0, version: 1, createdAt: at, updatedAt: at, lastReadAt: null };
        const after = { ...item, ...fresh };
        writeRow(db, place, after);
        recordChange(db, place, { action: "adopt", at, before: undefined, after }, writer);
        report.copied.push(key);
      }
    }
    return report;
  });
}
