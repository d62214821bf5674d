// The log of a proxied session: a line for each item that left a request, once, and for what else happened to it.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../base/failure.ts";
import { newId } from "../../base/id.ts";
import { encodeLine } from "../../base/json-line.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import type { FilteredText } from "../../memory/secret/filter.ts";
import { wireOf } from "../../model/wire/registry.ts";
import { type AppendLog, MAX_LINE, openLog } from "../../store/append-log.ts";
import { type Fault, faultAt, faultOf } from "../../store/fault.ts";
import { acquireLock } from "../../store/lock.ts";
import type { Damage } from "../../store/read-log.ts";
import { spillText } from "../../store/spill.ts";
import type { Database } from "../../store/sqlite.ts";
import { change, type ProxyStore, read } from "../store/handle.ts";
import { itemOf, type ProxyItem } from "../store/item-row.ts";
import { refText } from "../store/see.ts";
import type { ProxySession } from "../store/session.ts";

type OwnKind = "client_summary" | "cut" | "state" | "spec";
export type ProxyLogLine = {
  id: string;
  ts: string;
  /** An item's line has the `logName` of its wire. */
  kind: OwnKind | (string & {});
  text: string;
  role?: string;
  type?: string;
  hash?: string;
  ref?: string;
  lane?: number;
  by?: "proxy" | "client";
  tool?: string;
  callId?: string;
  bytes?: number;
  /** The whole text, when it is too long for a line; `text` is then empty. */
  file?: { sha256: string; bytes: number };
  /** Figures of a cut, state and way of a spec. */
  about?: Readonly<Record<string, string | number>>;
};
/** Bytes that were no record and were moved away, or stay where they are. */
type Written = { damaged: Damage[] };

const BATCH = 100;
/** A cut waits for it; lines that could not be written are due until they are. */
const LOCK_MS = 1000;

export const logPath = (session: ProxySession): string => join(session.path, "events.jsonl");

export const isEvent = (value: Record<string, unknown>): boolean =>
  typeof value["id"] === "string" && typeof value["kind"] === "string" && typeof value["ts"] === "string";

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
): Promise<Result<Written, Fault>> {
  const list = JSON.stringify(owns);
  const marked = await change(store, (db) =>
    prepared(
      db,
      `UPDATE proxy_item SET dropped = ?, lane = coalesce(nullif(?, 0), lane)
       WHERE session = ? AND dropped IS NULL AND own IN (SELECT value FROM json_each(?))`,
    ).run(by, lane, session.no, list),
  );
  if (!marked.ok) return marked;
  const written = await flushEvents(store, session);
  if (!written.ok) return written;
  const sql =
    "SELECT count(*) AS n FROM proxy_item WHERE session = ? AND logged = 1 AND own IN (SELECT value FROM json_each(?))";
  const logged = await read(store, (db) => Number(prepared(db, sql).get(session.no, list)?.["n"]));
  if (!logged.ok) return logged;
  if (logged.value === new Set(owns).size) return written;
  return fail(faultAt("not_found", logPath(session), "some of the items are not stored"));
}

/** Writes the lines that are due: left out, stored, not in the log yet. */
export async function flushEvents(store: ProxyStore, session: ProxySession): Promise<Result<Written, Fault>> {
  const damaged: Damage[] = [];
  while (true) {
    const due = await read(store, (db) => dueItems(db, session).length > 0);
    if (!due.ok) return due;
    if (!due.value) return ok({ damaged });
    // Asked again when it is our turn: another writer may have written them meanwhile.
    const written = await append(store, session, (db) =>
      dueItems(db, session).map((item) => droppedEvent(session, item)),
    );
    if (!written.ok) return written;
    damaged.push(...written.value.damaged);
  }
}

export function appendEvent(
  store: ProxyStore,
  session: ProxySession,
  event: { kind: OwnKind; text: FilteredText } & Pick<ProxyLogLine, "lane" | "about">,
): Promise<Result<Written, Fault>> {
  return append(store, session, () => [{ id: newId(), ts: store.clock.now(), ...event }]);
}

function dueItems(db: Database, session: ProxySession): ProxyItem[] {
  const sql = `SELECT * FROM proxy_item WHERE session = ? AND dropped IS NOT NULL AND logged = 0 AND stored = 1 ORDER BY id LIMIT ${BATCH}`;
  return prepared(db, sql).all(session.no).map(itemOf);
}

