// Request records: made with the lane's commit, finished with the answer, the newest few kept.
import { optional } from "../../base/optional.ts";
import type { Result } from "../../base/result.ts";
import type { Fault } from "../../store/fault.ts";
import { allRows, execute, oneRow, type Unit } from "../../store/unit.ts";
import type { RequestRecord } from "../contract.ts";
import type { ProxyRow, ProxyStore } from "./handle.ts";
import { change, readSettled } from "./row-access.ts";
import type { ProxySession } from "./session.ts";
import { addTotals, countsOf } from "./totals.ts";

const KEPT = 500;
const KEPT_MS = 7 * 24 * 3600 * 1000;
const KEPT_BYTES = 256 * 1024 * 1024;

/** Whose records are counted together: each person's where there are many, else all of them. */
export const recordOwner = ({ tenancy }: Pick<ProxyStore, "tenancy">, session: RecordSession): string =>
  tenancy === "per-identity" ? (session?.identity ?? "") : "";

type RecordSession = Pick<ProxySession, "no" | "identity"> | undefined;

export function* insertRecord(record: RequestRecord, session: number | undefined, owner: string): Unit<void> {
  const text = JSON.stringify(record);
  const brief = record.items.length === 0 ? text : JSON.stringify(withoutItems(record));
  yield* execute(
    `INSERT INTO proxy_request (id, session, owner, time, bytes, record, summary) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET bytes = excluded.bytes, record = excluded.record, summary = excluded.summary`,
    ...[record.id, session ?? null, owner, record.time, text.length + brief.length, text, brief],
  );
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
    function* () {
      for (const record of records) {
        const text = JSON.stringify(record);
        yield* execute(sql, record.id, record.time, text.length, text);
      }
      yield* prune("", store.clock.now());
    },
    "later",
  );
}

/** It runs with every request, so it looks first: the order tells what is too many, and seldom is anything too old or too large. */
function* prune(owner: string, now: string): Unit<void> {
  const place = `SELECT no FROM proxy_request WHERE owner = ? ORDER BY no DESC LIMIT 1 OFFSET ${KEPT}`;
  yield* execute(`DELETE FROM proxy_request WHERE owner = ? AND no <= (${place})`, owner, owner);
  const since = new Date(Date.parse(now) - KEPT_MS).toISOString();
  const sums = "SELECT min(time) AS oldest, sum(bytes) AS total FROM proxy_request WHERE owner = ?";
  const all = yield* oneRow(sums, owner);
  if (String(all?.["oldest"]) >= since && Number(all?.["total"]) <= KEPT_BYTES) return;
  yield* execute(
    `DELETE FROM proxy_request WHERE no IN (
       SELECT no FROM (
         SELECT no, time, sum(bytes) OVER (ORDER BY no DESC) AS total FROM proxy_request WHERE owner = ?) AS sized
       WHERE time < ? OR total > ?)`,
    ...[owner, since, KEPT_BYTES],
  );
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
    function* () {
      const { lane, outcome } = record;
      const session = yield* sessionOfRecord(record);
      const isGone = session === undefined && record.session !== undefined;
      if (lane !== undefined) yield* execute("UPDATE proxy_lane SET outcome = ? WHERE id = ?", outcome, lane);
      yield* addTotals(session?.no, record.model, { ...countsOf(record) });
      if (!options.keep || isGone) return;
      const owner = recordOwner(store, session);
      yield* insertRecord(record, session?.no, owner);
      yield* prune(owner, store.clock.now());
    },
    // A client asks again at once after a failure, and is known by it.
    record.outcome === "complete" ? "at-leisure" : "later",
  );
}

const OF_LANE = `SELECT s.no, s.identity FROM proxy_lane AS l JOIN proxy_session AS s ON s.no = l.session WHERE l.id = ?`;

function* sessionOfRecord({ lane, session }: RequestRecord): Unit<RecordSession> {
  const row =
    lane === undefined
      ? yield* oneRow("SELECT no, identity FROM proxy_session WHERE id = ?", session ?? null)
      : yield* oneRow(OF_LANE, lane);
  return row && { no: Number(row["no"]), identity: String(row["identity"]) };
}

