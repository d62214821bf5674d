// Lanes: written in one transaction with the request that changed them, so that a restarted gateway sends the same bytes.
import { ok, type Result } from "../../base/result.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import type { Fault } from "../../store/fault.ts";
import type { Database } from "../../store/sqlite.ts";
import type { HistoryItem, LaneState, RequestRecord } from "../contract.ts";
import { change, type ProxyStore, read } from "./handle.ts";
import { type ChainItem, chainOf, columnsOf, LANE, laneById, laneOf, type StoredLane } from "./lane-row.ts";
import type { Match } from "./match.ts";
import { insertRecord } from "./records.ts";
import { knownLength, type SeenItems, seeIn } from "./see.ts";
import type { ProxySession } from "./session.ts";

export type { StoredLane } from "./lane-row.ts";

type Commit = {
  session: ProxySession;
  match: Match;
  /** Absent: the items are numbered with the commit. */
  seen?: SeenItems | undefined;
  state: LaneState;
  items: readonly HistoryItem[];
  /** Its lane is filled in; absent when no records are kept. */
  record?: RequestRecord;
};
type Committed =
  /** `fresh`: how many items the session did not know. */
  | { type: "done"; lane: StoredLane; fresh: number }
  /** Another request changed the lane meanwhile: locate and plan again. */
  | { type: "stale" }
  /** The session was deleted meanwhile: the request goes on and nothing of it is kept. */
  | { type: "gone" };

export function commitLane(store: ProxyStore, commit: Commit): Promise<Result<Committed, Fault>> {
  return change(store, (db) => {
    const { session, match, items, record } = commit;
    const now = store.clock.now();
    if (!prepared(db, "SELECT 1 FROM proxy_session WHERE no = ?").get(session.no)) return { type: "gone" };
    if (match.type !== "new" && versionOf(db, match.lane.id) !== match.lane.version) return { type: "stale" };
    const chain = chainOf(items);
    const seen = commit.seen ?? seeIn(store, db, session, match, chain);
    const id = isNewLane(match) ? insertLane(db, commit, now) : match.lane.id;
    writeChain(db, id, match, seen, chain);
    updateLane(db, id, commit, chain, now);
    prepared(db, "UPDATE proxy_session SET used_at = ?, namespace = ? WHERE no = ?").run(
      ...[now, session.namespace ?? null, session.no],
    );
    if (record) insertRecord(db, { ...record, session: session.id, lane: id, stored: seen.fresh }, session.no);
    const lane = laneById(db, id);
    return lane ? { type: "done", lane, fresh: seen.fresh } : { type: "gone" };
  });
}

const isNewLane = (match: Match): match is Extract<Match, { type: "new" | "fork" }> =>
  match.type === "new" || match.type === "fork";

function versionOf(db: Database, lane: number): number | undefined {
  const row = prepared(db, "SELECT version FROM proxy_lane WHERE id = ?").get(lane);
  return row && Number(row["version"]);
}

function insertLane(db: Database, { session, state }: Commit, now: string): number {
  const { lastInsertRowid } = prepared(
    db,
    `INSERT INTO proxy_lane (session, kind, length, tail, answers, requests, outcome, version, state, plan, summary, created_at, used_at)
     VALUES (?, ?, 0, '', 0, 0, '', 0, '', '', ?, ?, ?)`,
  ).run(session.no, state.kind, state.clientSummary ?? null, now, now);
  return Number(lastInsertRowid);
}

function writeChain(db: Database, lane: number, match: Match, seen: SeenItems, chain: readonly ChainItem[]): void {
  if (match.type === "rewritten") prepared(db, "DELETE FROM proxy_chain WHERE lane = ?").run(lane);
  if (match.type === "fork") {
    const columns = "position, link, own, strong, prompt, turn";
    const sql = `INSERT INTO proxy_chain (lane, ${columns}) SELECT ?, ${columns} FROM proxy_chain WHERE lane = ? AND position <= ?`;
    prepared(db, sql).run(lane, match.lane.id, match.at);
  }
  const from = knownLength(match);
  const insert = prepared(
    db,
    "INSERT INTO proxy_chain (lane, position, link, own, strong, prompt, turn) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  for (const [i, item] of chain.slice(from).entries()) {
    const { id, own, strong, isPrompt } = item;
    insert.run(lane, from + i + 1, id, own, strong ? 1 : 0, isPrompt ? 1 : 0, seen.turns[i] ?? 0);
  }
}

/** What is large is left alone when the plan did not touch it. */
function updateLane(
  db: Database,
  id: number,
  { match, state }: Commit,
  chain: readonly ChainItem[],
  now: string,
): void {
  const { state: small, plan } = columnsOf(state);
  const answers = chain.filter((item) => item.role === "assistant").length;
  prepared(
    db,
    `UPDATE proxy_lane SET kind = ?, length = ?, tail = ?, answers = ?, requests = requests + 1, outcome = 'pending',
     version = version + 1, state = ?, used_at = ? WHERE id = ?`,
  ).run(state.kind, chain.length, chain.at(-1)?.id ?? "", answers, small, now, id);
  const same = match.type === "extends" && match.lane.cut === state.cut && match.lane.insertions === state.insertions;
  if (!same) prepared(db, "UPDATE proxy_lane SET plan = ? WHERE id = ?").run(plan(), id);
}

export function lanesOf(store: ProxyStore, session: ProxySession): Promise<Result<StoredLane[], Fault>> {
  const sql = `SELECT ${LANE} WHERE l.session = ? ORDER BY l.id`;
  return read(store, (db) => prepared(db, sql).all(session.no).map(laneOf));
}

type MainLane = Pick<StoredLane, "id" | "tools" | "system">;

/** The session's oldest main lane that offers tools: what other requests are compared with. */
export function mainLane(store: ProxyStore, session: ProxySession): Promise<Result<MainLane | undefined, Fault>> {
  const sql = `SELECT id, state FROM proxy_lane WHERE session = ? AND kind = 'main'
    AND json_array_length(state, '$.tools') > 0 ORDER BY id LIMIT 1`;
  return read(store, (db) => {
    const row = prepared(db, sql).get(session.no);
    return row && { ...(JSON.parse(String(row["state"])) as Omit<MainLane, "id">), id: Number(row["id"]) };
  });
}

/** How much of the lane's chain stands in the request, 0 to 1. */
export function chainShare(
  store: ProxyStore,
  lane: Pick<StoredLane, "id">,
  items: readonly HistoryItem[],
): Promise<Result<number, Fault>> {
  return read(store, (db) => {
    const owns = new Set(items.map((item) => item.own));
    const rows = prepared(db, "SELECT own FROM proxy_chain WHERE lane = ?").all(lane.id);
    return rows.length === 0 ? 0 : rows.filter((row) => owns.has(String(row["own"]))).length / rows.length;
  });
}

/** The client's own summary, filtered and as `compactionText` gives it: its next request may begin with it. */
export async function noteCompaction(
  store: ProxyStore,
  session: ProxySession,
  lane: Pick<StoredLane, "id">,
  text: string,
): Promise<Result<void, Fault>> {
  const sql = "UPDATE proxy_lane SET summary = ? WHERE id = ? AND session = ?";
  const outcome = await change(store, (db) => prepared(db, sql).run(text, lane.id, session.no), "later");
  return outcome.ok ? ok(undefined) : outcome;
}
