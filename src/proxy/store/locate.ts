// Where a request belongs: its session by key or by content, and its lane in it. Reads only.
import type { Result } from "../../base/result.ts";
import type { Fault } from "../../store/fault.ts";
import { allRows, oneRow, type Unit } from "../../store/unit.ts";
import type { HistoryItem, RequestCaller } from "../contract.ts";
import type { ProxyStore } from "./handle.ts";
import { type ChainItem, chainOf, LANE, laneById, laneOf, type StoredLane } from "./lane-row.ts";
import { commonPrefix, longestPrefix, type Match, matchLane, type Reach } from "./match.ts";
import { read } from "./row-access.ts";
import { keyOf, memberSession, type ProxySession, sessionOf } from "./session.ts";

export type LaneLocation = {
  /** Undefined: it is still to be made. */
  session?: ProxySession;
  match: Match;
  /** The caller is new to the session and has proved to know it. */
  adopts: boolean;
};

const NOWHERE: LaneLocation = { match: { type: "new" }, adopts: false };
/** A shorter history proves nothing: others may have begun the same way. */
const PROOF = "l.length >= 4 AND l.answers > 0";

/** `texts` are those of the first 6 items, filtered as the kept summaries are; asked for only when nothing else matched. */
export function locate(
  store: ProxyStore,
  caller: RequestCaller,
  items: readonly HistoryItem[],
  texts: () => readonly string[],
): Promise<Result<LaneLocation, Fault>> {
  const chain = chainOf(items);
  return read(store, () =>
    caller.session ? byKey(store, caller, chain, texts) : byContent(store, caller, chain, texts),
  );
}

function* byKey(
  store: ProxyStore,
  caller: RequestCaller,
  chain: readonly ChainItem[],
  texts: () => readonly string[],
): Unit<LaneLocation> {
  const key = caller.session?.key ?? "";
  const session = yield* memberSession(store, key, caller.identity);
  const match: Match = session ? yield* matchLane(inSession(session), chain, texts) : { type: "new" };
  if (match.type !== "new") return { ...(session ? { session } : {}), match, adopts: false };
  const proved = yield* adopted(store, chain, {
    where: `s.key = ? AND s.no <> ? AND ${PROOF}`,
    values: [keyOf(store, key), session?.no ?? 0],
  });
  return proved ?? { ...(session ? { session } : {}), match, adopts: false };
}

function* byContent(
  store: ProxyStore,
  caller: RequestCaller,
  chain: readonly ChainItem[],
  texts: () => readonly string[],
): Unit<LaneLocation> {
  const own = ofCaller(caller);
  if (!chain.some((item) => item.role === "assistant")) {
    const lane = yield* retried(own, chain);
    return lane ? yield* withSession(store, { type: "extends", lane }, false) : NOWHERE;
  }
  const match = yield* matchLane(own, chain, texts);
  if (match.type !== "new") return yield* withSession(store, match, false);
  const others: Reach = { where: `s.key IS NULL AND s.family = ? AND ${PROOF}`, values: [caller.family] };
  return (yield* adopted(store, chain, others)) ?? NOWHERE;
}

const inSession = (session: ProxySession): Reach => ({ where: "l.session = ?", values: [session.no] });

const ofCaller = ({ identity, family }: RequestCaller): Reach => ({
  where: `s.key IS NULL AND s.family = ? AND EXISTS (
    SELECT 1 FROM proxy_member m WHERE m.session = l.session AND m.identity = ? AND m.key IS NULL)`,
  values: [family, identity],
});

/** The very request that was a session's only one and got no answer. */
function* retried(reach: Reach, chain: readonly ChainItem[]): Unit<StoredLane | undefined> {
  const sql = `SELECT ${LANE} WHERE l.tail = ? AND l.requests = 1 AND l.outcome IN ('failed', 'incomplete')
    AND NOT EXISTS (SELECT 1 FROM proxy_lane o WHERE o.session = l.session AND o.id <> l.id)
    AND ${reach.where} ORDER BY l.id LIMIT 1`;
  const row = yield* oneRow(sql, chain.at(-1)?.id ?? "", ...reach.values);
  return row && laneOf(row);
}

function* adopted(store: ProxyStore, chain: readonly ChainItem[], reach: Reach): Unit<LaneLocation | undefined> {
  if (store.tenancy === "per-identity") return undefined;
  const lane = yield* longestPrefix(reach, chain, yield* commonPrefix(reach, chain));
  return lane && (yield* withSession(store, { type: "extends", lane }, true));
}

function* withSession(store: ProxyStore, match: Exclude<Match, { type: "new" }>, adopts: boolean): Unit<LaneLocation> {
  const row = yield* oneRow("SELECT * FROM proxy_session WHERE id = ?", match.lane.session);
  return row ? { session: sessionOf(store, row), match, adopts } : NOWHERE;
}

const RECENT_LANES = 50;
const RECENT_PROMPTS = 20;
/** Shorter prompts ("go on") stand in many histories. */
const TELLING = 12;

/**
 * The lane whose newest prompt a flattened history contains; `text` is filtered, as what is stored is. A client may leave
 * out the turns that it keeps as they are: then two older prompts tell it as well.
 */
export function locateFlattened(
  store: ProxyStore,
  caller: RequestCaller,
  text: string,
): Promise<Result<{ session: ProxySession; lane: StoredLane } | undefined, Fault>> {
  return read(store, () => flattened(store, caller, text));
}

const PROMPTS = `SELECT i.text FROM proxy_chain c JOIN proxy_lane l ON l.id = c.lane
  JOIN proxy_item i ON i.session = l.session AND i.own = c.own
  WHERE c.lane = ? AND c.prompt = 1 AND i.stored = 1 ORDER BY c.position DESC LIMIT ${RECENT_PROMPTS}`;

function* flattened(
  store: ProxyStore,
  caller: RequestCaller,
  text: string,
): Unit<{ session: ProxySession; lane: StoredLane } | undefined> {
  const member = caller.session && (yield* memberSession(store, caller.session.key, caller.identity));
  if (caller.session && !member) return undefined;
  const reach = member ? inSession(member) : ofCaller(caller);
  const lanes = `SELECT l.id FROM proxy_lane l JOIN proxy_session s ON s.no = l.session
    WHERE ${reach.where} ORDER BY l.used_at DESC, l.id DESC LIMIT ${RECENT_LANES}`;
  const flat = plain(text);
  let best: { id: number; count: number } | undefined;
  for (const row of yield* allRows(lanes, ...reach.values)) {
    const id = Number(row["id"]);
    const hits = (yield* allRows(PROMPTS, id)).map((prompt) => isIn(flat, plain(String(prompt["text"]))));
    const count = hits.filter(Boolean).length;
    if ((hits[0] || count >= 2) && count > (best?.count ?? 0)) best = { id, count };
  }
  const lane = best && (yield* laneById(best.id));
  const { session } = lane ? yield* withSession(store, { type: "extends", lane }, false) : NOWHERE;
  return lane && session && { session, lane };
}

const plain = (text: string): string => text.replace(/\s+/g, " ").trim();
const isIn = (text: string, prompt: string): boolean => prompt.length >= TELLING && text.includes(prompt);
