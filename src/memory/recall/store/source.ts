// Rows of other tables that can be recalled, one source a kind: indexed with each change of a row, and anew from all of them.
import { randomUUID } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { setImmediate as nextRound } from "node:timers/promises";
import { ok, type Result } from "../../../base/result.ts";
import type { Fault } from "../../../store/fault.ts";
import { write } from "../../../store/sqlite.ts";
import { onEmbedded, type Unit } from "../../../store/unit.ts";
import type { Item, Kind } from "../item.ts";
import { isDamage } from "./damage.ts";
import { keepsVectors, noteOf, setNote } from "./note.ts";
import { prepared } from "./statement.ts";
import { RecallWriter } from "./write.ts";

export type RecallSource = {
  kind: Kind;
  /** The ids of all rows; an id is that of the row's item. */
  ids(db: DatabaseSync): string[];
  /** The row as an item. Undefined: it is gone, or nobody may find it. */
  item(db: DatabaseSync, id: string): Item | undefined;
};

const unsearchable = new WeakSet<DatabaseSync>();

/** Rows that change over this connection stay out of the index until a connection with an index fills it. */
export const leaveUnindexed = (db: DatabaseSync): void => void unsearchable.add(db);

/** Inside the unit that changed the row: it is found as it is now. */
export const indexed = (source: RecallSource, id: string): Unit<void> => onEmbedded((db) => indexRow(db, source, id));

/** Inside the transaction that changed the row. */
export const indexRow = (db: DatabaseSync, source: RecallSource, id: string): void => indexRows(db, [{ source, id }]);

/**
 * Inside the transaction that changed the rows, at its end when it has many: each write to another table after this
 * makes FTS5 write out what it has gathered. A damaged index does not hinder the rows: it is filled anew when it is mended.
 */
export function indexRows(db: DatabaseSync, rows: readonly { source: RecallSource; id: string }[]): void {
  if (rows.length === 0) return;
  db.exec("SAVEPOINT index_row");
  try {
    replace(db, rows);
  } catch (error) {
    if (!isDamage(error)) throw error;
    db.exec("ROLLBACK TO index_row");
  } finally {
    db.exec("RELEASE index_row");
  }
}

function replace(db: DatabaseSync, rows: readonly { source: RecallSource; id: string }[]): void {
  const writer = new RecallWriter(db, { embed: keepsVectors(db) });
  writer.remove(rows.map(({ id }) => id));
  if (unsearchable.has(db)) return setNote(db, "filled", undefined);
  writer.add(rows.flatMap(({ source, id }) => source.item(db, id) ?? []));
}

/** Whether rows may be missing in the index: it is new or emptied, or rows came from elsewhere than their writers. */
export const isFilled = (db: DatabaseSync): boolean => noteOf(db, "filled") === WHOLE;

const WHOLE = "whole";
/** One transaction, and what an event loop waits for at a time. */
const PAGE = 32;

/** Brings the index level with all rows, also with those that are gone. Returns how many rows there are. */
export async function fillFrom(
  db: DatabaseSync,
  sources: readonly RecallSource[],
  signal?: AbortSignal,
): Promise<Result<number, Fault>> {
  // Whoever changes rows past their writers meanwhile takes the mark away, and they are filled in once more.
  const mark = randomUUID();
  const begun = await write(db, () => setNote(db, "filled", mark));
  if (!begun.ok) return begun;
  let count = 0;
  for (const source of sources) {
    const ids = source.ids(db);
    const indexed = prepared(db, "SELECT key FROM recall_item WHERE kind = ?").all(source.kind);
    const all = [...new Set([...ids, ...indexed.map((row) => String(row["key"]))])];
    count += ids.length;
    for (let i = 0; i < all.length; i += PAGE) {
      if (signal?.aborted) return ok(count);
      const page = all.slice(i, i + PAGE);
      const filled = await write(db, () =>
        replace(
          db,
          page.map((id) => ({ source, id })),
        ),
      );
      if (!filled.ok) return filled;
      await nextRound();
    }
  }
  const ended = await write(db, () => {
    if (noteOf(db, "filled") === mark) setNote(db, "filled", WHOLE);
  });
  return ended.ok ? ok(count) : ended;
}

/** Inside the caller's transaction: everything of these kinds leaves the index. */
export function removeKinds(db: DatabaseSync, kinds: readonly Kind[]): void {
  const keys = kinds.flatMap((kind) => prepared(db, "SELECT key FROM recall_item WHERE kind = ?").all(kind));
  new RecallWriter(db).remove(keys.map((row) => String(row["key"])));
}
