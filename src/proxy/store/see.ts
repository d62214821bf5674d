// Refs are given at first sight and never change: `tN.k`, the N-th prompt of the session over all its lanes, its k-th item.
import { ok, type Result } from "../../base/result.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import { codeOf, type Fault } from "../../store/fault.ts";
import type { Database } from "../../store/sqlite.ts";
import type { HistoryItem } from "../contract.ts";
import { change, type ProxyStore } from "./handle.ts";
import { type ChainItem, chainOf } from "./lane-row.ts";
import type { Match } from "./match.ts";
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
  if (knownLength(match) >= chain.length) return ok(seeIn(store, store.db, session, match, chain));
  return change(store, (db) => seeIn(store, db, session, match, chain));
}

/** The same, inside the caller's transaction. */
export function seeIn(
  store: ProxyStore,
  db: Database,
  session: ProxySession,
  match: Match,
  chain: readonly ChainItem[],
): SeenItems {
  const from = knownLength(match);
  if (from >= chain.length) return { from, turns: [], fresh: 0 };
  const numbering = new Numbering(store, db, session.no);
  return { from, turns: numbering.number(chain, from, match), fresh: numbering.fresh };
}

/** A request's items are numbered when a cut needs their refs; without one the commit of its lane does it on the way. */
export class ItemSighting {
  readonly #look: () => Promise<Result<SeenItems, Fault>>;
  #looking: Promise<Result<SeenItems, Fault>> | undefined;
  seen: SeenItems | undefined;
  fault: Fault | undefined;

  constructor(look: () => Promise<Result<SeenItems, Fault>>) {
    this.#look = look;
  }

  async take(): Promise<void> {
    this.#looking ??= this.#look();
    const looked = await this.#looking;
    if (looked.ok) this.seen = looked.value;
    else this.fault = looked.error;
  }
}

export function knownLength(match: Match): number {
  if (match.type === "extends") return match.lane.length;
  return match.type === "fork" ? match.at : 0;
}

class Numbering {
  readonly #db: Database;
  readonly #session: number;
  readonly #now: string;
  /** The number of the last item of each turn. */
  readonly #last = new Map<number, number>();
  #prompts: number;
  fresh = 0;

  constructor(store: ProxyStore, db: Database, session: number) {
    this.#db = db;
    this.#session = session;
    this.#now = store.clock.now();
    const row = prepared(db, "SELECT prompts FROM proxy_session WHERE no = ?").get(session);
    this.#prompts = Number(row?.["prompts"] ?? 0);
  }

  number(chain: readonly ChainItem[], from: number, match: Match): number[] {
    const before = new Set(chain.slice(0, from).map((item) => item.own));
    const lane = match.type === "new" ? undefined : match.lane;
    // What a client rewrote is mostly what it had said before: nothing in it counts as said again.
    const grows = match.type !== "rewritten";
    const start = prepared(this.#db, "SELECT turn FROM proxy_chain WHERE lane = ? AND position = ?");
    let turn = lane && from > 0 ? Number(start.get(lane.id, from)?.["turn"] ?? 0) : 0;
    const turns = chain.slice(from).map((item) => {
      const earlier = this.#turnOf(item.own);
      const saidAgain = grows && item.isPrompt && before.has(item.own);
      before.add(item.own);
      if (item.isPrompt && (earlier === undefined || saidAgain)) turn = ++this.#prompts;
      else if (earlier !== undefined) turn = earlier;
      if (earlier === undefined) this.#insert(item.own, turn);
      return turn;
    });
    const sql = "UPDATE proxy_session SET prompts = ? WHERE no = ?";
    prepared(this.#db, sql).run(this.#prompts, this.#session);
    return turns;
  }

  #turnOf(own: string): number | undefined {
    const row = prepared(this.#db, "SELECT turn FROM proxy_item WHERE session = ? AND own = ?").get(this.#session, own);
    return row && Number(row["turn"]);
  }

  /** Nothing is inserted for a session that was deleted meanwhile. */
  #insert(own: string, turn: number): void {
    const item = (this.#last.get(turn) ?? this.#lastItem(turn)) + 1;
    this.#last.set(turn, item);
    this.fresh++;
    prepared(
      this.#db,
      `INSERT INTO proxy_item (session, own, turn, item, time) SELECT no, ?, ?, ?, ? FROM proxy_session WHERE no = ?`,
    ).run(own, turn, item, this.#now, this.#session);
  }

  #lastItem(turn: number): number {
    const sql = "SELECT max(item) AS last FROM proxy_item WHERE session = ? AND turn = ?";
    return Number(prepared(this.#db, sql).get(this.#session, turn)?.["last"] ?? 0);
  }
}

export const refText = (session: string, turn: number, item: number): string => `${session}:t${turn}.${item}`;

/** Refs never change and no session's number is used twice, so a ref that was looked up once is known. */
const KNOWN_REFS = 20_000;

/** Refs by own hash, one lookup each; undefined for what was never seen, or while the store cannot be read. */
export function refs(store: ProxyStore, session: ProxySession): (own: string | undefined) => string | undefined {
  const { refs: known } = store;
  return (own) => {
    if (own === undefined) return undefined;
    const key = `${session.no} ${own}`;
    const ref = known.get(key) ?? looked(own);
    if (known.size >= KNOWN_REFS) known.clear();
    if (ref !== undefined) known.set(key, ref);
    return ref;
  };

  function looked(own: string): string | undefined {
    try {
      const sql = "SELECT turn, item FROM proxy_item WHERE session = ? AND own = ?";
      const row = prepared(store.db, sql).get(session.no, own);
      return row && refText(session.id, Number(row["turn"]), Number(row["item"]));
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      return undefined; // a store that cannot be read makes no cut, so the ref is not needed
    }
  }
}