/** The id is the item's own hash, so that a line written before a crash is known again. */
function droppedEvent(session: ProxySession, item: ProxyItem): ProxyLogLine {
  const { own, turn, item: number, wire, role, type, lane, dropped, bytes, tool, callId, text, time } = item;
  return {
    id: own,
    ts: time,
    kind: wireOf(wire).logName,
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

/** Where reading goes on: what lies before is known to be whole. */
async function knownEnd(path: string, logged: number): Promise<number> {
  try {
    return (await stat(path)).size >= logged ? logged : 0;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return 0;
    throw error;
  }
}

/** `make` is called once nobody else writes to the log. */
function append(
  store: ProxyStore,
  session: ProxySession,
  make: (db: Database) => readonly ProxyLogLine[],
): Promise<Result<Written, Fault>> {
  return store.logs.run(async () => {
    const path = logPath(session);
    const lock = await acquireLock(join(store.locks, `proxy-${session.id}.lock`), { limitMs: LOCK_MS });
    if (!lock.ok) return lock;
    let log: AppendLog | undefined;
    try {
      const row = prepared(store.db, "SELECT logged FROM proxy_session WHERE no = ?").get(session.no);
      if (!row) return ok({ damaged: [] }); // deleted meanwhile: nothing is made again
      const events = make(store.db);
      const there = new Set<string>();
      const opened = await openLog(path, {
        accept: isEvent,
        onRecord: ({ value }) => there.add(String(value["id"])),
        from: await knownEnd(path, Number(row["logged"])),
        quarantine: { folder: store.quarantine, label: `proxy-${session.id}` },
      });
      if (!opened.ok) return opened;
      log = opened.value.log;
      const { damaged } = opened.value.report;
      if (damaged.length > 0) store.onDamaged(damagedText(path, damaged));
      const written = await appendNew(log, session, events, there);
      if (!written.ok) return written;
      const noted = await note(store, session, events, log.size);
      return noted.ok ? ok({ damaged }) : noted;
    } catch (error) {
      return fail(faultOf(error, path));
    } finally {
      await log?.close();
      lock.value.release();
    }
  });
}

function damagedText(path: string, damaged: readonly Damage[]): string {
  const bytes = damaged.reduce((sum, one) => sum + one.bytes, 0);
  const moved = damaged.flatMap(({ file }) => file ?? []);
  return `${path}: ${bytes} bytes are damaged${moved.length > 0 ? ` and were moved to ${moved.join(", ")}` : ""}.`;
}

async function appendNew(
  log: AppendLog,
  session: ProxySession,
  events: readonly ProxyLogLine[],
  there: ReadonlySet<string>,
): Promise<Result<void, Fault>> {
  for (const event of events) {
    if (there.has(event.id)) continue;
    const short = await inLine(session, event);
    if (!short.ok) return short;
    const written = log.append(short.value);
    if (!written.ok) return written;
  }
  return ok(undefined);
}

/** A text that does not fit into a line stands in a file of its own first. */
async function inLine(session: ProxySession, event: ProxyLogLine): Promise<Result<ProxyLogLine, Fault>> {
  if (event.text.length * 6 < MAX_LINE - 4096 || Buffer.byteLength(encodeLine(event)) <= MAX_LINE) return ok(event);
  const spilled = await spillText(join(session.path, "files"), event.text);
  if (!spilled.ok) return spilled;
  const { sha256, bytes } = spilled.value;
  return ok({ ...event, text: "", file: { sha256, bytes } });
}

async function note(
  store: ProxyStore,
  session: ProxySession,
  events: readonly ProxyLogLine[],
  size: number,
): Promise<Result<void, Fault>> {
  const sql = "UPDATE proxy_item SET logged = 1 WHERE session = ? AND own IN (SELECT value FROM json_each(?))";
  const outcome = await change(store, (db) => {
    prepared(db, sql).run(session.no, JSON.stringify(events.map((event) => event.id)));
    prepared(db, "UPDATE proxy_session SET logged = ? WHERE no = ?").run(size, session.no);
  });
  return outcome.ok ? ok(undefined) : outcome;
}
