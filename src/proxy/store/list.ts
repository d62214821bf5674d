// What management shows: sessions by use, items by ref, the lines of a log; and all stored items for a new index.
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { Item } from "../../memory/recall/item.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import type { Fault } from "../../store/fault.ts";
import { readLog } from "../../store/read-log.ts";
import type { Database } from "../../store/sqlite.ts";
import { isEvent, logPath, type ProxyLogLine } from "../remember/events.ts";
import { recallItem } from "../remember/recall-item.ts";
import { type ProxyStore, read } from "./handle.ts";
import { itemOf, type ProxyItem } from "./item-row.ts";
import { type ProxySession, placeOf, sessionOf } from "./session.ts";

/** Latest use first; `q` is a part of the name or the namespace, `after` the `next` of the page before. */
export function listSessions(
  store: ProxyStore,
  options: { q?: string; family?: string; limit?: number; after?: string } = {},
): Promise<Result<{ sessions: ProxySession[]; next?: string }, Fault>> {
  const { q = "", family, limit = 50, after } = options;
  const [usedAt = "9999", no = "0"] = after?.split(" ") ?? [];
  const sql = `SELECT * FROM proxy_session WHERE (used_at, no) < (?1, ?2) AND (?3 IS NULL OR family = ?3)
    AND (instr(id, ?4) > 0 OR instr(coalesce(namespace, ''), ?4) > 0) ORDER BY used_at DESC, no DESC LIMIT ?5`;
  return read(store, (db) => {
    const rows = prepared(db, sql).all(usedAt, Number(no), family ?? null, q, limit);
    const last = rows.length === limit ? rows.at(-1) : undefined;
    return {
      sessions: rows.map((row) => sessionOf(store, row)),
      ...optional("next", last && `${last["used_at"]} ${last["no"]}`),
    };
  });
}

export type SessionMatch = { type: "one"; session: ProxySession } | { type: "none" } | { type: "many"; ids: string[] };

/** A session is found by its name, by the beginning of it, or as the one used last. */
export function findSession(store: ProxyStore, name: string | { last: true }): Promise<Result<SessionMatch, Fault>> {
  return read(store, (db) => {
    const rows =
      typeof name === "string"
        ? prepared(
            db,
            "SELECT * FROM proxy_session WHERE substr(id, 1, length(?1)) = ?1 ORDER BY id = ?1 DESC, id",
          ).all(name)
        : prepared(db, "SELECT * FROM proxy_session ORDER BY used_at DESC, no DESC LIMIT 1").all();
    const [first] = rows;
    if (!first) return { type: "none" };
    if (rows.length === 1 || first["id"] === name) return { type: "one", session: sessionOf(store, first) };
    return { type: "many", ids: rows.map((row) => String(row["id"])) };
  });
}

const REF = /^(?:(.+):)?t(\d{1,9})\.(\d{1,9})$/;

/** `<session>:tN.k`, or `tN.k` of the given session; with its whole text. */
export function itemByRef(
  store: ProxyStore,
  ref: string,
  session?: ProxySession,
): Promise<Result<(ProxyItem & { session: string }) | undefined, Fault>> {
  const [, id = session?.id, turn, item] = REF.exec(ref.trim()) ?? [];
  const sql = `SELECT i.*, s.id AS name FROM proxy_item i JOIN proxy_session s ON s.no = i.session
    WHERE s.id = ? AND i.turn = ? AND i.item = ? AND i.stored = 1`;
  return read(store, (db) => {
    if (id === undefined || turn === undefined) return undefined;
    const row = prepared(db, sql).get(id, Number(turn), Number(item));
    return row && { ...itemOf(row), session: String(row["name"]) };
  });
}

/** Stored items of the session's turns in order, with their whole texts; `item`: only those with that number. */
export function itemsOfTurns(
  store: ProxyStore,
  session: ProxySession,
  turns: { from: number; to: number; item?: number },
): Promise<Result<ProxyItem[], Fault>> {
  const sql = `SELECT * FROM proxy_item WHERE session = ?1 AND turn >= ?2 AND turn <= ?3 AND (?4 IS NULL OR item = ?4)
    AND stored = 1 ORDER BY turn, item LIMIT 1000`;
  return read(store, (db) =>
    prepared(db, sql)
      .all(session.no, turns.from, turns.to, turns.item ?? null)
      .map(itemOf),
  );
}

/** The inspector shows the texts of a record's rows. */
export function textOf(
  store: ProxyStore,
  session: ProxySession,
  own: string,
): Promise<Result<string | undefined, Fault>> {
  const sql = "SELECT text FROM proxy_item WHERE session = ? AND own = ? AND stored = 1";
  return read(store, (db) => {
    const row = prepared(db, sql).get(session.no, own);
    return row && String(row["text"]);
  });
}

/** Oldest first; `after` is the `next` of the page before. A log that was never written is empty. */
export async function listEvents(
  session: ProxySession,
  options: { after?: number; kind?: string; limit?: number } = {},
): Promise<Result<{ events: ProxyLogLine[]; next?: number }, Fault>> {
  const { after = 0, kind, limit = 50 } = options;
  const events: ProxyLogLine[] = [];
  const enough = new AbortController();
  let next: number | undefined;
  const outcome = await readLog(logPath(session), {
    accept: isEvent,
    from: after,
    signal: enough.signal,
    onRecord: ({ value, offset }) => {
      if (kind !== undefined && value["kind"] !== kind) return;
      if (events.length < limit) events.push(value as ProxyLogLine);
      else if (next === undefined) {
        next = offset;
        enough.abort(Object.assign(new Error("the page is full"), { code: "ECANCELED" }));
      }
    },
  });
  if (outcome.ok || next !== undefined) return ok({ events, ...optional("next", next) });
  return outcome.error.code === "not_found" ? ok({ events: [] }) : fail(outcome.error);
}

/** Stored items as the recall engine takes them, a page at a time; `after` is the last `seq` of the page before. */
export function reindexItems(db: Database, after: number, limit = 200): Item[] {
  const sql = `SELECT i.*, s.no, s.id AS name, s.identity, s.family, s.namespace FROM proxy_item i
    JOIN proxy_session s ON s.no = i.session WHERE i.id > ? AND i.stored = 1 AND i.indexed = 1 ORDER BY i.id LIMIT ?`;
  return prepared(db, sql)
    .all(after, limit)
    .map((row) => {
      const { identity, family, namespace } = row as Pick<ProxySession, "identity" | "family"> & {
        namespace: string | null;
      };
      const session = { id: String(row["name"]), identity, family, ...optional("namespace", namespace ?? undefined) };
      return recallItem({ no: Number(row["no"]) }, placeOf(session), itemOf(row));
    });
}
