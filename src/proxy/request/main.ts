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
import { held, type LaneRequest, prepareLane } from "./lane.ts";
import { type ManagedRequest, type PreparedRequest, type ProxyContext, skipStore } from "./parts.ts";
import { stateOf, takeHeaders } from "./state.ts";

/** `stale`: the lane was changed by another request meanwhile; locate and prepare again, unless this is the last try. */
export async function prepareMain(
  parts: ProxyContext,
  kept: ProxyServices,
  asked: ManagedRequest,
  main: {
    kind: LaneKind;
    located: LaneLocation;
    items: readonly HistoryItem[];
    todo: string | undefined;
    last: boolean;
  },
): Promise<PreparedRequest | "stale"> {
  const { kind, located, todo } = main;
  const { store } = kept;
  const { match } = located;
  const opened = await openSession(store, asked.caller, located);
  if (!opened.ok) return skipStore(parts, opened.error, { kind });
  const { session, created, adopted } = opened.value;
  if (created) parts.emit({ type: "proxy.session_created", data: { session: session.id, family: session.family } });
  if (adopted) parts.emit({ type: "session.adopted", data: { session: session.id } });
  await takeHeaders(parts, kept, session, asked.headers, todo);
  const seen = await see(store, session, match, main.items);
  const learned = await learnedWindow(store, asked.upstream, asked.model);
  const budget = budgetFor(parts, asked, learned.ok ? learned.value : undefined);
  const { items, fixedTokens } = await parts.counts.measure({
    body: asked.body,
    items: main.items,
    limit: budget.usable,
  });
  const ask: LaneRequest = {
    asked,
    kind,
    session,
    match,
    seen: seen.ok ? seen.value : { from: 0, turns: [], fresh: 0 },
    items,
    fixedTokens,
    lane: laneOf(parts, asked, kind, match, items),
    state: async () => (kind === "main" ? stateOf(parts, kept, session, asked.body, items) : undefined),
  };
  if (!seen.ok) return held(parts, kept, ask, { budget }, seen.error);
  const prepared = await prepareLane(parts, kept, ask, { budget, mode: "normal", attempt: 1 });
  if (prepared !== "stale" || !main.last) return prepared;
  return held(parts, kept, ask, { budget }, faultAt("store_busy", session.path, "other requests change the lane"));
}

function laneOf(
  parts: ProxyContext,
  { body }: ManagedRequest,
  kind: LaneKind,
  match: Match,
  items: readonly HistoryItem[],
): LaneState {
  if (match.type === "fork") return inherited(match.lane, items, match.at);
  if (match.type === "rewritten") return { ...match.lane, rewritten: true };
  if (match.type === "extends") return match.lane;
  return newLane({ kind, tools: toolNames(body), system: systemHead(body, parts.key) });
}
