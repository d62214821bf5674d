// Proxied sessions and items in a store that was made anew: what the journal does not have, their own folders do.
import { type Dirent, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../base/failure.ts";
import { isRecord, parseJson } from "../../base/json.ts";
import { ok, type Result } from "../../base/result.ts";
import { setNote } from "../../memory/recall/store/note.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import { allWires } from "../../model/wire/registry.ts";
import type { WireName } from "../../schema/model.ts";
import type { Fault } from "../../store/fault.ts";
import { readLog } from "../../store/read-log.ts";
import { type Database, write } from "../../store/sqlite.ts";
import { isEvent, type ProxyLogLine } from "../files/log-line.ts";

type RestoredProxy = { sessions: number; items: number };

const BATCH = 100;

/** `dir` is the proxy's folder. */
export async function restoreProxied(db: Database, dir: string): Promise<Result<RestoredProxy, Fault>> {
  const restored: RestoredProxy = { sessions: 0, items: 0 };
  for (const folder of foldersIn(join(dir, "sessions"))) {
    const session = await write(db, () => sessionOf(db, folder));
    if (!session.ok) return session;
    if (session.value === undefined) continue;
    const items = await restoreItems(db, folder, session.value);
    if (!items.ok) return items;
    restored.sessions++;
    restored.items += items.value;
  }
  const counted = await write(db, () => {
    db.exec(`UPDATE proxy_session SET
      prompts = max(prompts, ifnull((SELECT max(turn) FROM proxy_item WHERE session = no), 0)),
      used_at = max(used_at, ifnull((SELECT max(time) FROM proxy_item WHERE session = no), ''))`);
    // Who searches next makes the index of the items first.
    if (db.prepare("SELECT 1 FROM proxy_item WHERE stored = 1 LIMIT 1").get()) setNote(db, "rebuild", "begun");
  });
  return counted.ok ? ok(restored) : counted;
}

type Folder = { id: string; path: string };

function foldersIn(path: string): Folder[] {
  let entries: Dirent[];
  try {
    entries = readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => ({ id: name, path: join(path, name) }));
}

/** The number of the session; undefined for a folder that is none. */
function sessionOf(db: Database, { id, path }: Folder): number | undefined {
  const row = prepared(db, "SELECT no FROM proxy_session WHERE id = ?").get(id);
  if (row) return Number(row["no"]);
  const claim = parseJson(textIn(join(path, "session.json")) ?? "");
  if (!claim.ok || !isRecord(claim.value) || typeof claim.value["identity"] !== "string") return undefined;
  const { key, identity, family, signal, createdAt } = claim.value;
  const text = (value: unknown): string => String(value ?? "");
  const keyText = typeof key === "string" ? key : null;
  const { lastInsertRowid } = prepared(
    db,
    "INSERT INTO proxy_session (id, key, identity, family, signal, created_at, used_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
  ).run(id, keyText, identity, text(family), text(signal), text(createdAt), text(createdAt));
  prepared(db, "INSERT OR IGNORE INTO proxy_member (session, identity, key) VALUES (?, ?, ?)").run(
    ...[Number(lastInsertRowid), identity, keyText],
  );
  return Number(lastInsertRowid);
}

const textIn = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
};

async function restoreItems(db: Database, folder: Folder, session: number): Promise<Result<number, Fault>> {
  const events: ProxyLogLine[] = [];
  const read = await readLog(join(folder.path, "events.jsonl"), {
    accept: isEvent,
    onRecord: ({ value }) => {
      if (wireIn(value["kind"]) !== undefined) events.push(value as ProxyLogLine);
    },
  });
  if (!read.ok) return read.error.code === "not_found" ? ok(0) : read;
  let restored = 0;
  for (let i = 0; i < events.length; i += BATCH) {
    const outcome = await write(
      db,
      () => events.slice(i, i + BATCH).filter((event) => restoreItem(db, folder, session, event)).length,
    );
    if (!outcome.ok) return outcome;
    restored += outcome.value;
  }
  return ok(restored);
}

const wireIn = (kind: unknown): WireName | undefined => allWires().find(({ logName }) => logName === kind)?.name;
const REF = /:t(\d+)\.(\d+)$/;

/** False: the journal has it; only what became of it is noted. */
function restoreItem(db: Database, { path }: Folder, session: number, event: ProxyLogLine): boolean {
  const { id: own, ts, by = "proxy", lane = null, role = "", type = "", tool = null, callId = null } = event;
  const noteDropped = prepared(db, "UPDATE proxy_item SET dropped = ?, logged = 1 WHERE session = ? AND own = ?");
  if (noteDropped.run(by, session, own).changes > 0) return false;
  const [, turn, item] = REF.exec(event.ref ?? "") ?? [];
  const text = event.file ? textIn(join(path, "files", event.file.sha256)) : event.text;
  const wire = wireIn(event.kind);
  if (turn === undefined || text === undefined || wire === undefined) return false;
  return (
    prepared(
      db,
      `INSERT OR IGNORE INTO proxy_item (session, own, turn, item, time, stored, dropped, logged, lane, wire, role, type, tool,
         call_id, bytes, indexed, text) VALUES (?, ?, ?, ?, ?, 1, ?, 1, ?, ?, ?, ?, ?, ?, ?, 1, ?)`,
    ).run(
      ...[session, own, Number(turn), Number(item), ts, by, lane, wire, role, type],
      ...[tool, callId, event.bytes ?? Buffer.byteLength(text), text],
    ).changes > 0
  );
}
