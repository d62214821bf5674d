// Bringing the index up to a log: from the offset it reached, in small transactions, by whichever process comes first.
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { setImmediate as nextRound } from "node:timers/promises";
import { textLength } from "../../base/json.ts";
import { releaseMemory } from "../../base/release-memory.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { SessionPaths } from "../../host/paths.ts";
import { forgetObservations } from "../../memory/observe/observation.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import { type Fault, faultOf } from "../../store/fault.ts";
import { readLog } from "../../store/read-log.ts";
import { type Database, write } from "../../store/sqlite.ts";
import { eventReader } from "../read-session.ts";
import { type IndexOptions, MOST_CHARS } from "./indexed-text.ts";

/** One transaction, and what an event loop waits for at a time. */
const BATCH = { events: 100, chars: 128 * 1024 };
const PIECE = 4 * 1024 * 1024;
/** What an event of this length leaves behind is given back before the next one is filtered and stored. */
const LONG_CHARS = 1024 * 1024;

/** `unreadable`: the log is at fault, not the index; what was indexed of it stays. */
type IndexFault = Fault & { unreadable?: true };

export async function indexSession(
  db: Database,
  id: string,
  paths: SessionPaths,
  options: IndexOptions,
): Promise<Result<number, IndexFault>> {
  for (let count = 0; ; ) {
    const from = offsetOf(db, id);
    const read = await readEvents(paths, from);
    if (!read.ok) return read;
    const added = await addEvents(db, id, read.value, from, options);
    if (!added.ok) return added;
    count += added.value;
    if (read.value.isEnd || offsetOf(db, id) === from) return ok(count);
  }
}

/** The same from the log's beginning. A log that cannot be read keeps the rows that were made from it. */
export async function reindexSession(
  db: Database,
  id: string,
  paths: SessionPaths,
  options: IndexOptions,
): Promise<Result<number, IndexFault>> {
  const read = await readEvents(paths, 0);
  if (!read.ok) return read;
  const forgotten = await forgetSession(db, id);
  return forgotten.ok ? indexSession(db, id, paths, options) : forgotten;
}

/**
 * For a session that goes on although its log lost its end: what is left and what comes is indexed from the beginning.
 * What was said in the lost part stays searchable: the index has the only copy. Gives whether it was so.
 */
export async function restartIndex(db: Database, id: string, paths: SessionPaths): Promise<Result<boolean, Fault>> {
  if (isContinued(paths.events, offsetOf(db, id))) return ok(false);
  const restarted = await write(db, () => beginAnew(db, id));
  return restarted.ok ? ok(true) : restarted;
}

/** Nothing of the log counts as indexed any more. */
function beginAnew(db: Database, id: string): void {
  forgetRows(db, id);
  prepared(db, "UPDATE sessions SET event_count = 0, indexed_offset = 0 WHERE id = ?").run(id);
}

/** Whether the log is the one that was read so far. One that lost its end may have grown since, and rarely to the end of a line. */
function isContinued(path: string, from: number): boolean {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (from === 0 || size === from) return true;
  if (size < from) return false;
  const before = Buffer.alloc(1);
  const file = openSync(path, "r");
  try {
    readSync(file, before, 0, 1, from - 1);
  } finally {
    closeSync(file);
  }
  return before[0] === 0x0a;
}

/** `isEnd`: the log has no more. */
type NewEvents = { events: { event: DurableEnvelope; offset: number }[]; end: number; isEnd: boolean };

/** The next piece of the log, however long the log is: its events are in memory at once. */
async function readEvents(paths: SessionPaths, from: number): Promise<Result<NewEvents, IndexFault>> {
  try {
    const size = statSync(paths.events, { throwIfNoEntry: false })?.size ?? 0;
    if (size <= from) return ok({ events: [], end: from, isEnd: true });
  } catch (error) {
    return fail({ ...faultOf(error, paths.events), unreadable: true });
  }
  for (let limit = PIECE; ; limit *= 2) {
    const events: NewEvents["events"] = [];
    const reader = eventReader(paths, (event, record) => events.push({ event, offset: record.offset }), MOST_CHARS);
    const report = await readLog(paths.events, { ...reader, from, limit });
    if (!report.ok) return fail({ ...report.error, unreadable: true });
    const { end, size } = report.value;
    const isEnd = size < from + limit;
    // One long line, or damage that goes on.
    if (events.length > 0 || isEnd) return ok({ events, end, isEnd });
  }
}

/** What was just appended to the log of a session, from `from` to `end`. */
export type AppendedEvents = { session: string; events: readonly DurableEnvelope[]; from: number; end: number };

/**
 * In one transaction, for one session or for many; `also` happens in it whatever comes of them.
 * Gives the sessions of which nothing was taken: the index does not reach there, or is further already.
 */
