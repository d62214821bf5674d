// Erasing a session: its index entries, what the graph learned from it alone, rows and directory. A request in flight finds nothing of it and makes nothing again.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fail, ok, type Result } from "../../base/result.ts";
import { forgetLearned } from "../../memory/forget-learned.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import { type Fault, faultOf } from "../../store/fault.ts";
import { eraseFromJournal } from "../../store/journal/journal.ts";
import { acquireLock } from "../../store/lock.ts";
import type { ItemIndexWriter } from "../remember/store-items.ts";
import { change, type ProxyStore, read } from "./handle.ts";
import { type ProxySession, recallId, sessionById, sessionOf } from "./session.ts";

const BATCH = 100;
const LOCK_MS = 5000;

/** False: there was none. */
export async function deleteSession(
  store: ProxyStore,
  id: string,
  writer: ItemIndexWriter,
): Promise<Result<boolean, Fault>> {
  const session = await sessionById(store, id);
  if (!session.ok) return session;
  return session.value ? erase(store, session.value, writer) : ok(false);
}

/** Gives how many are gone. */
export async function deleteAllSessions(store: ProxyStore, writer: ItemIndexWriter): Promise<Result<number, Fault>> {
  const rows = await read(store, (db) => prepared(db, "SELECT * FROM proxy_session").all());
  if (!rows.ok) return rows;
  for (const row of rows.value) {
    const gone = await erase(store, sessionOf(store, row), writer);
    if (!gone.ok) return gone;
  }
  return ok(rows.value.length);
}

/** Rows go before the directory, so that a deletion which was broken off leaves no session, at worst its files. */
async function erase(
  store: ProxyStore,
  session: ProxySession,
  writer: ItemIndexWriter,
): Promise<Result<boolean, Fault>> {
  const items = await eraseItems(store, session, writer);
  if (!items.ok) return items;
  return store.logs.run(async () => {
    const lock = await acquireLock(join(store.locks, `proxy-${session.id}.lock`), { limitMs: LOCK_MS });
    if (!lock.ok) return lock;
    try {
      const rows = await change(
        store,
        (db) => {
          writer.removeSession({ identity: session.identity, session: session.id });
          forgetLearned(db, session.id);
          prepared(db, "DELETE FROM proxy_total WHERE session = ?").run(session.no);
          eraseFromJournal(db, { kind: "proxy", id: String(session.no) });
          return prepared(db, "DELETE FROM proxy_session WHERE no = ?").run(session.no).changes > 0;
        },
        "later",
      );
      if (rows.ok) await rm(session.path, { recursive: true, force: true });
      return rows;
    } catch (error) {
      return fail(faultOf(error, session.path));
    } finally {
      lock.value.release();
    }
  });
}

/** Items go in slices, since a long session has many passages. */
async function eraseItems(
  store: ProxyStore,
  session: ProxySession,
  writer: ItemIndexWriter,
): Promise<Result<void, Fault>> {
  while (true) {
    const left = await change(
      store,
      (db) => {
        const rows = prepared(db, `SELECT id, own FROM proxy_item WHERE session = ? LIMIT ${BATCH}`).all(session.no);
        writer.remove(rows.map((row) => recallId(session, String(row["own"]))));
        for (const row of rows) prepared(db, "DELETE FROM proxy_item WHERE id = ?").run(Number(row["id"]));
        return rows.length;
      },
      "later",
    );
    if (!left.ok) return left;
    if (left.value < BATCH) return ok(undefined);
  }
}
