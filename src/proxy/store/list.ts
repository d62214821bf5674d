// What management shows: sessions by use, items by ref, the lines of a log; and all stored items for a new index.
import { optional } from "../../base/optional.ts";
import type { Result } from "../../base/result.ts";
import type { Item } from "../../memory/recall/item.ts";
import type { Fault } from "../../store/fault.ts";
import { allRows, oneRow, type Unit } from "../../store/unit.ts";
import { recallItem } from "../remember/recall-item.ts";
import type { ProxyStore } from "./handle.ts";
import { itemOf, type ProxyItem } from "./item-row.ts";
import { read } from "./row-access.ts";
import { type ProxySession, placeOf, sessionOf } from "./session.ts";

/** Latest use first; `q` is a part of the name or the namespace, `owner` whose they are, `after` the `next` of the page before. */
export function listSessions(
  store: ProxyStore,
  options: { q?: string; family?: string; owner?: string; limit?: number; after?: string } = {},
): Promise<Result<{ sessions: ProxySession[]; next?: string }, Fault>> {
  const { q = "", family, owner, limit = 50, after } = options;
  const [usedAt = "9999", no = "0"] = after?.split(" ") ?? [];
  const own = `${family === undefined ? "" : "AND family = ?"} ${owner === undefined ? "" : "AND identity = ?"}`;
  const sql = `SELECT * FROM proxy_session WHERE (used_at, no) < (?, ?)
    AND (? = '' OR instr(id, ?) > 0 OR instr(coalesce(namespace, ''), ?) > 0) ${own} ORDER BY used_at DESC, no DESC LIMIT ?`;
  return read(store, function* () {
    const chosen = [...(family === undefined ? [] : [family]), ...(owner === undefined ? [] : [owner])];
    const values = [usedAt, Number(no), q, q, q, ...chosen, limit];
    const rows = yield* allRows(sql, ...values);
    const last = rows.length === limit ? rows.at(-1) : undefined;
    return {
      sessions: rows.map((row) => sessionOf(store, row)),
      ...optional("next", last && `${last["used_at"]} ${last["no"]}`),
    };
  });
}

type SessionMatch = { type: "one"; session: ProxySession } | { type: "none" } | { type: "many"; ids: string[] };

/** A session is found by its name, by the beginning of it, or as the one used last. */
export function findSession(store: ProxyStore, name: string | { last: true }): Promise<Result<SessionMatch, Fault>> {
  return read(store, function* () {
    const rows =
      typeof name === "string"
        ? yield* allRows(
            "SELECT * FROM proxy_session WHERE substr(id, 1, ?) = ? ORDER BY CASE WHEN id = ? THEN 0 ELSE 1 END, id",
            ...[[...name].length, name, name],
          )
        : yield* allRows("SELECT * FROM proxy_session ORDER BY used_at DESC, no DESC LIMIT 1");
    const [first] = rows;
    if (!first) return { type: "none" };
    if (rows.length === 1 || first["id"] === name) return { type: "one", session: sessionOf(store, first) };
    return { type: "many", ids: rows.map((row) => String(row["id"])) };
  });
}

const REF = /^(?:(.+):)?t(\d{1,9})\.(\d{1,9})$/;

/** `<session>:tN.k`, or `tN.k` of the given session; with its whole text. `owner`: of one of their sessions. */
export function itemByRef(
  store: ProxyStore,
  ref: string,
  { session, owner }: { session?: ProxySession; owner?: string } = {},
): Promise<Result<(ProxyItem & { session: string }) | undefined, Fault>> {
  const [, id = session?.id, turn, item] = REF.exec(ref.trim()) ?? [];
  const sql = `SELECT i.*, s.id AS name FROM proxy_item i JOIN proxy_session s ON s.no = i.session
    WHERE s.id = ? AND i.turn = ? AND i.item = ? AND i.stored = 1 ${owner === undefined ? "" : "AND s.identity = ?"}`;
  return read(store, function* () {
    if (id === undefined || turn === undefined) return undefined;
    const row = yield* oneRow(sql, id, Number(turn), Number(item), ...(owner === undefined ? [] : [owner]));
    return row && { ...itemOf(row), session: String(row["name"]) };
  });
}

/** Stored items of the session's turns in order, with their whole texts; `item`: only those with that number. */
export function itemsOfTurns(
  store: ProxyStore,
  session: ProxySession,
  turns: { from: number; to: number; item?: number },
): Promise<Result<ProxyItem[], Fault>> {
  const { from, to, item } = turns;
  const sql = `SELECT * FROM proxy_item WHERE session = ? AND turn >= ? AND turn <= ? ${item === undefined ? "" : "AND item = ?"}
    AND stored = 1 ORDER BY turn, item LIMIT 1000`;
  return read(store, function* () {
    return (yield* allRows(sql, session.no, from, to, ...(item === undefined ? [] : [item]))).map(itemOf);
  });
}

/** The inspector shows the texts of a record's rows. */
export function textOf(
  store: ProxyStore,
  session: ProxySession,
  own: string,
): Promise<Result<string | undefined, Fault>> {
  const sql = "SELECT text FROM proxy_item WHERE session = ? AND own = ? AND stored = 1";
  return read(store, function* () {
    const row = yield* oneRow(sql, session.no, own);
    return row && String(row["text"]);
  });
}

/** Stored items as the recall engine takes them, a page at a time; `after` is the last `seq` of the page before. `owner`: whose. */
export function* reindexItems(after: number, limit = 200, owner?: string): Unit<Item[]> {
  const own = owner === undefined ? "" : "AND s.identity = ?";
  const sql = `SELECT i.*, s.no, s.id AS name, s.identity, s.family, s.namespace FROM proxy_item i
    JOIN proxy_session s ON s.no = i.session WHERE i.id > ? AND i.stored = 1 AND i.indexed = 1 ${own} ORDER BY i.id LIMIT ?`;
  return (yield* allRows(sql, after, ...(owner === undefined ? [] : [owner]), limit)).map((row) => {
    const { identity, family, namespace } = row as Pick<ProxySession, "identity" | "family"> & {
      namespace: string | null;
    };
    const session = { id: String(row["name"]), identity, family, ...optional("namespace", namespace ?? undefined) };
    return recallItem({ no: Number(row["no"]) }, placeOf(session), itemOf(row));
  });
}
