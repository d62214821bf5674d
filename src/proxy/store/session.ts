// Sessions of other agents: found by key and identity, claimed with their directory, joined by a renewed credential.
import { join } from "node:path";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { ItemPlace } from "../../memory/recall/item.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import { type Fault, faultAt } from "../../store/fault.ts";
import type { Database } from "../../store/sqlite.ts";
import type { Family, RequestCaller } from "../contract.ts";
import { directoryName } from "../identify/directory-name.ts";
import { type Claim, claim, isThere } from "./claim.ts";
import { change, keyedHash, type ProxyRow, type ProxyStore, read, sessionsFolder, textOrNone } from "./handle.ts";

export type ProxySession = {
  /** Never used twice: what is late for a deleted session finds nothing. */
  no: number;
  /** The name of its directory. */
  id: string;
  path: string;
  /** The identity of the founder: everything stored belongs to it, whoever joined later. */
  identity: string;
  family: Family;
  signal: string;
  namespace?: string;
  prompts: number;
  createdAt: string;
  usedAt: string;
};
export type SessionOpening = { session: ProxySession; created: boolean; adopted: boolean };

export const keyOf = (store: ProxyStore, key: string): string => keyedHash(store, "session", key);

export function sessionOf(store: ProxyStore, row: ProxyRow): ProxySession {
  const id = String(row["id"]);
  return {
    no: Number(row["no"]),
    id,
    path: join(sessionsFolder(store), id),
    identity: String(row["identity"]),
    family: row["family"] as Family,
    signal: String(row["signal"]),
    ...optional("namespace", textOrNone(row["namespace"])),
    prompts: Number(row["prompts"]),
    createdAt: String(row["created_at"]),
    usedAt: String(row["used_at"]),
  };
}

export function sessionById(store: ProxyStore, id: string): Promise<Result<ProxySession | undefined, Fault>> {
  return read(store, (db) => {
    const row = prepared(db, "SELECT * FROM proxy_session WHERE id = ?").get(id);
    return row && sessionOf(store, row);
  });
}

/** The session of a key, for one who belongs to it. */
export function memberSession(store: ProxyStore, key: string, identity: string): ProxySession | undefined {
  const sql = `SELECT s.* FROM proxy_member m JOIN proxy_session s ON s.no = m.session WHERE m.key = ? AND m.identity = ?`;
  const row = prepared(store.db, sql).get(keyOf(store, key), identity);
  return row && sessionOf(store, row);
}

/** Gives the session that was located, with its directory in place; makes one when there was none. */
export async function openSession(
  store: ProxyStore,
  caller: RequestCaller,
  located: { session?: ProxySession; adopts: boolean },
): Promise<Result<SessionOpening, Fault>> {
  const { session, adopts } = located;
  if (!session) return create(store, caller);
  const there = isThere(session.path);
  if (!there.ok) return there;
  if (!there.value) {
    const again = await remake(store, session, claimOf(store, caller, session.identity));
    if (!again.ok) return again;
  }
  const opened: SessionOpening = { session: named(session, caller), created: false, adopted: adopts };
  if (!adopts) return ok(opened);
  const key = caller.session ? keyOf(store, caller.session.key) : null;
  const joined = await change(store, (db) =>
    prepared(db, "INSERT OR REPLACE INTO proxy_member (session, identity, key) VALUES (?, ?, ?)").run(
      ...[session.no, caller.identity, key],
    ),
  );
  return joined.ok ? ok(opened) : joined;
}

/** The directory was removed by hand; with the session itself deleted, it stays away. */
async function remake(store: ProxyStore, session: ProxySession, mine: Claim): Promise<Result<boolean, Fault>> {
  const row = await read(store, (db) => prepared(db, "SELECT 1 FROM proxy_session WHERE no = ?").get(session.no));
  if (!row.ok) return row;
  return row.value ? claim(session.path, mine) : fail(faultAt("not_found", session.path, "the session was deleted"));
}

const named = (session: ProxySession, { namespace }: RequestCaller): ProxySession => ({
  ...session,
  ...optional("namespace", namespace),
});

const claimOf = (store: ProxyStore, caller: RequestCaller, identity = caller.identity): Claim => ({
  key: caller.session ? keyOf(store, caller.session.key) : null,
  identity,
  family: caller.family,
  signal: caller.session?.signal ?? "content",
  createdAt: store.clock.now(),
});

async function create(store: ProxyStore, caller: RequestCaller): Promise<Result<SessionOpening, Fault>> {
  const mine = claimOf(store, caller);
  for (const name of namesFor(store, caller)) {
    const free = await read(store, (db) => isFree(db, name, mine));
    if (!free.ok) return free;
    if (!free.value) continue;
    const claimed = claim(join(sessionsFolder(store), name), mine);
    if (!claimed.ok) return claimed;
    if (!claimed.value) continue;
    const row = await change(store, (db) => insert(db, name, mine, caller.namespace));
    return row.ok
      ? ok({ session: named(sessionOf(store, row.value.row), caller), created: row.value.created, adopted: false })
      : row;
  }
  return fail(faultAt("store_denied", sessionsFolder(store), "every name for the session belongs to others"));
}

/** The last ones are for a name that is taken by something else, such as a session found by content. */
function namesFor(store: ProxyStore, { session, identity }: RequestCaller): string[] {
  if (!session) return [0, 1, 2].map(() => `c-${store.random(8)}`);
  const second = directoryName(session.key, identity);
  return [directoryName(session.key), second, `${second}~${store.random(4)}`];
}

/** Nobody has the name, or it is this very session. */
function isFree(db: Database, name: string, mine: Claim): boolean {
  const row = prepared(db, "SELECT key, identity FROM proxy_session WHERE id = ?").get(name);
  return !row || (mine.key !== null && row["key"] === mine.key && row["identity"] === mine.identity);
}

function insert(
  db: Database,
  id: string,
  mine: Claim,
  namespace: string | undefined,
): { row: ProxyRow; created: boolean } {
  const { changes } = prepared(
    db,
    `INSERT OR IGNORE INTO proxy_session (id, key, identity, family, signal, namespace, created_at, used_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(id, mine.key, mine.identity, mine.family, mine.signal, namespace ?? null, mine.createdAt, mine.createdAt);
  const row = prepared(db, "SELECT * FROM proxy_session WHERE id = ?").get(id) ?? {};
  prepared(db, "INSERT OR IGNORE INTO proxy_member (session, identity, key) VALUES (?, ?, ?)").run(
    ...[Number(row["no"]), mine.identity, mine.key],
  );
  return { row, created: changes === 1 };
}

export const placeOf = (session: Pick<ProxySession, "id" | "identity" | "family" | "namespace">): ItemPlace => ({
  identity: session.identity,
  session: session.id,
  level: "session",
  client: session.family,
  ...optional("repository", session.namespace),
});

/** The id of an item in the recall engine. */
export const recallId = (session: Pick<ProxySession, "no">, own: string): string => `proxy:${session.no}:${own}`;
