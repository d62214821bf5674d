// What the index has from no log of ours: the stored items of others, memories and boards.
import { setImmediate as nextRound } from "node:timers/promises";
import type { Failure } from "../../base/failure.ts";
import { ok, type Result } from "../../base/result.ts";
import { boardSource } from "../../memory/board/recall-source.ts";
import { episodeSource, factSource } from "../../memory/graph/store/recall-source.ts";
import { pinSource } from "../../memory/pin/pin.ts";
import { keepsVectors, noteOf, setNote } from "../../memory/recall/store/note.ts";
import { fillFrom, isFilled, type RecallSource } from "../../memory/recall/store/source.ts";
import { RecallWriter } from "../../memory/recall/store/write.ts";
import { recordSource } from "../../memory/record/embedded/recall-source.ts";
import { reindexItems } from "../../proxy/store/list.ts";
import type { IndexOptions } from "../../session/index/indexed-text.ts";
import { embeddedStore, runUnit } from "../../store/embedded-store.ts";
import { type Database, write } from "../../store/sqlite.ts";

/** Every kind of row that recall finds beside what was said. */
const SOURCES: readonly RecallSource[] = [recordSource, boardSource, factSource, episodeSource, pinSource];

/** One transaction, and what an event loop waits for at a time. */
const PAGE = 32;

/** What is not in the index yet and stands in no log of ours. */
export async function fillMissing(db: Database, indexing: IndexOptions): Promise<Result<void, Failure>> {
  if (!isFilled(db)) {
    const rows = await fillRows(db, indexing);
    if (!rows.ok) return rows;
  }
  if (noteOf(db, "rebuild") === undefined) return ok(undefined);
  const items = await rebuildProxied(db, indexing.recall ?? true);
  return items.ok ? write(db, () => setNote(db, "rebuild", undefined)) : items;
}

export const fillRows = async (
  db: Database,
  { recall = true }: IndexOptions,
  signal?: AbortSignal,
): Promise<Result<number, Failure>> => (recall ? fillFrom(embeddedStore(db), SOURCES, signal) : ok(0));

/** Each page is read in the transaction that writes it: what is deleted meanwhile does not come back. */
export async function rebuildProxied(
  db: Database,
  indexed: boolean,
  signal?: AbortSignal,
): Promise<Result<number, Failure>> {
  let count = 0;
  for (let after = 0; !signal?.aborted; await nextRound()) {
    const page = await write(db, () => {
      const items = runUnit(db, reindexItems(after, PAGE));
      const writer = new RecallWriter(db, { embed: keepsVectors(db) });
      writer.remove(items.map(({ id }) => id));
      if (indexed) writer.add(items);
      return { last: items.at(-1)?.seq, count: items.length };
    });
    if (!page.ok) return page;
    if (page.value.last === undefined) break;
    after = page.value.last;
    count += page.value.count;
  }
  return ok(count);
}
