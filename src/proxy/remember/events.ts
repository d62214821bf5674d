// The log of a proxied session: a line for each item that left a request, once, and for what else happened to it.
import { newId } from "../../base/id.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { FilteredText } from "../../memory/secret/filter.ts";
import { logNameOf } from "../../model/wire/registry.ts";
import { type Fault, faultAt } from "../../store/fault.ts";
import { allRows, execute, oneRow, type Unit } from "../../store/unit.ts";
import type { OwnKind, ProxyLogLine } from "../files/log-line.ts";
import type { ProxyStore } from "../store/handle.ts";
import { itemOf, type ProxyItem } from "../store/item-row.ts";
import { refText } from "../store/refs.ts";
import { change, read } from "../store/row-access.ts";
import type { ProxySession } from "../store/session.ts";

const BATCH = 100;
/**
 * Marks the items as left out and writes their lines; they must be stored. Afterwards each has exactly one line.
 * `lane` is 0 while it is still to be made.
 */
export async function dropItems(
  store: ProxyStore,
  session: ProxySession,
  lane: number,
  owns: readonly string[],
  by: "proxy" | "client",
): Promise<Result<void, Fault>> {
  const list = JSON.stringify(owns);
  const marked = await change(store, () =>
    execute(
      `UPDATE proxy_item SET dropped = ?, lane = coalesce(nullif(?, 0), lane)
       WHERE session = ? AND dropped IS NULL AND own IN (SELECT value FROM json_each(?))`,
      ...[by, lane, session.no, list],
    ),
  );
  if (!marked.ok) return marked;
  const written = await flushEvents(store, session);
  if (!written.ok) return written;
  const sql =
    "SELECT count(*) AS n FROM proxy_item WHERE session = ? AND logged = 1 AND own IN (SELECT value FROM json_each(?))";
  const logged = await read(store, () => oneRow(sql, session.no, list));
  if (!logged.ok) return logged;
  if (Number(logged.value?.["n"]) === new Set(owns).size) return written;
  return fail(faultAt("not_found", session.path, "some of the items are not stored"));
}

/** Writes the lines that are due: left out, stored, not in the log yet. */
export async function flushEvents(store: ProxyStore, session: ProxySession): Promise<Result<void, Fault>> {
  while (true) {
    const due = await read(store, () => oneRow(`SELECT 1 AS due ${DUE} LIMIT 1`, session.no));
    if (!due.ok) return due;
    if (!due.value) return ok(undefined);
    // Asked again when it is our turn: another writer may have written them meanwhile.
    const written = await store.files.append(
      session,
      () => dueLines(session),
      (lines) => noteLogged(session, lines),
    );
    if (!written.ok) return written;
  }
}

function* noteLogged(session: ProxySession, lines: readonly ProxyLogLine[]): Unit<void> {
  yield* execute(
    "UPDATE proxy_item SET logged = 1 WHERE session = ? AND own IN (SELECT value FROM json_each(?))",
    ...[session.no, JSON.stringify(lines.map(({ id }) => id))],
  );
}

function* nothing(): Unit<void> {}

export function appendEvent(
  store: ProxyStore,
  session: ProxySession,
  event: { kind: OwnKind; text: FilteredText } & Pick<ProxyLogLine, "lane" | "about">,
): Promise<Result<void, Fault>> {
  const line = { id: newId(), ts: store.clock.now(), ...event };
  // biome-ignore lint/correctness/useYield: the line is in hand
  const lines = function* (): Unit<ProxyLogLine[]> {
    return [line];
  };
  return store.files.append(session, lines, nothing);
}

const DUE = "FROM proxy_item WHERE session = ? AND dropped IS NOT NULL AND logged = 0 AND stored = 1";

function* dueLines(session: ProxySession): Unit<ProxyLogLine[]> {
  const rows = yield* allRows(`SELECT * ${DUE} ORDER BY id LIMIT ${BATCH}`, session.no);
  return rows.map((row) => droppedEvent(session, itemOf(row)));
}

/** The id is the item's own hash, so that a line written before a crash is known again. */
function droppedEvent(session: ProxySession, item: ProxyItem): ProxyLogLine {
  const { own, turn, item: number, wire, role, type, lane, dropped, bytes, tool, callId, text, time } = item;
  return {
    id: own,
    ts: time,
    kind: logNameOf(wire),
    role,
    type,
    hash: own,
    ref: refText(session.id, turn, number),
    ...(lane === undefined ? {} : { lane }),
    ...(dropped ? { by: dropped } : {}),
    ...(tool === undefined ? {} : { tool }),
    ...(callId === undefined ? {} : { callId }),
    bytes,
    text,
  };
}
