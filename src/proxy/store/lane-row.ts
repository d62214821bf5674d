// A lane as a row and as a value: what is large and seldom changes has a column of its own.
import { optional } from "../../base/optional.ts";
import { oneRow, type Unit } from "../../store/unit.ts";
import type { HistoryItem, Insertion, Lane, LaneCut, LaneState } from "../contract.ts";
import { type ProxyRow, textOrNone } from "./handle.ts";

/** The version tells whether another request changed the lane meanwhile. */
export type StoredLane = Lane & { version: number };
/** An item that is in the chain. */
export type ChainItem = HistoryItem & { own: string };

export const chainOf = (items: readonly HistoryItem[]): ChainItem[] =>
  items.filter((item): item is ChainItem => item.own !== undefined);

/** The columns of `proxy_lane l` joined with `proxy_session s`. */
export const LANE =
  "l.id, s.id AS session, l.kind, l.length, l.tail, l.version, l.state, l.plan, l.summary FROM proxy_lane l JOIN proxy_session s ON s.no = l.session";

export function* laneById(id: number): Unit<StoredLane | undefined> {
  const row = yield* oneRow(`SELECT ${LANE} WHERE l.id = ?`, id);
  return row && laneOf(row);
}

type Plan = { cut?: LaneCut; insertions: Insertion[] };

export function laneOf(row: ProxyRow): StoredLane {
  const state = JSON.parse(String(row["state"])) as Omit<LaneState, "kind" | "cut" | "insertions" | "clientSummary">;
  const plan = JSON.parse(String(row["plan"])) as Plan;
  return {
    ...state,
    ...plan,
    ...optional("clientSummary", textOrNone(row["summary"])),
    kind: row["kind"] as Lane["kind"],
    id: Number(row["id"]),
    session: String(row["session"]),
    length: Number(row["length"]),
    tail: String(row["tail"]),
    version: Number(row["version"]),
  };
}

/** The plan is large: its text is made only for whoever writes it. */
export function columnsOf(lane: LaneState): { state: string; plan: () => string } {
  const { kind: _kind, cut, insertions, clientSummary: _summary, ...rest } = stateIn(lane);
  const plan: Plan = { ...optional("cut", cut), insertions: [...insertions] };
  return { state: JSON.stringify(rest), plan: () => JSON.stringify(plan) };
}

/** Plans may be made by spreading a stored lane, so what only such a lane has is taken out. */
function stateIn(lane: LaneState & Partial<StoredLane>): LaneState {
  const { id: _id, session: _session, length: _length, tail: _tail, version: _version, ...state } = lane;
  return state;
}
