// Refs are given at first sight and never change: `tN.k`, the N-th prompt of the session over all its lanes, its k-th item.
import { ok, type Result } from "../../base/result.ts";
import type { Fault } from "../../store/fault.ts";
import { allRows, execute, insertRows, oneRow, type SqlValue, together, type Unit } from "../../store/unit.ts";
import type { HistoryItem } from "../contract.ts";
import type { ProxyStore } from "./handle.ts";
import { type ChainItem, chainOf } from "./lane-row.ts";
import type { Match } from "./match.ts";
import { ItemRefs } from "./refs.ts";
import { change } from "./row-access.ts";
import type { ProxySession } from "./session.ts";

/** The turns of the chain's items behind the first `from`, which the lane had already; `fresh`: how many the session did not know. */
export type SeenItems = { from: number; turns: readonly number[]; fresh: number };

export async function see(
  store: ProxyStore,
  session: ProxySession,
  match: Match,
  items: readonly HistoryItem[],
): Promise<Result<SeenItems, Fault>> {
  const chain = chainOf(items);
  const from = knownLength(match);
  if (from >= chain.length) return ok({ from, turns: [], fresh: 0 });
  return change(store, function* () {
    const now = store.clock.now();
    const [locked, known] = yield* together(lockSession(session, now), knownItems(session, match, chain));
    if (locked) return yield* number(session, match, chain, { ...locked, now, known });
    return { from, turns: chain.slice(from).map(() => 0), fresh: 0 };
  });
}

/** How many prompts a session had when it was locked, what it knew then, and the time that its new items get. */
type LockedSession = { prompts: number; known: KnownItems; now: string };

/** First in a transaction that numbers items: until its end nobody else does. Undefined: the session was deleted. */
export function* lockSession(session: ProxySession, now: string): Unit<{ prompts: number } | undefined> {
  const row = yield* oneRow(
    "UPDATE proxy_session SET used_at = ?, namespace = ? WHERE no = ? RETURNING prompts",
    ...[now, session.namespace ?? null, session.no],
  );
  return row && { prompts: Number(row["prompts"]) };
}

export function knownLength(match: Match): number {
  if (match.type === "extends") return match.lane.length;
  return match.type === "fork" ? match.at : 0;
}

/** What the session knows of a chain's later items, and of the turn that they begin in. */
type KnownItems = { turnOf: Map<string, number>; turn: number; lastItem: number };

export const nothingKnown = (): KnownItems => ({ turnOf: new Map(), turn: 0, lastItem: 0 });

/** For whoever has locked the session, and may ask in the same round. */
export function* knownItems(session: ProxySession, match: Match, chain: readonly ChainItem[]): Unit<KnownItems> {
  const from = knownLength(match);
  const later = chain.slice(from);
  if (later.length === 0) return nothingKnown();
  const [turnOf, place] = yield* together(turnsOf(session, later), placeAt(session, match, from));
  return { turnOf, ...place };
}

const ITEM = ["session", "own", "turn", "item", "time"];

/** In a transaction that has locked the session. */
export function* number(
  session: ProxySession,
  match: Match,
  chain: readonly ChainItem[],
  { prompts: before, now, known }: LockedSession,
): Unit<SeenItems> {
  const from = knownLength(match);
  const later = chain.slice(from);
  if (later.length === 0) return { from, turns: [], fresh: 0 };
  const spoken = new Set(chain.slice(0, from).map((item) => item.own));
  // What a client rewrote is mostly what it had said before: nothing in it counts as said again.
  const grows = match.type !== "rewritten";
  const { turnOf } = known;
  /** The number of the last item of each turn. */
  const last = new Map([[known.turn, known.lastItem]]);
  const rows: SqlValue[][] = [];
  const turns: number[] = [];
  let prompts = before;
  let turn = known.turn;
  for (const { own, isPrompt } of later) {
    const earlier = turnOf.get(own);
    const saidAgain = grows && isPrompt && spoken.has(own);
    spoken.add(own);
    if (isPrompt && (earlier === undefined || saidAgain)) turn = ++prompts;
    else if (earlier !== undefined) turn = earlier;
    if (earlier === undefined) {
      const item = (last.get(turn) ?? (turn > before ? 0 : yield* lastItem(session, turn))) + 1;
      last.set(turn, item);
      turnOf.set(own, turn);
      rows.push([session.no, own, turn, item, now]);
    }
    turns.push(turn);
  }
  yield* insertRows("proxy_item", ITEM, rows);
  if (prompts > before) yield* execute("UPDATE proxy_session SET prompts = ? WHERE no = ?", prompts, session.no);
  return { from, turns, fresh: rows.length };
}

function* turnsOf(session: ProxySession, items: readonly ChainItem[]): Unit<Map<string, number>> {
  const sql = "SELECT own, turn FROM proxy_item WHERE session = ? AND own IN (SELECT value FROM json_each(?))";
  const rows = yield* allRows(sql, session.no, JSON.stringify(items.map(({ own }) => own)));
  return new Map(rows.map((row) => [String(row["own"]), Number(row["turn"])]));
}

/** The turn of the chain's item there, and the last item of that turn. */
function* placeAt(session: ProxySession, match: Match, position: number): Unit<{ turn: number; lastItem: number }> {
  if (match.type === "new" || position === 0) return { turn: 0, lastItem: yield* lastItem(session, 0) };
  const sql = `SELECT c.turn, (SELECT max(i.item) FROM proxy_item i WHERE i.session = ? AND i.turn = c.turn) AS last
    FROM proxy_chain c WHERE c.lane = ? AND c.position = ?`;
  const row = yield* oneRow(sql, session.no, match.lane.id, position);
  return { turn: Number(row?.["turn"] ?? 0), lastItem: Number(row?.["last"] ?? 0) };
}

function* lastItem(session: ProxySession, turn: number): Unit<number> {
  const sql = "SELECT max(item) AS last FROM proxy_item WHERE session = ? AND turn = ?";
  return Number((yield* oneRow(sql, session.no, turn))?.["last"] ?? 0);
}

/** A request's items are numbered when a cut needs their refs; without one the commit of its lane does it on the way. */
export class ItemSighting {
  readonly #look: () => Promise<Result<SeenItems, Fault>>;
  #looking: Promise<Result<SeenItems, Fault>> | undefined;
  readonly refs: ItemRefs;
  seen: SeenItems | undefined;
  fault: Fault | undefined;

  constructor(store: ProxyStore, session: ProxySession, match: Match, items: readonly HistoryItem[]) {
    this.refs = new ItemRefs(store, session);
    this.#look = async () => {
      const seen = await see(store, session, match, items);
      if (!seen.ok) return seen;
      const loaded = await this.refs.load(items.map(({ own }) => own));
      return loaded.ok ? seen : loaded;
    };
  }

  async take(): Promise<void> {
    this.#looking ??= this.#look();
    const looked = await this.#looking;
    if (looked.ok) this.seen = looked.value;
    else this.fault = looked.error;
  }
}
