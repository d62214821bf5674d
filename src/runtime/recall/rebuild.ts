// The index anew from what it was made of: the logs of our sessions, the stored items of others, memories and boards. Others may search meanwhile.
import { setImmediate as nextRound } from "node:timers/promises";
import type { Failure } from "../../base/failure.ts";
import { ok, type Result } from "../../base/result.ts";
import { boardSource } from "../../memory/board/recall-source.ts";
import { clearIndex } from "../../memory/recall/store/damage.ts";
import { keepsVectors, noteOf, setNote } from "../../memory/recall/store/note.ts";
import { fillFrom, isFilled, type RecallSource } from "../../memory/recall/store/source.ts";
import { RecallWriter } from "../../memory/recall/store/write.ts";
import { recordSource } from "../../memory/record/embedded/recall-source.ts";
import { reindexItems } from "../../proxy/store/list.ts";
import { sessionIds } from "../../session/find-session.ts";
import { forgetSession, reindexSession } from "../../session/index/index-session.ts";
import type { IndexOptions } from "../../session/index/indexed-text.ts";
import { type Database, write } from "../../store/sqlite.ts";
import { type OnSkipped, sessionsIn } from "../store.ts";
import type { Workspace } from "../workspace.ts";

export type RebuildCounts = { sessions: number; items: number; rows: number };

/** Every kind of row that recall finds beside what was said. */
const SOURCES: readonly RecallSource[] = [recordSource, boardSource];

/** One transaction, and what an event loop waits for at a time. */
const PAGE = 32;

/** One session after the other: what a log that cannot be read gave before stays. Ends early when the signal does. */
export async function rebuildIndex(
  db: Database,
  { paths, indexing }: Pick<Workspace, "paths" | "indexing">,
  onSkipped: OnSkipped,
  signal?: AbortSignal,
): Promise<Result<RebuildCounts, Failure>> {
  const items = await rebuildProxied(db, indexing.recall ?? true, signal);
  if (!items.ok) return items;
  const rows = await fillRows(db, indexing, signal);
  if (!rows.ok) return rows;
  const ids = sessionIds(paths.sessions);
  let sessions = 0;
  for (const id of ids) {
    if (signal?.aborted) break;
    const done = await reindexSession(db, id, paths.session(id), indexing);
    if (done.ok) sessions += 1;
    else if (done.error.unreadable) onSkipped(id, done.error);
    else return done;
    await nextRound();
  }
  for (const { id } of sessionsIn(db)) {
    const gone = signal?.aborted || ids.includes(id) ? ok(undefined) : await forgetSession(db, id);
    if (!gone.ok) return gone;
  }
  const whole = signal?.aborted ? ok(undefined) : await write(db, () => setNote(db, "rebuild", undefined));
  return whole.ok ? ok({ sessions, items: items.value, rows: rows.value }) : whole;
}

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

const fillRows = async (
  db: Database,
  { recall = true }: IndexOptions,
  signal?: AbortSignal,
): Promise<Result<number, Failure>> => (recall ? fillFrom(db, SOURCES, signal) : ok(0));

/** Each page is read in the transaction that writes it: what is deleted meanwhile does not come back. */
async function rebuildProxied(db: Database, indexed: boolean, signal?: AbortSignal): Promise<Result<number, Failure>> {
  let count = 0;
  for (let after = 0; !signal?.aborted; await nextRound()) {
    const page = await write(db, () => {
      const items = reindexItems(db, after, PAGE);
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

/** An index that is beyond use makes room for an empty one; a note in it says that it is not filled yet. */
export const emptyIndex = (db: Database): Promise<Result<void, Failure>> => write(db, () => clearIndex(db));
