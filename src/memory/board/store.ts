// Changing the board: each verb is one transaction, so that capacity, counters and the log of changes hold with any number of processes.
import type { Result } from "../../base/result.ts";
import { CAPACITY } from "../../schema/board.ts";
import type { Fault } from "../../store/fault.ts";
import { execute, oneRow, type RowStore, type Unit } from "../../store/unit.ts";
import { forgetOldChanges, recordChange } from "./change.ts";
import {
  type BoardItem,
  type BoardPlace,
  type BoardWriter,
  holdBoard,
  type ItemText,
  keyOf,
  type PutOutcome,
  type RemoveOutcome,
  type Src,
  stampOf,
} from "./item.ts";
import { countItems, deleteRow, findItem, itemOf, writeRow } from "./row.ts";

const HELD = { holds: true } as const;

/** The item with its content, counted as a reading; undefined when there is none. */
export function readItem(
  store: RowStore,
  { repository, branch }: BoardPlace,
  { src, name, at }: { src: Src; name: string; at: string },
): Promise<Result<BoardItem | undefined, Fault>> {
  return store.write(function* () {
    const row = yield* oneRow(
      `UPDATE dynamic_context_items SET read_count = read_count + 1, last_read_at = ?
       WHERE repository = ? AND branch = ? AND src = ? AND name = ? RETURNING *`,
      ...[at, repository, branch, src, name],
    );
    return row && itemOf(row);
  }, HELD);
}

/** A new session has come to see this board; what was changed too long ago, on any board, is forgotten with it. */
export function countSession(store: RowStore, place: BoardPlace, now: string): Promise<Result<void, Fault>> {
  return store.write(function* () {
    // Many rows of one board at once: two that do it in another order would wait for each other.
    yield* holdBoard(place);
    yield* forgetOldChanges(now);
    yield* execute(
      "UPDATE dynamic_context_items SET count = count + 1 WHERE repository = ? AND branch = ?",
      ...[place.repository, place.branch],
    );
  }, HELD);
}

/** `only`: the item must be new, or must be there. */
export type Put = { src: Src; text: ItemText; at: string; only?: "new" | "present" };

export async function putItem(
  store: RowStore,
  place: BoardPlace,
  put: Put,
  writer: BoardWriter,
): Promise<Result<PutOutcome, Fault>> {
  let item: BoardItem | undefined;
  const outcome = await store.write(function* (): Unit<PutOutcome> {
    yield* holdBoard(place);
    const { src, text, at, only } = put;
    const before = yield* findItem(place, src, text.name);
    if (isChanged(writer, { src, name: text.name }, before)) return { type: "changed_since", now: before };
    if (before && only === "new") return { type: "exists" };
    if (!before && only === "present") return { type: "not_found" };
    const { all, user } = yield* countItems(place);
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
    yield* writeRow(place, item);
    yield* recordChange(place, { action: before ? "edit" : "add", at, before, after: item }, writer);
    return { type: "stored", isNew: before === undefined, items: all + (before ? 0 : 1) };
  }, HELD);
  if (outcome.ok && outcome.value.type === "stored" && item) writer.seen?.set(keyOf(item), stampOf(item));
  return outcome;
}

/** A `src` names the item to remove; without it only what an agent wrote is removed. */
export async function removeItem(
  store: RowStore,
  place: BoardPlace,
  { src = "agent", name, at }: { src?: Src | undefined; name: string; at: string },
  writer: BoardWriter,
): Promise<Result<RemoveOutcome, Fault>> {
  const outcome = await store.write(function* (): Unit<RemoveOutcome> {
    yield* holdBoard(place);
    const before = yield* findItem(place, src, name);
    if (!before) {
      const isUsers = src === "agent" && (yield* findItem(place, "user", name)) !== undefined;
      return isUsers ? { type: "user_item" } : { type: "not_found" };
    }
    if (isChanged(writer, before, before)) return { type: "changed_since", now: before };
    yield* deleteRow(place, src, name);
    yield* recordChange(place, { action: "remove", at, before, after: undefined }, writer);
    return { type: "removed", items: (yield* countItems(place)).all };
  }, HELD);
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
  store: RowStore,
  place: BoardPlace,
  { items, at }: { items: readonly BoardItem[]; at: string },
  writer: BoardWriter,
): Promise<Result<Adopted, Fault>> {
  return store.write(function* () {
    yield* holdBoard(place);
    const report: Adopted = { copied: [], clashed: [], full: [] };
    for (const item of items) {
      const key = keyOf(item);
      if (yield* findItem(place, item.src, item.name)) report.clashed.push(key);
      else if ((yield* countItems(place)).all >= CAPACITY) report.full.push(key);
      else {
        const fresh = { readCount: 0, count: 0, version: 1, createdAt: at, updatedAt: at, lastReadAt: null };
        const after = { ...item, ...fresh };
        yield* writeRow(place, after);
        yield* recordChange(place, { action: "adopt", at, before: undefined, after }, writer);
        report.copied.push(key);
      }
    }
    return report;
  }, HELD);
}
