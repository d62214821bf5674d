// What was said in a proxied session, as events: its stored items in the order in which the gateway first saw them.
import { optional } from "../../base/optional.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import type { SessionEvent } from "../../schema/api/session.ts";
import type { Database } from "../../store/sqlite.ts";
import type { EventsPage } from "./session-events.ts";

type Row = Record<string, unknown>;

/** Cursors are the numbers of items. `before`: the last ones before that place, still oldest first. */
export function proxiedEvents(
  db: Database,
  session: string,
  { after = 0, before, limit }: { after?: number; before?: number; limit: number },
): EventsPage {
  const no = Number(prepared(db, "SELECT no FROM proxy_session WHERE id = ?").get(session)?.["no"] ?? 0);
  const last = prepared(db, "SELECT max(id) AS n FROM proxy_item WHERE session = ? AND stored = 1").get(no);
  const end = String(Math.max(after, Number(last?.["n"] ?? 0)));
  const base = "SELECT * FROM proxy_item WHERE session = ? AND stored = 1";
  if (before === undefined) {
    const rows = prepared(db, `${base} AND id > ? ORDER BY id LIMIT ?`).all(no, after, limit + 1);
    const items = rows.slice(0, limit).map(itemOf);
    return { items, end, ...optional("next", rows.length > limit ? items.at(-1)?.cursor : undefined) };
  }
  const rows = prepared(db, `${base} AND id < ? ORDER BY id DESC LIMIT ?`).all(no, before, limit + 1);
  const items = rows.slice(0, limit).reverse().map(itemOf);
  return { items, end, ...optional("previous", rows.length > limit ? items[0]?.cursor : undefined) };
}

function itemOf(row: Row): EventsPage["items"][number] {
  const ref = `t${row["turn"]}.${row["item"]}`;
  const event: SessionEvent = {
    id: ref,
    type: "proxy.item",
    timestamp: String(row["time"]),
    parentId: null,
    data: {
      ref,
      role: row["role"],
      kind: row["type"],
      text: row["text"],
      ...(row["tool"] === null ? {} : { tool: row["tool"] }),
      ...(row["call_id"] === null ? {} : { callId: row["call_id"] }),
      // Who left it out of a request, where somebody did: the gateway or the client itself.
      ...(row["dropped"] === null ? {} : { leftOutBy: row["dropped"] }),
    },
  };
  return { cursor: String(row["id"]), event };
}
