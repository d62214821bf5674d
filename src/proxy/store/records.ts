// Request records: made with the lane's commit, finished with the answer, the newest few kept.
import { optional } from "../../base/optional.ts";
import type { Result } from "../../base/result.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import type { Fault } from "../../store/fault.ts";
import type { Database } from "../../store/sqlite.ts";
import type { RequestRecord } from "../contract.ts";
import { change, type ProxyRow, type ProxyStore, readSettled } from "./handle.ts";
import type { ProxySession } from "./session.ts";
import { addTotals, countsOf } from "./totals.ts";

const KEPT = 500;
const KEPT_MS = 7 * 24 * 3600 * 1000;
const KEPT_BYTES = 256 * 1024 * 1024;

export function insertRecord(db: Database, record: RequestRecord, session: number | undefined): void {
  const text = JSON.stringify(record);
  const brief = record.items.length === 0 ? text : JSON.stringify(withoutItems(record));
  prepared(
    db,
    `INSERT INTO proxy_request (id, session, time, bytes, record, summary) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET bytes = excluded.bytes, record = excluded.record, summary = excluded.summary`,
  ).run(record.id, session ?? null, record.time, text.length + brief.length, text, brief);
}

const withoutItems = (record: RequestRecord): RequestRecord => ({
  ...record,
  items: [],
  inserted: record.items.filter(({ action }) => action === "insert").length,
});

/** Requests that went on as they came; they belong to no session. */
export function recordPassed(store: ProxyStore, records: readonly RequestRecord[]): Promise<Result<void, Fault>> {
  const sql =
    "INSERT INTO proxy_request (id, time, bytes, record, summary, passed) VALUES (?, ?, ?, ?4, ?4, 1) ON CONFLICT DO NOTHING";
  return change(
    store,
    (db) => {
      for (const record of records) {
        const text = JSON.stringify(record);
        prepared(db, sql).run(record.id, record.time, text.length, text);
      }
      prune(db, store.clock.now());
    },
    "later",
  );
}

/** It runs with every request, so it looks first: the order tells what is too many, and seldom is anything too old or too large. */
function prune(db: Database, now: string): void {
  const place = `SELECT no FROM proxy_request ORDER BY no DESC LIMIT 1 OFFSET ${KEPT}`;
  prepared(db, `DELETE FROM proxy_request WHERE no <= (${place})`).run();
  const since = new Date(Date.parse(now) - KEPT_MS).toISOString();
  const all = "SELECT min(time) AS oldest, sum(bytes) AS total FROM proxy_request INDEXED BY proxy_request_by_size";
  const { oldest, total } = prepared(db, all).get() ?? {};
  if (String(oldest) >= since && Number(total) <= KEPT_BYTES) return;
  prepared(
    db,
    `DELETE FROM proxy_request WHERE no IN (
       SELECT no FROM (SELECT no, time, sum(bytes) OVER (ORDER BY no DESC) AS total FROM proxy_request)
       WHERE time < ? OR total > ?)`,
  ).run(since, KEPT_BYTES);
}

/**
 * The end of a request: its record, the totals, the outcome of its lane. Called once. `keep: false` keeps no record.
 * A request whose session was deleted meanwhile counts in all, and leaves nothing else.
 */
export function finishRequest(
  store: ProxyStore,
  record: RequestRecord,
  options: { keep: boolean },
): Promise<Result<void, Fault>> {
  return change(
    store,
    (db) => {
      const { lane, outcome } = record;
      const session = sessionNo(db, record);
      const isGone = session === undefined && record.session !== undefined;
      if (lane !== undefined) prepared(db, "UPDATE proxy_lane SET outcome = ? WHERE id = ?").run(outcome, lane);
      addTotals(db, session, record.model, { ...countsOf(record) });
      if (!options.keep || isGone) return;
      insertRecord(db, record, session);
      prune(db, store.clock.now());
    },
    // A client asks again at once after a failure, and is known by it.
    record.outcome === "complete" ? "at-leisure" : "later",
  );
}

