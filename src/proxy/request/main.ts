// A request of a main or agent lane: which session and lane it belongs to, and how much room it has.
import { faultAt } from "../../store/fault.ts";
import { systemHead } from "../classify/system-head.ts";
import { toolNames } from "../classify/tool-names.ts";
import type { HistoryItem, LaneKind, LaneState } from "../contract.ts";
import { newLane } from "../plan/plan.ts";
import type { ProxyServices } from "../services.ts";
import { inherited } from "../store/inherit.ts";
import type { LaneLocation } from "../store/locate.ts";
import type { Match } from "../store/match.ts";
import { see } from "../store/see.ts";
import { openSession } from "../store/session.ts";
import { learnedWindow } from "../store/windows.ts";
import { budgetFor } from "./budget.ts";
import { type ManagedRequest, type ProxyContext, type ReadyRequest, skipStore } from "./context.ts";
import { held, type LaneRequest, prepareLane } from "./lane.ts";
import { stateOf, takeHeaders } from "./state.ts";

/** `stale`: the lane was changed by another request meanwhile; locate and prepare again, unless this is the last try. */
export async function prepareMain(
  context: ProxyContext,
  services: ProxyServices,
  request: ManagedRequest,
  main: {
    kind: LaneKind;
    located: LaneLocation;
    items: readonly HistoryItem[];
    todo: string | undefined;
    last: boolean;
  },
): Promise<ReadyRequest | "stale"> {
  const { kind, located, todo } = main;
  const { store } = services;
  const { match } = located;
  const opened = await openSession(store, request.caller, located);
  if (!opened.ok) return skipStore(context, opened.error, { kind });
  const { session, created, adopted } = opened.value;
  if (created) context.emit({ type: "proxy.session_created", data: { session: session.id, family: session.family } });
  if (adopted) context.emit({ type: "session.adopted", data: { session: session.id } });
  await takeHeaders(context, services, session, request.headers, todo);
  const seen = await see(store, session, match, main.items);
  const learned = await learnedWindow(store, request.upstream, request.model);
  const budget = budgetFor(context, request, learned.ok ? learned.value : undefined);
  const { items, fixedTokens } = await context.counts.measure({
    body: request.body,
    items: main.items,
    limit: budget.usable,
  });
  const ask: LaneRequest = {
    request,
    kind,
    session,
    match,
    seen: seen.ok ? seen.value : { from: 0, turns: [], fresh: 0 },
    items,
    fixedTokens,
    lane: laneOf(context, request, kind, match, items),
    state: async () => (kind === "main" ? stateOf(context, services, session, request.body, items) : undefined),
  };
  if (!seen.ok) return held(context, services, ask, { budget }, seen.error);
  const prepared = await prepareLane(context, services, ask, { budget, mode: "normal", attempt: 1 });
  if (prepared !== "stale" || !main.last) return prepared;
  return held(
    context,
    services,
    ask,
    { budget },
    faultAt("store_busy", session.path, "other requests change the lane"),
  );
}

function laneOf(
  context: ProxyContext,
  { body }: ManagedRequest,
  kind: LaneKind,
  match: Match,
  items: readonly HistoryItem[],
): LaneState {
  if (match.type === "fork") return inherited(match.lane, items, match.at);
  if (match.type === "rewritten") return { ...match.lane, rewritten: true };
  if (match.type === "extends") return match.lane;
  return newLane({ kind, tools: toolNames(body), system: systemHead(body, context.key) });
}
