// Sessions of other agents: found by key and identity, claimed with their directory, joined by a renewed credential.
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { ItemPlace } from "../../memory/recall/item.ts";
import { type Fault, faultAt } from "../../store/fault.ts";
import { changeCount, execute, oneRow, type Unit } from "../../store/unit.ts";
import type { Family, RequestCaller } from "../contract.ts";
import type { Claim } from "../files/contract.ts";
import { directoryName } from "../identify/directory-name.ts";
import { keyedHash, type ProxyRow, type ProxyStore, textOrNone } from "./handle.ts";
import { change, read } from "./row-access.ts";

export type ProxySession = {
  /** Never used twice: what is late for a deleted session finds nothing. */
  no: number;
  /** The name of its directory. */
  id: string;
  /** Where its files are, for people. */
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
type SessionOpening = { session: ProxySession; created: boolean; adopted: boolean };

export const keyOf = (store: ProxyStore, key: string): string => keyedHash(store, "session", key);

export function sessionOf(store: ProxyStore, row: ProxyRow): ProxySession {
  const id = String(row["id"]);
  return {
    no: Number(row["no"]),
    id,
    path: store.files.placeOf(id),
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
  return read(store, function* () {
    const row = yield* oneRow("SELECT * FROM proxy_session WHERE id = ?", id);
    return row && sessionOf(store, row);
  });
}

/** The session of a key, for one who belongs to it. */
export function* memberSession(store: ProxyStore, key: string, identity: string): Unit<ProxySession | undefined> {
  const sql = `SELECT s.* FROM proxy_member m JOIN proxy_session s ON s.no = m.session WHERE m.key = ? AND m.identity = ?`;
  const row = yield* oneRow(sql, keyOf(store, key), identity);
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
  const there = store.files.isThere(session.id);
  if (!there.ok) return there;
  if (!there.value) {
    const again = await remake(store, session, claimOf(store, caller, session.identity));
    if (!again.ok) return again;
  }
  const opened: SessionOpening = { session: named(session, caller), created: false, adopted: adopts };
  if (!adopts) return ok(opened);
  const key = caller.session ? keyOf(store, caller.session.key) : null;
  const joined = await change(store, () => joining(session.no, caller.identity, key));
  return joined.ok ? ok(opened) : joined;
}

function* joining(session: number, identity: string, key: string | null): Unit<void> {
  yield* execute("DELETE FROM proxy_member WHERE key = ? AND identity = ? AND session <> ?", key, identity, session);
  yield* execute(
    `INSERT INTO proxy_member (session, identity, key) VALUES (?, ?, ?)
     ON CONFLICT (session, identity) DO UPDATE SET key = excluded.key`,
    ...[session, identity, key],
  );
}

/** The directory was removed by hand; with the session itself deleted, it stays away. */
async function remake(store: ProxyStore, session: ProxySession, mine: Claim): Promise<Result<boolean, Fault>> {
  const row = await read(store, () => oneRow("SELECT 1 FROM proxy_session WHERE no = ?", session.no));
  if (!row.ok) return row;
  return row.value
    ? store.files.claim(session.id, mine)
    : fail(faultAt("not_found", session.path, "the session was deleted"));
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
    const free = await read(store, () => isFree(name, mine));
    if (!free.ok) return free;
    if (!free.value) continue;
    const claimed = store.files.claim(name, mine);
    if (!claimed.ok) return claimed;
    if (!claimed.value) continue;
    const row = await change(store, () => insert(name, mine, caller.namespace), "soon");
    if (!row.ok) return row;
    if (!row.value) continue;
    const { created } = row.value;
    return ok({ session: named(sessionOf(store, row.value.row), caller), created, adopted: false });
  }
  return fail(faultAt("store_denied", "proxied sessions", "every name for the session belongs to others"));
}

/** The last ones are for a name that is taken by something else, such as a session found by content. */
function namesFor(store: ProxyStore, { session, identity }: RequestCaller): string[] {
  if (!session) return [0, 1, 2].map(() => `c-${store.random(8)}`);
  const second = directoryName(session.key, identity);
  return [directoryName(session.key), second, `${second}~${store.random(4)}`];
}

/** Nobody has the name, or it is this very session. */
function* isFree(name: string, mine: Claim): Unit<boolean> {
  const row = yield* oneRow("SELECT key, identity FROM proxy_session WHERE id = ?", name);
  return !row || isMine(row, mine);
}

const isMine = (row: ProxyRow, { key, identity }: Claim): boolean =>
  key !== null && row["key"] === key && row["identity"] === identity;

/** Undefined: somebody else took the name meanwhile. */
function* insert(
  id: string,
  mine: Claim,
  namespace: string | undefined,
): Unit<{ row: ProxyRow; created: boolean } | undefined> {
  const count = yield* changeCount(
    `INSERT INTO proxy_session (id, key, identity, family, signal, namespace, created_at, used_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    ...[id, mine.key, mine.identity, mine.family, mine.signal, namespace ?? null, mine.createdAt, mine.createdAt],
  );
  const row = yield* oneRow("SELECT * FROM proxy_session WHERE id = ?", id);
  const created = count === 1;
  if (!row || (!created && !isMine(row, mine))) return undefined;
  yield* execute(
    "INSERT INTO proxy_member (session, identity, key) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
    ...[Number(row["no"]), mine.identity, mine.key],
  );
  return { row, created };
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
