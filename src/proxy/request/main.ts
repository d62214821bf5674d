// A request of a main or agent lane: which session and lane it belongs to, and how much room it has.
import { faultAt } from "../../store/fault.ts";
import { systemHead } from "../classify/system-head.ts";
import { toolNames } from "../classify/tool-names.ts";
import type { HistoryItem, LaneKind, LaneState } from "../contract.ts";
import { newLane } from "../plan/plan.ts";
import { inherited } from "../store/inherit.ts";
import type { LaneLocation } from "../store/locate.ts";
import type { Match } from "../store/match.ts";
import { ItemSighting } from "../store/see.ts";
import { openSession } from "../store/session.ts";
import { type ManagedRequest, type PlanContext, type ReadyRequest, skipStore } from "./context.ts";
import { holdLane, prepareLane } from "./lane.ts";
import type { LaneRequest } from "./lane-request.ts";
import type { Attempt } from "./room.ts";
import { stateOf, takeHeaders } from "./state.ts";

type MainRequest = {
  kind: LaneKind;
  located: LaneLocation;
  attempt: Attempt;
  items: readonly HistoryItem[];
  todo: string | undefined;
  last: boolean;
};

/** `stale`: the lane was changed by another request meanwhile; locate and prepare again, unless this is the last try. */
export async function prepareMain(
  context: PlanContext,
  request: ManagedRequest,
  main: MainRequest,
): Promise<ReadyRequest | "stale"> {
  const { kind, located, attempt } = main;
  const { match } = located;
  const opened = await openSession(context.store, request.caller, located);
  if (!opened.ok) return skipStore(context, opened.error, { kind });
  const { session, created, adopted } = opened.value;
  if (created) context.emit({ type: "proxy.session_created", data: { session: session.id, family: session.family } });
  if (adopted) context.emit({ type: "session.adopted", data: { session: session.id } });
  const untaken = await takeHeaders(context, session, request.headers, main.todo);
  const { body } = request;
  const { items, fixedTokens } = await context.counts.measure({ ...main, body, limit: attempt.budget.usable });
  const laneFor = (one: Match): LaneState => laneOf(context, request, kind, one, items);
  const sight = new ItemSighting(context.store, session, match, items);
  const ask: LaneRequest = {
    ...{ request, kind, session, match, sight, items, fixedTokens, laneFor },
    lane: laneFor(match),
    async state() {
      if (kind !== "main") return undefined;
      const state = await stateOf(context, session, body, items);
      if (!state.ok) sight.fault = state.error;
      return state.ok ? state.value : undefined;
    },
  };
  if (untaken) return holdLane(context, ask, attempt, untaken);
  const prepared = await prepareLane(context, ask, attempt);
  if (prepared !== "stale" || !main.last) return prepared;
  return holdLane(context, ask, attempt, faultAt("store_busy", session.path, "other requests change the lane"));
}

function laneOf(
  { key }: PlanContext,
  { body }: ManagedRequest,
  kind: LaneKind,
  match: Match,
  items: readonly HistoryItem[],
): LaneState {
  if (match.type === "fork") return inherited(match.lane, items, match.at);
  if (match.type === "rewritten") return { ...match.lane, rewritten: true };
  if (match.type === "extends") return match.lane;
  return newLane({ kind, tools: toolNames(body), system: systemHead(body, key) });
}
