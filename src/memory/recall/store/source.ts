// Rows of other tables that can be recalled, one source a kind: indexed with each change of a row, and anew from all of them.
import { randomUUID } from "node:crypto";
import { setImmediate as nextRound } from "node:timers/promises";
import { ok, type Result } from "../../../base/result.ts";
import { runUnit } from "../../../store/embedded-store.ts";
import type { Fault } from "../../../store/fault.ts";
import type { Database } from "../../../store/sqlite.ts";
import { allRows, onEmbedded, type RowStore, together, type Unit } from "../../../store/unit.ts";
import type { Item, Kind } from "../item.ts";
import { addItems, removeItems } from "./change.ts";
import { isDamage } from "./damage.ts";
import { noteOf, readNote, writeNote } from "./note.ts";

export type RecallSource = {
  kind: Kind;
  /** The ids of all rows; an id is that of the row's item. */
  ids(): Unit<string[]>;
  /** The row as an item. Undefined: it is gone, or nobody may find it. */
  item(id: string): Unit<Item | undefined>;
};
/** A row that changed. */
type ChangedRow = { source: RecallSource; id: string };

const unsearchable = new WeakSet<Database>();

/** Rows that change over this connection stay out of the index until a connection with an index fills it. */
export const leaveUnindexed = (db: Database): void => void unsearchable.add(db);

/**
 * Inside the unit that changed the rows, at its end when it has many: each write to another table after this makes
 * FTS5 write out what it has gathered. A damaged index does not hinder the rows: it is filled anew when it is mended.
 */
export function* indexed(rows: readonly ChangedRow[]): Unit<void> {
  if (rows.length > 0) yield* unlessBroken(() => replaced(rows));
}

/** The same for a row that was just made: nothing of it can be in the index. */
export const indexedNew = (item: Item): Unit<void> => unlessBroken(() => put([item]));

function* unlessBroken(change: () => Unit<void>): Unit<void> {
  yield* savepoint("SAVEPOINT");
  try {
    yield* change();
  } catch (error) {
    if (!isDamage(error)) throw error;
    yield* savepoint("ROLLBACK TO");
  }
  yield* savepoint("RELEASE");
}

/** Only the embedded index is a file that can break by itself. */
const savepoint = (verb: "SAVEPOINT" | "ROLLBACK TO" | "RELEASE"): Unit<void> =>
  onEmbedded((db) => db.exec(`${verb} index_row`));

/** Inside the transaction that changed the row. */
export const indexRow = (db: Database, source: RecallSource, id: string): void =>
  runUnit(db, indexed([{ source, id }]));

function* replaced(rows: readonly ChangedRow[]): Unit<void> {
  yield* removeItems(rows.map(({ id }) => id));
  const items: Item[] = [];
  for (const item of yield* together(...rows.map(({ source, id }) => source.item(id)))) if (item) items.push(item);
  yield* put(items);
}

function* put(items: readonly Item[]): Unit<void> {
  let unindexed = false;
  yield* onEmbedded((db) => {
    unindexed = unsearchable.has(db);
  });
  if (unindexed) yield* writeNote("filled", undefined);
  else yield* addItems(items, { embed: "as noted" });
}

/** Whether rows may be missing in the index: it is new or emptied, or rows came from elsewhere than their writers. */
export const isFilled = (db: Database): boolean => noteOf(db, "filled") === WHOLE;

/** The same for any store. */
export function* hasAllRows(): Unit<boolean> {
  return (yield* readNote("filled")) === WHOLE;
}

const WHOLE = "whole";
/** One transaction, and what an event loop waits for at a time. */
const PAGE = 32;

/** Brings the index level with all rows, also with those that are gone. Returns how many rows there are. */
export async function fillFrom(
  store: RowStore,
  sources: readonly RecallSource[],
  signal?: AbortSignal,
): Promise<Result<number, Fault>> {
  // Whoever changes rows past their writers meanwhile takes the mark away, and they are filled in once more.
  const mark = randomUUID();
  const begun = await store.write(() => writeNote("filled", mark));
  if (!begun.ok) return begun;
  let count = 0;
  for (const source of sources) {
    const read = await store.read(function* () {
      return { ids: yield* source.ids(), keys: yield* keysOf(source.kind) };
    });
    if (!read.ok) return read;
    const { ids, keys } = read.value;
    const all = [...new Set([...ids, ...keys])];
    count += ids.length;
    for (let i = 0; i < all.length; i += PAGE) {
      if (signal?.aborted) return ok(count);
      const rows = all.slice(i, i + PAGE).map((id) => ({ source, id }));
      const filled = await store.write(() => replaced(rows));
      if (!filled.ok) return filled;
      await nextRound();
    }
  }
  const ended = await store.write(function* () {
    if ((yield* readNote("filled")) === mark) yield* writeNote("filled", WHOLE);
  });
  return ended.ok ? ok(count) : ended;
}

/** Inside the caller's transaction: everything of these kinds leaves the index. */
export function removeKinds(db: Database, kinds: readonly Kind[]): void {
  for (const kind of kinds) runUnit(db, removeItems(runUnit(db, keysOf(kind))));
}

function* keysOf(kind: Kind): Unit<string[]> {
  return (yield* allRows("SELECT key FROM recall_item WHERE kind = ?", kind)).map((row) => String(row["key"]));
}
