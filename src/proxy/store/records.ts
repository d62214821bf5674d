// Request records: made with the lane's commit, finished with the answer, the newest few kept.
import { optional } from "../../base/optional.ts";
import type { Result } from "../../base/result.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import type { Fault } from "../../store/fault.ts";
import type { Database } from "../../store/sqlite.ts";
import type { RequestRecord } from "../contract.ts";
import { change, type ProxyRow, type ProxyStore, read } from "./handle.ts";
import type { ProxySession } from "./session.ts";
import { addTotals, countsOf } from "./totals.ts";

const KEPT = 500;
const KEPT_MS = 7 * 24 * 3600 * 1000;
const KEPT_BYTES = 256 * 1024 * 1024;

export function insertRecord(db: Database, record: RequestRecord, session: number | undefined): void {
  const text = JSON.stringify(record);
  prepared(
    db,
    `INSERT INTO proxy_request (id, session, time, bytes, record) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET bytes = excluded.bytes, record = excluded.record`,
  ).run(record.id, session ?? null, record.time, text.length, text);
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
    "later",
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

/** Newest first; `after` is the `next` of the page before. */
export function listRequests(
  store: ProxyStore,
  options: { session?: ProxySession; limit?: number; after?: string } = {},
): Promise<Result<{ records: RequestRecord[]; next?: string }, Fault>> {
  const { session, limit = 50, after } = options;
  const sql = `SELECT no, record FROM proxy_request WHERE no < ? ${session ? "AND session = ?" : ""} ORDER BY no DESC LIMIT ?`;
  return read(store, (db) => {
    const before = Number(after ?? Number.MAX_SAFE_INTEGER);
    const rows = prepared(db, sql).all(before, ...(session ? [session.no] : []), limit);
    const next = rows.length === limit ? rows.at(-1)?.["no"] : undefined;
    return { records: rows.map(recordOf), ...optional("next", next === undefined ? undefined : String(next)) };
  });
}

/** Without an id it gives the latest request. */
export function requestById(store: ProxyStore, id?: string): Promise<Result<RequestRecord | undefined, Fault>> {
  return read(store, (db) => {
    const row =
      id === undefined
        ? prepared(db, "SELECT record FROM proxy_request ORDER BY no DESC LIMIT 1").get()
        : prepared(db, "SELECT record FROM proxy_request WHERE id = ?").get(id);
    return row && recordOf(row);
  });
}
