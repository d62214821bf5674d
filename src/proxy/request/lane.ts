// One plan of a lane's request carried out: stored before it is trimmed, committed before it is sent.
import { optional } from "../../base/optional.ts";
import type { Fault } from "../../store/fault.ts";
import { assemble } from "../body/assemble.ts";
import type { HistoryItem, LaneKind, LaneState, RequestNote } from "../contract.ts";
import type { RequestPlan, RequestPlanInput } from "../plan/contract.ts";
import { plan } from "../plan/plan.ts";
import { appendEvent } from "../remember/events.ts";
import { markVanished } from "../remember/vanished.ts";
import { cleaner, filtered } from "../services.ts";
import { commitLane } from "../store/lane.ts";
import type { Match } from "../store/match.ts";
import { ItemSighting, refs, see } from "../store/see.ts";
import type { ProxySession } from "../store/session.ts";
import { acceptTokens } from "../store/windows.ts";
import { type ManagedRequest, type PlanContext, type ReadyRequest, tellFault } from "./context.ts";
import { recallFor } from "./recall.ts";
import { openRecord } from "./record.ts";
import { type Attempt, budgetFor, smallerRequest } from "./room.ts";
import { storable, storedPlan } from "./stored-plan.ts";

export type LaneRequest = {
  request: ManagedRequest;
  kind: LaneKind;
  session: ProxySession;
  match: Match;
  sight: ItemSighting;
  items: readonly HistoryItem[];
  fixedTokens: number;
  lane: LaneState;
  /** The block as the files say now. */
  state(): Promise<string | undefined>;
};

/** The number of the lane that the request goes on with; 0 while its lane is still to be made. */
const laneNumber = ({ match }: LaneRequest): number => (match.type === "extends" ? match.lane.id : 0);

export async function prepareLane(
  context: PlanContext,
  ask: LaneRequest,
  attempt: Attempt,
): Promise<ReadyRequest | "stale"> {
  const { store } = context;
  const { match, session, sight, items, request } = ask;
  const planned = await storedPlan(context, planInput(context, ask, attempt), {
    session,
    lane: laneNumber(ask),
    state: ask.state,
    sight,
  });
  if (!planned.ok) return held(context, ask, attempt, planned.error);
  const vanished = await markVanished(store, session, match, items);
  if (!vanished.ok) return held(context, ask, attempt, vanished.error);
  const { note, bytes, ...prepared } = carriedOut(ask, attempt, planned.value);
  const sent = bytes ?? request.body.bytes;
  const record = context.settings.records ? openRecord(request, note, sent) : undefined;
  const { lane: state } = planned.value;
  const committed = await commitLane(store, {
    ...{ session, match, seen: sight.seen, state, items },
    ...optional("record", record),
  });
  if (!committed.ok) return held(context, ask, attempt, committed.error);
  if (committed.value.type === "stale") return "stale";
  tell(context, ask, planned.value);
  const ready = { ...prepared, note, ...optional("bytes", bytes) };
  if (committed.value.type === "gone") return ready;
  const { lane, fresh } = committed.value;
  const logged = logEvents(context, session, planned.value, lane.id);
  const { tokensSent } = planned.value;
  return {
    ...ready,
    note: inLane(context, { ...note, stored: fresh }, lane.id, sent),
    async again(limit) {
      await logged;
      const grown = { type: "extends", lane } as const;
      const next: LaneRequest = {
        ...ask,
        match: grown,
        sight: new ItemSighting(() => see(store, session, grown, items)),
      };
      const refused = { attempt, sent: tokensSent, limit };
      return smallerRequest(context, request, refused, (smaller) => prepareLane(context, next, smaller));
    },
    sent: () => context.remember.add(session, lane.id, storable(items, request.body)),
    async answered() {
      if (ask.kind === "main") context.feed?.(session, request.caller.folder);
      const whole = budgetFor(context, request, undefined).window;
      const accepted = { sent: tokensSent, high: attempt.budget.high, whole };
      await acceptTokens(store, request.upstream, request.model, accepted);
    },
    settled: logged,
  };
}

/** The store failed: what is in force is still applied; nothing new is cut or added. */
export async function held(
  context: PlanContext,
  ask: LaneRequest,
  attempt: Attempt,
  fault: Fault,
): Promise<ReadyRequest> {
  tellFault(context, "store", fault);
  const { session, items, request } = ask;
  const lane = laneNumber(ask);
  context.remember.add(session, lane, storable(items, request.body));
  const outcome = await plan({ ...planInput(context, ask, attempt), mode: "hold" });
  const prepared = carriedOut(ask, attempt, outcome);
  const sent = prepared.bytes ?? request.body.bytes;
  const note = lane === 0 ? prepared.note : inLane(context, prepared.note, lane, sent);
  return { ...prepared, note: { ...note, action: "skip:store" } };
}

function planInput(context: PlanContext, ask: LaneRequest, { budget, mode }: Attempt): RequestPlanInput {
  const { request, kind, session, items, fixedTokens, lane } = ask;
  const { settings } = context;
  const refOf = refs(context.store, session);
  return {
    ...{ body: request.body, items, fixedTokens, lane, kind, mode, budget, model: request.model, settings },
    recall: settings.recall.enabled ? recallFor(context, session, request.caller, items) : undefined,
    refOf: ({ own }) => refOf(own),
    clean: cleaner(context),
  };
}

function inLane({ lastSent }: PlanContext, note: RequestNote, lane: number, sent: Buffer): RequestNote {
  return { ...note, lane, ...optional("bytesShared", lastSent.share(lane, sent)) };
}

function carriedOut(
  { request, session, kind, sight }: LaneRequest,
  { budget }: Attempt,
  requestPlan: RequestPlan,
): ReadyRequest {
  const bytes = assemble(request.body, requestPlan.pieces);
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

/** Beside the items themselves: what was cut and what the anchor said then, and each state block. No request waits for it. */
async function logEvents(
  context: PlanContext,
  session: ProxySession,
  { newEpoch, newState, lane: { epoch, state }, dropped }: RequestPlan,
  lane: number,
): Promise<void> {
  const write = async (kind: "cut" | "state", text: string, about: Record<string, string | number>) => {
    const clean = filtered(context, text);
    if (clean === undefined) return;
    const outcome = await appendEvent(context.store, session, { kind, text: clean, lane, about });
    if (!outcome.ok) tellFault(context, "event", outcome.error);
  };
  if (newEpoch) {
    const { summary } = await context.files.read(session.path);
    await write("cut", summary, { reason: newEpoch, epoch, dropped: dropped.length });
  }
  if (newState) await write("state", state?.text ?? "", { epoch });
}

function tell({ emit }: PlanContext, { request, session }: LaneRequest, requestPlan: RequestPlan): void {
  const about = { request: request.id, session: session.id };
  const { newEpoch: reason, dropped, shortened, recalled, lane } = requestPlan;
  if (reason) {
    const counts = { dropped: dropped.length, shortened: shortened.length, epoch: lane.epoch };
    emit({ type: "proxy.cut", data: { ...about, reason, ...counts } });
  }
  if (recalled.length > 0) emit({ type: "proxy.recall", data: { ...about, snippets: recalled.length } });
}