function sessionNo(db: Database, { lane, session }: RequestRecord): number | undefined {
  const row =
    lane === undefined
      ? prepared(db, "SELECT no FROM proxy_session WHERE id = ?").get(session ?? null)
      : prepared(db, "SELECT session AS no FROM proxy_lane WHERE id = ?").get(lane);
  return row && Number(row["no"]);
}

const recordOf = (row: ProxyRow): RequestRecord => JSON.parse(String(row["record"])) as RequestRecord;

type RequestsWanted = { session?: ProxySession; limit?: number; after?: string };

/** Newest first; `after` is the `next` of the page before. */
export function listRequests(
  store: ProxyStore,
  options: RequestsWanted = {},
): Promise<Result<{ records: RequestRecord[]; next?: string }, Fault>> {
  return readSettled(store, (db) => {
    const { limit = 50 } = options;
    const records = [...newestFirst(db, "no, record", options, "passed = 0")].slice(0, limit);
    const next = records.length === limit ? records.at(-1)?.["no"] : undefined;
    return { records: records.map(recordOf), ...optional("next", next === undefined ? undefined : String(next)) };
  });
}

/** Without their items, and with those that went on as they came; `fits` says which are wanted. */
export function findRequests(
  store: ProxyStore,
  options: RequestsWanted & { fits(record: RequestRecord): boolean },
): Promise<Result<{ records: RequestRecord[]; next?: string }, Fault>> {
  const { limit = 100, fits } = options;
  return readSettled(store, (db) => {
    const records: RequestRecord[] = [];
    let last: unknown;
    for (const row of newestFirst(db, "no, coalesce(summary, record) AS record", { ...options, limit: -1 }, "1")) {
      if (records.length === limit) return { records, next: String(last) };
      const record = recordOf(row);
      if (fits(record)) records.push(record);
      last = row["no"];
    }
    return { records };
  });
}

function newestFirst(
  db: Database,
  columns: string,
  { session, after, limit = 50 }: RequestsWanted,
  where: string,
): Iterable<ProxyRow> {
  const own = session ? "AND session = ?" : "";
  const sql = `SELECT ${columns} FROM proxy_request WHERE no < ? ${own} AND ${where} ORDER BY no DESC LIMIT ?`;
  const before = Number(after ?? Number.MAX_SAFE_INTEGER);
  return prepared(db, sql).iterate(before, ...(session ? [session.no] : []), limit);
}

/** The newest of the session's texts of ours that were put at an anchor, not later than the request. */
export function insertedTexts(
  store: ProxyStore,
  session: ProxySession,
  request: Pick<RequestRecord, "id" | "lane">,
  wanted: ReadonlySet<string>,
): Promise<Result<ReadonlyMap<string, string>, Fault>> {
  return readSettled(store, (db) => {
    const texts = new Map<string, string>();
    const no = prepared(db, "SELECT no FROM proxy_request WHERE id = ?").get(request.id)?.["no"];
    const after = String(Number(no ?? 0) + 1);
    for (const row of newestFirst(db, "record", { session, after, limit: -1 }, "1")) {
      if (texts.size === wanted.size) break;
      const { items, lane } = recordOf(row);
      if (lane !== request.lane) continue;
      for (const { kind, anchor = "", text } of items) {
        const key = `${kind} ${anchor}`;
        if (text !== undefined && wanted.has(key) && !texts.has(key)) texts.set(key, text);
      }
    }
    return texts;
  });
}

/** Without an id it gives the latest request. */
export function requestById(store: ProxyStore, id?: string): Promise<Result<RequestRecord | undefined, Fault>> {
  return readSettled(store, (db) => {
    const row =
      id === undefined
        ? prepared(db, "SELECT record FROM proxy_request WHERE passed = 0 ORDER BY no DESC LIMIT 1").get()
        : prepared(db, "SELECT record FROM proxy_request WHERE id = ?").get(id);
    return row && recordOf(row);
  });
}