export async function indexAppended(
  db: Database,
  appended: readonly AppendedEvents[],
  options: IndexOptions,
  also: () => void = () => undefined,
): Promise<Result<string[], Fault>> {
  const [{ IndexWriter }, { RecallQueue }] = await Promise.all([
    import("./write-index.ts"),
    import("./recall-queue.ts"),
  ]);
  return write(db, () => {
    also();
    const left: string[] = [];
    const recall = options.recall === false ? undefined : new RecallQueue(db);
    for (const { session, events, from, end } of appended) {
      // Another process may have indexed this part meanwhile.
      if (offsetOf(db, session) !== from) {
        left.push(session);
        continue;
      }
      const writer = new IndexWriter(db, session, { redact: options.redact, recall });
      for (const event of events) writer.add(event);
      writer.finish();
      prepared(db, "UPDATE sessions SET indexed_offset = ? WHERE id = ?").run(end, session);
    }
    recall?.write();
    return left;
  });
}

async function addEvents(
  db: Database,
  id: string,
  { events, end: last }: NewEvents,
  from: number,
  options: IndexOptions,
): Promise<Result<number, Fault>> {
  if (events.length === 0) return ok(0);
  let at = from;
  for (let i = 0, next = 0; i < events.length; i = next) {
    if (i > 0) await nextRound();
    next = endOfBatch(events, i);
    if (textLength(events[i]?.event.data) > LONG_CHARS) releaseMemory();
    const batch = events.slice(i, next).map(({ event }) => event);
    const end = events[next]?.offset ?? last;
    const outcome = await indexAppended(db, [{ session: id, events: batch, from: at, end }], options);
    if (!outcome.ok) return outcome;
    if (outcome.value.length > 0) return ok(i);
    at = end;
  }
  return ok(events.length);
}

/** A batch has at least one event, however large that is. */
function endOfBatch(events: NewEvents["events"], from: number): number {
  let chars = textLength(events[from]?.event.data);
  let end = from + 1;
  for (; end < events.length && end - from < BATCH.events; end++) {
    chars += textLength(events[end]?.event.data);
    if (chars > BATCH.chars) break;
  }
  return end;
}

function offsetOf(db: Database, id: string): number {
  return Number(prepared(db, "SELECT indexed_offset FROM sessions WHERE id = ?").get(id)?.["indexed_offset"] ?? 0);
}

/** So many items of a session leave the index at a time: taking out words costs ten times as much as putting them in. */
const FORGOTTEN = 100;

type Forgetting = { signal?: AbortSignal; after?: <T>(work: () => Promise<T>) => Promise<T> };

/**
 * What was said in a session whose log is gone leaves the index, in short transactions: nobody waits for a long one. The
 * rest is for `forgetSession`; without it a log of the same session is indexed from its beginning.
 */
export async function forgetSaid(
  db: Database,
  id: string,
  { signal, after = (work) => work() }: Forgetting = {},
): Promise<Result<void, Fault>> {
  const { RecallWriter } = await import("../../memory/recall/store/write.ts");
  const start = await write(db, () => beginAnew(db, id));
  if (!start.ok) return start;
  const some = () => write(db, () => new RecallWriter(db).removeSession({ session: id }, FORGOTTEN));
  while (!signal?.aborted) {
    const gone = await after(some);
    if (!gone.ok) return gone;
    if (gone.value < FORGOTTEN) break;
    await nextRound();
  }
  return ok(undefined);
}

/** Everything of a session leaves the index; its folder is not touched. `also` happens in the same transaction, before. */
export async function forgetSession(
  db: Database,
  id: string,
  also: (db: Database) => void = () => undefined,
): Promise<Result<void, Fault>> {
  const { RecallWriter } = await import("../../memory/recall/store/write.ts");
  return write(db, () => {
    also(db);
    new RecallWriter(db).removeSession({ session: id });
    forgetRows(db, id);
    forgetObservations(db, id);
    db.prepare("DELETE FROM sessions WHERE id = ?").run(id);
  });
}

/** All that was made of the log but the session itself and its searchable texts. */
function forgetRows(db: Database, id: string): void {
  for (const table of ["session_progress", "turns", "checkpoints", "session_files", "session_refs", "model_calls"])
    db.prepare(`DELETE FROM ${table} WHERE session_id = ?`).run(id);
}

const CALLS_KEPT_MS = 30 * 86_400_000;

/** Rows of single model calls are kept for 30 days; the logs have the usage for good. */
export function forgetOldCalls(db: Database, now: number): Promise<Result<void, Fault>> {
  const before = new Date(now - CALLS_KEPT_MS).toISOString();
  return write(db, () => void db.prepare("DELETE FROM model_calls WHERE timestamp < ?").run(before));
}
