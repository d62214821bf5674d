// Erasing a session: its index entries, what the graph learned from it alone, rows and directory. A request in flight finds nothing of it and makes nothing again.
import { ok, type Result } from "../../base/result.ts";
import { forgetLearned } from "../../memory/forget-learned.ts";
import type { Fault } from "../../store/fault.ts";
import { allRows, changeCount, execute, forgettingText, onEmbedded } from "../../store/unit.ts";
import type { ItemIndex } from "../remember/item-index.ts";
import type { ProxyStore } from "./handle.ts";
import { change, read } from "./row-access.ts";
import { type ProxySession, recallId, sessionById, sessionOf } from "./session.ts";

const BATCH = 100;

/** False: there was none. */
export async function deleteSession(store: ProxyStore, id: string, index: ItemIndex): Promise<Result<boolean, Fault>> {
  const session = await sessionById(store, id);
  if (!session.ok) return session;
  return session.value ? erase(store, session.value, index) : ok(false);
}

/** Gives how many are gone. `owner`: one of many people, and only theirs. */
export async function deleteAllSessions(
  store: ProxyStore,
  index: ItemIndex,
  owner?: string,
): Promise<Result<number, Fault>> {
  const rows = await read(store, () =>
    owner === undefined
      ? allRows("SELECT * FROM proxy_session")
      : allRows("SELECT * FROM proxy_session WHERE identity = ?", owner),
  );
  if (!rows.ok) return rows;
  for (const row of rows.value) {
    const gone = await erase(store, sessionOf(store, row), index);
    if (!gone.ok) return gone;
  }
  return ok(rows.value.length);
}

/** Rows go before the directory, so that a deletion which was broken off leaves no session, at worst its files. */
async function erase(store: ProxyStore, session: ProxySession, index: ItemIndex): Promise<Result<boolean, Fault>> {
  const items = await eraseItems(store, session, index);
  if (!items.ok) return items;
  return store.files.erase(session, () =>
    change(
      store,
      function* () {
        yield* index.removeSession({ identity: session.identity, session: session.id });
        yield* onEmbedded((db) => forgetLearned(db, session.id));
        yield* execute("DELETE FROM proxy_total WHERE session = ?", session.no);
        yield* forgettingText({ kind: "proxy", id: String(session.no) });
        return (yield* changeCount("DELETE FROM proxy_session WHERE no = ?", session.no)) > 0;
      },
      "later",
    ),
  );
}

/** Items go in slices, since a long session has many passages. */
async function eraseItems(store: ProxyStore, session: ProxySession, index: ItemIndex): Promise<Result<void, Fault>> {
  while (true) {
    const left = await change(
      store,
      function* () {
        const rows = yield* allRows(`SELECT own FROM proxy_item WHERE session = ? LIMIT ${BATCH}`, session.no);
        const owns = rows.map((row) => String(row["own"]));
        yield* index.remove(owns.map((own) => recallId(session, own)));
        const sql = "DELETE FROM proxy_item WHERE session = ? AND own IN (SELECT value FROM json_each(?))";
        yield* execute(sql, session.no, JSON.stringify(owns));
        return owns.length;
      },
      "later",
    );
    if (!left.ok) return left;
    if (left.value < BATCH) return ok(undefined);
  }
}