const recordOf = (row: ProxyRow): RequestRecord => JSON.parse(String(row["record"])) as RequestRecord;

/** `owner`: one of many people, and only theirs. */
type RequestsWanted = { session?: ProxySession; owner?: string; limit?: number; after?: string };

/** Newest first; `after` is the `next` of the page before. */
export function listRequests(
  store: ProxyStore,
  options: RequestsWanted = {},
): Promise<Result<{ records: RequestRecord[]; next?: string }, Fault>> {
  return readSettled(store, function* () {
    const { limit = 50 } = options;
    const rows = yield* newestFirst("no, record", { ...options, limit }, "passed = 0");
    const next = rows.length === limit ? rows.at(-1)?.["no"] : undefined;
    return { records: rows.map(recordOf), ...optional("next", next === undefined ? undefined : String(next)) };
  });
}

/** Records are large: so many are read at a time where it is not known how many are needed. */
const PAGE = 50;

/** Without their items, and with those that went on as they came; `fits` says which are wanted. */
export function findRequests(
  store: ProxyStore,
  options: RequestsWanted & { fits(record: RequestRecord): boolean },
): Promise<Result<{ records: RequestRecord[]; next?: string }, Fault>> {
  const { limit = 100, fits } = options;
  return readSettled(store, function* () {
    const records: RequestRecord[] = [];
    let { after } = options;
    for (;;) {
      const page = { ...options, ...optional("after", after), limit: PAGE };
      const rows = yield* newestFirst("no, coalesce(summary, record) AS record", page, "1 = 1");
      for (const row of rows) {
        if (records.length === limit) return { records, ...optional("next", after) };
        const record = recordOf(row);
        if (fits(record)) records.push(record);
        after = String(row["no"]);
      }
      if (rows.length < PAGE) return { records };
    }
  });
}

function* newestFirst(
  columns: string,
  { session, owner, after, limit = 50 }: RequestsWanted,
  where: string,
): Unit<ProxyRow[]> {
  const own = `${session ? "AND session = ?" : ""} ${owner === undefined ? "" : "AND owner = ?"}`;
  const sql = `SELECT ${columns} FROM proxy_request WHERE no < ? ${own} AND ${where} ORDER BY no DESC LIMIT ?`;
  const before = Number(after ?? Number.MAX_SAFE_INTEGER);
  const whose = [...(session ? [session.no] : []), ...(owner === undefined ? [] : [owner])];
  return yield* allRows(sql, before, ...whose, limit);
}

/** The newest of the session's texts of ours that were put at an anchor, not later than the request. */
export function insertedTexts(
  store: ProxyStore,
  session: ProxySession,
  request: Pick<RequestRecord, "id" | "lane">,
  wanted: ReadonlySet<string>,
): Promise<Result<ReadonlyMap<string, string>, Fault>> {
  return readSettled(store, function* () {
    const texts = new Map<string, string>();
    const no = (yield* oneRow("SELECT no FROM proxy_request WHERE id = ?", request.id))?.["no"];
    let after = String(Number(no ?? 0) + 1);
    for (;;) {
      const rows = yield* newestFirst("no, record", { session, after, limit: PAGE }, "1 = 1");
      for (const row of rows) {
        if (texts.size === wanted.size) return texts;
        after = String(row["no"]);
        const { items, lane } = recordOf(row);
        if (lane !== request.lane) continue;
        for (const { kind, anchor = "", text } of items) {
          const key = `${kind} ${anchor}`;
          if (text !== undefined && wanted.has(key) && !texts.has(key)) texts.set(key, text);
        }
      }
      if (rows.length < PAGE) return texts;
    }
  });
}

/** Without an id it gives the latest request. */
export function requestById(store: ProxyStore, id?: string): Promise<Result<RequestRecord | undefined, Fault>> {
  return readSettled(store, function* () {
    const row =
      id === undefined
        ? yield* oneRow("SELECT record FROM proxy_request WHERE passed = 0 ORDER BY no DESC LIMIT 1")
        : yield* oneRow("SELECT record FROM proxy_request WHERE id = ?", id);
    return row && recordOf(row);
  });
}
