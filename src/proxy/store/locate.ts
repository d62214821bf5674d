// Where a request belongs: its session by key or by content, and its lane in it. Reads only.
import { optional } from "../../base/optional.ts";
import type { Result } from "../../base/result.ts";
import type { Fault } from "../../store/fault.ts";
import { allRows, oneRow, together, type Unit } from "../../store/unit.ts";
import type { HistoryItem, RequestCaller } from "../contract.ts";
import type { ProxyStore } from "./handle.ts";
import { type ChainItem, chainOf, LANE, laneById, laneOf, type StoredLane } from "./lane-row.ts";
import { commonPrefix, longestPrefix, type Match, matchLane, type Reach, recentPrefix } from "./match.ts";
import { read } from "./row-access.ts";
import { keyOf, memberSession, type ProxySession, sessionOf } from "./session.ts";

export type LaneLocation = {
  /** Undefined: it is still to be made. */
  session?: ProxySession;
  match: Match;
  /** The caller is new to the session and has proved to know it. */
  adopts: boolean;
  /** The session's oldest main lane that offers tools: what other requests are compared with. */
  main?: MainLane;
};
type MainLane = Pick<StoredLane, "id" | "tools" | "system">;

const NOWHERE: LaneLocation = { match: { type: "new" }, adopts: false };
/** A shorter history proves nothing: others may have begun the same way. */
const PROOF = "l.length >= 4 AND l.answers > 0";

export const locate = (...asked: Parameters<typeof locating>): Promise<Result<LaneLocation, Fault>> =>
  read(asked[0], () => locating(...asked));

/** `texts` are those of the first 6 items, filtered as the kept summaries are; asked for only when nothing else matched. */
export function locating(
  store: ProxyStore,
  caller: RequestCaller,
  items: readonly HistoryItem[],
  texts: () => readonly string[],
): Unit<LaneLocation> {
  const chain = chainOf(items);
  return caller.session ? byKey(store, caller, chain, texts) : byContent(store, caller, chain, texts);
}

function* byKey(
  store: ProxyStore,
  caller: RequestCaller,
  chain: readonly ChainItem[],
  texts: () => readonly string[],
): Unit<LaneLocation> {
  const key = caller.session?.key ?? "";
  const ofKey: Reach = {
    where: "l.session = (SELECT m.session FROM proxy_member m WHERE m.key = ? AND m.identity = ?)",
    values: [keyOf(store, key), caller.identity],
  };
  // Nearly every request goes on with a lane of its session: then this one round says all.
  const [session, recent, main] = yield* together(
    memberSession(store, key, caller.identity),
    recentPrefix(ofKey, chain),
    mainLane(ofKey),
  );
  const there = { ...optional("session", session), ...optional("main", main), adopts: false };
  if (recent) return { ...there, match: { type: "extends", lane: recent } };
  const match: Match = session ? yield* matchLane(inSession(session), chain, texts) : { type: "new" };
  if (match.type !== "new") return { ...there, match };
  const proved = yield* adopted(store, chain, {
    where: `s.key = ? AND s.no <> ? AND ${PROOF}`,
    values: [keyOf(store, key), session?.no ?? 0],
  });
  return proved ?? { ...there, match };
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
  const recent = yield* recentPrefix(own, chain);
  const match: Match = recent ? { type: "extends", lane: recent } : yield* matchLane(own, chain, texts);
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
  const { session } = match.lane;
  const [row, main] = yield* together(
    oneRow("SELECT * FROM proxy_session WHERE id = ?", session),
    mainLane({ where: "l.session = (SELECT s.no FROM proxy_session s WHERE s.id = ?)", values: [session] }),
  );
  return row ? { session: sessionOf(store, row), match, adopts, ...optional("main", main) } : NOWHERE;
}

function* mainLane({ where, values }: Reach): Unit<MainLane | undefined> {
  const sql = `SELECT l.id, l.state FROM proxy_lane l WHERE ${where} AND l.kind = 'main'
    AND l.state ->> 'tools' <> '[]' ORDER BY l.id LIMIT 1`;
  const row = yield* oneRow(sql, ...values);
  return row && { ...(JSON.parse(String(row["state"])) as Omit<MainLane, "id">), id: Number(row["id"]) };
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
