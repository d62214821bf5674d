// Lanes: written in one transaction with the request that changed them, so that a restarted gateway sends the same bytes.
import { ok, type Result } from "../../base/result.ts";
import type { Fault } from "../../store/fault.ts";
import { allRows, changeCount, constant, execute, insertRows, oneRow, together, type Unit } from "../../store/unit.ts";
import type { HistoryItem, LaneState, RequestRecord } from "../contract.ts";
import type { ProxyStore } from "./handle.ts";
import { type ChainItem, chainOf, columnsOf, LANE, laneOf, type StoredLane } from "./lane-row.ts";
import type { Match } from "./match.ts";
import { insertRecord, recordOwner } from "./records.ts";
import { change, read } from "./row-access.ts";
import { knownItems, knownLength, lockSession, nothingKnown, number, type SeenItems } from "./see.ts";
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

/** `soon`: the request is on its way already. */
export const commitLane = (
  store: ProxyStore,
  commit: Commit,
  when: "now" | "soon" = "now",
): Promise<Result<Committed, Fault>> => {
  const owner = recordOwner(store, commit.session);
  return change(store, () => committing(commit, owner, store.clock.now()), when);
};

function* committing(commit: Commit, owner: string, now: string): Unit<Committed> {
  const { session, match, items, record, state } = commit;
  const chain = chainOf(items);
  // What stands behind the lock is done under it, in the same round.
  const [locked, isCurrent, known] = yield* together(
    lockSession(session, now),
    isNewLane(match) ? constant(true) : updateLane(match, state, chain, now),
    commit.seen ? constant(nothingKnown()) : knownItems(session, match, chain),
  );
  if (!locked) return { type: "gone" };
  if (!isCurrent) return { type: "stale" };
  const id = isNewLane(match) ? yield* insertLane(commit, chain, now) : match.lane.id;
  const seen = commit.seen ?? (yield* number(session, match, chain, { ...locked, now, known }));
  yield* writeChain(id, match, seen, chain);
  if (record) yield* insertRecord({ ...record, session: session.id, lane: id, stored: seen.fresh }, session.no, owner);
  const version = isNewLane(match) ? 1 : match.lane.version + 1;
  const lane = { ...state, id, session: session.id, length: chain.length, tail: tailOf(chain), version };
  return { type: "done", lane, fresh: seen.fresh };
}

const isNewLane = (match: Match): match is Extract<Match, { type: "new" | "fork" }> =>
  match.type === "new" || match.type === "fork";

const tailOf = (chain: readonly ChainItem[]): string => chain.at(-1)?.id ?? "";
const answersIn = (chain: readonly ChainItem[]): number => chain.filter((item) => item.role === "assistant").length;

function* insertLane({ session, state }: Commit, chain: readonly ChainItem[], now: string): Unit<number> {
  const { state: small, plan } = columnsOf(state);
  const row = yield* oneRow(
    `INSERT INTO proxy_lane (session, kind, length, tail, answers, requests, outcome, version, state, plan, summary, created_at, used_at)
     VALUES (?, ?, ?, ?, ?, 1, 'pending', 1, ?, ?, ?, ?, ?) RETURNING id`,
    ...[session.no, state.kind, chain.length, tailOf(chain), answersIn(chain)],
    ...[small, plan(), state.clientSummary ?? null, now, now],
  );
  return Number(row?.["id"]);
}

/** False: another request changed it meanwhile. What is large is left alone when the plan did not touch it. */
function* updateLane(
  match: Extract<Match, { type: "extends" | "rewritten" }>,
  state: LaneState,
  chain: readonly ChainItem[],
  now: string,
): Unit<boolean> {
  const { lane } = match;
  const { state: small, plan } = columnsOf(state);
  const same = match.type === "extends" && lane.cut === state.cut && lane.insertions === state.insertions;
  const count = yield* changeCount(
    `UPDATE proxy_lane SET kind = ?, length = ?, tail = ?, answers = ?, requests = requests + 1, outcome = 'pending',
     version = version + 1, state = ?, used_at = ? ${same ? "" : ", plan = ?"} WHERE id = ? AND version = ?`,
    ...[state.kind, chain.length, tailOf(chain), answersIn(chain), small, now],
    ...(same ? [] : [plan()]),
    ...[lane.id, lane.version],
  );
  return count === 1;
}

const CHAIN = ["lane", "position", "link", "own", "strong", "prompt", "turn"];

function* writeChain(lane: number, match: Match, seen: SeenItems, chain: readonly ChainItem[]): Unit<void> {
  if (match.type === "rewritten") yield* execute("DELETE FROM proxy_chain WHERE lane = ?", lane);
  if (match.type === "fork") {
    const [, ...columns] = CHAIN;
    const sql = `INSERT INTO proxy_chain (${CHAIN.join(", ")})
      SELECT l.id, ${columns.join(", ")} FROM proxy_chain c JOIN proxy_lane l ON l.id = ? WHERE c.lane = ? AND position <= ?`;
    yield* execute(sql, lane, match.lane.id, match.at);
  }
  const from = knownLength(match);
  const rows = chain
    .slice(from)
    .map(({ id, own, strong, isPrompt }, i) => [
      ...[lane, from + i + 1, id, own, strong ? 1 : 0, isPrompt ? 1 : 0, seen.turns[i] ?? 0],
    ]);
  yield* insertRows("proxy_chain", CHAIN, rows);
}

export function lanesOf(store: ProxyStore, session: ProxySession): Promise<Result<StoredLane[], Fault>> {
  const sql = `SELECT ${LANE} WHERE l.session = ? ORDER BY l.id`;
  return read(store, function* () {
    return (yield* allRows(sql, session.no)).map(laneOf);
  });
}

/** How much of the lane's chain stands in the request, 0 to 1. */
export function chainShare(
  store: ProxyStore,
  lane: Pick<StoredLane, "id">,
  items: readonly HistoryItem[],
): Promise<Result<number, Fault>> {
  return read(store, function* () {
    const owns = new Set(items.map((item) => item.own));
    const rows = yield* allRows("SELECT own FROM proxy_chain WHERE lane = ?", lane.id);
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
  const outcome = await change(store, () => execute(sql, text, lane.id, session.no), "later");
  return outcome.ok ? ok(undefined) : outcome;
}
