// A planned request kept in its lane: before it goes out when later ones must repeat what is new in it, else while its upstream works.
import { optional } from "../../base/optional.ts";
import { ok, type Result } from "../../base/result.ts";
import { type Fault, faultAt } from "../../store/fault.ts";
import type { RequestNote } from "../contract.ts";
import type { RequestPlan } from "../plan/contract.ts";
import { appendEvent } from "../remember/events.ts";
import { filtered } from "../services.ts";
import { commitLane, type StoredLane } from "../store/lane.ts";
import { locate } from "../store/locate.ts";
import { ItemSighting } from "../store/see.ts";
import type { ProxySession } from "../store/session.ts";
import { acceptTokens } from "../store/windows.ts";
import { type KeptRequest, type PlanContext, type ReadyRequest, tellFault } from "./context.ts";
import { type LaneRequest, laneNumber } from "./lane-request.ts";
import { withinSession } from "./recall.ts";
import { openRecord } from "./record.ts";
import { type Attempt, budgetFor, smallerRequest } from "./room.ts";
import { storable } from "./stored-plan.ts";

export type PlannedLane = {
  context: PlanContext;
  ask: LaneRequest;
  attempt: Attempt;
  plan: RequestPlan;
  prepared: KeptRequest;
  /** The bytes that go out. */
  sent: readonly Buffer[];
  /** Plans it once more, after a refusal. */
  again(ask: LaneRequest, attempt: Attempt): Promise<ReadyRequest | "stale">;
};

/** A session whose requests fill this part of the room will soon be searched. */
const NEARLY = 0.7;
/** Another request may change the lane meanwhile; not for ever. */
const MOST_STALE = 3;

/** `stale`: the lane was changed by another request meanwhile, and nothing is kept. */
export async function keepNow(planned: PlannedLane): Promise<Result<KeptRequest | "stale", Fault>> {
  const { ask, plan } = planned;
  const committed = await commit(planned, ask, plan.lane, "now");
  if (!committed.ok) return committed;
  if (committed.value.type === "stale") return ok("stale");
  return ok(committed.value.type === "gone" ? goneFrom(planned) : followed(planned, committed.value));
}

/** The bytes are out already: where the lane has changed meanwhile, only that they came is added to it. */
export async function keepLater(planned: PlannedLane): Promise<KeptRequest> {
  const { context, ask, plan } = planned;
  const { store } = context;
  const { session, items, request } = ask;
  let committed = await commit(planned, ask, plan.lane, "soon");
  for (let round = 1; committed.ok && committed.value.type === "stale"; round++) {
    if (round > MOST_STALE)
      return unkept(planned, faultAt("store_busy", session.path, "other requests change the lane"));
    const located = await locate(store, request.caller, items, () => []);
    if (!located.ok) return unkept(planned, located.error);
    if (located.value.session?.no !== session.no) return goneFrom(planned);
    const { match } = located.value;
    committed = await commit(planned, { ...ask, match }, ask.laneFor(match), "soon");
  }
  if (!committed.ok) return unkept(planned, committed.error);
  return committed.value.type === "done" ? followed(planned, committed.value) : goneFrom(planned);
}

function commit(
  { context, ask: { request, sight, session, items }, prepared, sent }: PlannedLane,
  { match }: Pick<LaneRequest, "match">,
  state: RequestPlan["lane"],
  when: "now" | "soon",
) {
  const record = context.settings.records ? openRecord(request, prepared.note, sent) : undefined;
  const lane = { session, match, seen: sight.seen, state, items, ...optional("record", record) };
  return commitLane(context.store, lane, when);
}

/** The session was deleted meanwhile: the request goes on and nothing of it is kept. */
function goneFrom({ context, ask, plan, prepared }: PlannedLane): KeptRequest {
  tell(context, ask, plan);
  return prepared;
}

/** What it brought waits until the store works again. */
function unkept({ context, ask, prepared }: PlannedLane, fault: Fault): KeptRequest {
  tellFault(context, "store", fault);
  const { session, items, request } = ask;
  context.remember.add(session, laneNumber(ask), storable(items, request.body));
  return { ...prepared, note: { ...prepared.note, action: "skip:store" } };
}

/** The request in its lane, and all that follows on its sending, its answer or its refusal. */
function followed(
  { context, ask, attempt, plan, prepared, sent, again }: PlannedLane,
  { lane, fresh }: { lane: StoredLane; fresh: number },
): KeptRequest {
  const { store } = context;
  const { session, items, request } = ask;
  const { tokensSent } = plan;
  tell(context, ask, plan);
  context.lanes.note(request.caller, session, lane);
  const logged = logEvents(context, session, plan, lane.id);
  return {
    ...prepared,
    note: inLane(context, { ...prepared.note, stored: fresh }, lane.id, sent),
    async again(limit) {
      await logged;
      const grown = { type: "extends", lane } as const;
      const sight = new ItemSighting(store, session, grown, items);
      const refused = { attempt, sent: tokensSent, limit };
      return smallerRequest(context, request, refused, (smaller) => again({ ...ask, match: grown, sight }, smaller));
    },
    async sent() {
      context.remember.add(session, lane.id, storable(items, request.body));
      await context.remember.room();
    },
    async answered() {
      if (ask.kind === "main") context.feed?.(session, request.caller.folder);
      const isSearchedSoon = plan.lane.cut !== undefined || tokensSent > NEARLY * attempt.budget.high;
      if (context.settings.recall.enabled && ask.kind === "main" && isSearchedSoon)
        context.recall.readAhead?.(withinSession(session));
      const whole = budgetFor(context, request, undefined).window;
      const accepted = { sent: tokensSent, high: attempt.budget.high, whole };
      await acceptTokens(store, request.upstream, request.model, accepted);
    },
    settled: logged,
  };
}

export function inLane(
  { lastSent }: PlanContext,
  note: RequestNote,
  lane: number,
  sent: readonly Buffer[],
): RequestNote {
  return { ...note, lane, ...optional("bytesShared", lastSent.share(lane, sent)) };
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
    const texts = await context.store.files.texts(session);
    await write("cut", texts.ok ? texts.value.summary : "", { reason: newEpoch, epoch, dropped: dropped.length });
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
