// One plan of a lane's request carried out: stored before it is trimmed, kept before its client hears of it.
import { optional } from "../../base/optional.ts";
import type { Fault } from "../../store/fault.ts";
import { chunksOf, joined } from "../body/assemble.ts";
import type { RequestNote } from "../contract.ts";
import type { RequestPlan, RequestPlanInput } from "../plan/contract.ts";
import { plan } from "../plan/plan.ts";
import { markVanished } from "../remember/vanished.ts";
import { cleaner } from "../services.ts";
import { type PlanContext, type ReadyRequest, tellFault } from "./context.ts";
import { inLane, keepLater, keepNow, type PlannedLane } from "./keep-lane.ts";
import { type LaneRequest, laneNumber } from "./lane-request.ts";
import { recallFor } from "./recall.ts";
import type { Attempt } from "./room.ts";
import { storable, storedPlan } from "./stored-plan.ts";

export async function prepareLane(
  context: PlanContext,
  ask: LaneRequest,
  attempt: Attempt,
): Promise<ReadyRequest | "stale"> {
  const { store } = context;
  const { match, session, sight, items, request } = ask;
  await sight.refs.loadCut(items, ask.lane.cut);
  if (match.type === "fork" || match.type === "rewritten") await context.remember.settle(session);
  const planned = await storedPlan(context, planInput(context, ask, attempt), {
    session,
    lane: laneNumber(ask),
    state: ask.state,
    sight,
  });
  if (!planned.ok) return holdLane(context, ask, attempt, planned.error);
  const vanished = await markVanished(store, session, match, items);
  if (!vanished.ok) return holdLane(context, ask, attempt, vanished.error);
  const sent = chunksOf(request.body, planned.value.pieces);
  const { bytes, ...prepared } = carriedOut(ask, attempt, planned.value, sent);
  const lane: PlannedLane = {
    ...{ context, ask, attempt, prepared, plan: planned.value, sent },
    again: (next, smaller) => prepareLane(context, next, smaller),
  };
  const ready = { ...prepared, ...optional("bytes", bytes) };
  if (isAsItWas(ask, planned.value)) return { ...ready, keep: () => keepLater(lane) };
  const outcome = await keepNow(lane);
  if (!outcome.ok) return holdLane(context, ask, attempt, outcome.error);
  return outcome.value === "stale" ? "stale" : { ...ready, ...outcome.value };
}

/** The plan changed nothing that later requests must repeat: whoever finds it unkept plans the same bytes again. */
const isAsItWas = ({ match, lane }: LaneRequest, { newEpoch, lane: next }: RequestPlan): boolean =>
  (match.type === "extends" || match.type === "new") &&
  newEpoch === undefined &&
  next.cut === lane.cut &&
  next.insertions === lane.insertions;

/** The store failed: what is in force is still applied; nothing new is cut or added. Without a fault it was told before. */
export async function holdLane(
  context: PlanContext,
  ask: LaneRequest,
  attempt: Attempt,
  fault?: Fault,
): Promise<ReadyRequest> {
  if (fault) tellFault(context, "store", fault);
  const { session, items, request } = ask;
  const lane = laneNumber(ask);
  if (!request.caller.unasked) context.remember.add(session, lane, storable(items, request.body));
  const outcome = await plan({ ...planInput(context, ask, attempt), mode: "hold" });
  const sent = chunksOf(request.body, outcome.pieces);
  const prepared = carriedOut(ask, attempt, outcome, sent);
  const note = lane === 0 ? prepared.note : inLane(context, prepared.note, lane, sent);
  return { ...prepared, note: { ...note, action: "skip:store" } };
}

function planInput(context: PlanContext, ask: LaneRequest, { budget, mode }: Attempt): RequestPlanInput {
  const { request, kind, session, items, fixedTokens, lane, sight } = ask;
  const { settings } = context;
  return {
    ...{ body: request.body, items, fixedTokens, lane, kind, mode, budget, model: request.model, settings },
    recall: settings.recall.enabled ? recallFor(context, session, request.caller, items) : undefined,
    refOf: ({ own }) => sight.refs.of(own),
    clean: cleaner(context),
  };
}

function carriedOut(
  { request, session, kind, sight }: LaneRequest,
  { budget }: Attempt,
  requestPlan: RequestPlan,
  sent: readonly Buffer[],
): ReadyRequest {
  const bytes = joined(sent);
  const { action, tokensIn, tokensSent, dropped, shortened } = requestPlan;
  const note: RequestNote = {
    ...{ action, kind, session: session.id, sessionSignal: session.signal, tokensIn, tokensSent },
    window: budget.window,
    usable: budget.usable,
    epoch: requestPlan.lane.epoch,
    dropped: dropped.length,
    shortened: shortened.length,
    stored: sight.seen?.fresh ?? 0,
    recalled: requestPlan.recalled.map(({ ref, score, parts }) => ({ ref, score, ...optional("parts", parts) })),
    items: requestPlan.rows,
    ...optional("epochReason", requestPlan.newEpoch),
    ...optional("recallLost", requestPlan.recallLost),
  };
  return {
    note,
    ...(bytes === request.body.bytes ? {} : { bytes }),
    ...(kind === "main" ? { recognise: { promptLimit: budget.window, estimatedTokens: tokensSent } } : {}),
    collect: false,
  };
}
