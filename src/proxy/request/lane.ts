// One plan of a lane's request carried out: stored before it is trimmed, committed before it is sent.
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { ContextLimit } from "../../model/contract.ts";
import { type Fault, faultAt } from "../../store/fault.ts";
import { assemble } from "../body/assemble.ts";
import type { HistoryItem, LaneKind, LaneState } from "../contract.ts";
import type { RequestBudget } from "../plan/budget.ts";
import type { RequestPlan, RequestPlanInput } from "../plan/contract.ts";
import { plan } from "../plan/plan.ts";
import { updateAnchor } from "../remember/anchor.ts";
import { appendEvent, dropItems } from "../remember/events.ts";
import { markVanished } from "../remember/vanished.ts";
import { cleaner, filtered, type ProxyServices } from "../services.ts";
import { commitLane } from "../store/lane.ts";
import type { Match } from "../store/match.ts";
import { refs, type SeenItems } from "../store/see.ts";
import type { ProxySession } from "../store/session.ts";
import { acceptTokens } from "../store/windows.ts";
import { budgetFor, smallerRoom } from "./budget.ts";
import { type ManagedRequest, type ProxyContext, type ReadyRequest, type RequestNote, tellFault } from "./context.ts";
import { recallFor } from "./recall.ts";
import { openRecord } from "./record.ts";
import { seeables } from "./seeable.ts";

export type LaneRequest = {
  request: ManagedRequest;
  kind: LaneKind;
  session: ProxySession;
  match: Match;
  seen: SeenItems;
  items: readonly HistoryItem[];
  fixedTokens: number;
  lane: LaneState;
  /** The block as the files say now. */
  state(): Promise<string | undefined>;
};
type Try = { budget: RequestBudget; mode: "normal" | "context-error"; attempt: number };

const MOST_ROUNDS = 6;

export async function prepareLane(
  context: ProxyContext,
  services: ProxyServices,
  ask: LaneRequest,
  attempt: Try,
): Promise<ReadyRequest | "stale"> {
  const { store } = services;
  const outcome = await planned(context, services, ask, attempt);
  if (!outcome.ok) return held(context, services, ask, attempt, outcome.error);
  const { match, session, seen, items, request } = ask;
  const vanished = await markVanished(store, session, match, items);
  if (!vanished.ok) return held(context, services, ask, attempt, vanished.error);
  const { note, bytes, ...prepared } = result(ask, attempt, outcome.value);
  const record = context.settings.records ? openRecord(request, note, bytes ?? request.body.bytes) : undefined;
  const state = outcome.value.lane;
  const committed = await commitLane(store, { session, match, seen, state, items, ...optional("record", record) });
  if (!committed.ok) return held(context, services, ask, attempt, committed.error);
  if (committed.value.type === "stale") return "stale";
  tell(context, ask, outcome.value);
  const ready = { ...prepared, note, ...optional("bytes", bytes) };
  if (committed.value.type === "gone") return ready;
  const { lane } = committed.value;
  const logged = logEvents(context, services, ask, outcome.value, lane.id);
  const whole = () => budgetFor(context, request, undefined).window;
  const accepted = () => ({ sent: outcome.value.tokensSent, high: attempt.budget.high, whole: whole() });
  return {
    ...ready,
    note: inLane(context, note, lane.id, bytes ?? request.body.bytes),
    async again(limit) {
      await logged;
      return again(context, services, { ...ask, match: { type: "extends", lane } }, attempt, outcome.value, limit);
    },
    sent: () => services.remember.add(session, lane.id, seeables(items, request.body)),
    answered: async () => void (await acceptTokens(store, request.upstream, request.model, accepted())),
    settled: logged,
  };
}

/**
 * The plan, with everything that it leaves out stored, findable and summed up in the anchor. Only then is it searched:
 * before that, what a first cut takes away could not be found.
 */
async function planned(
  context: ProxyContext,
  services: ProxyServices,
  ask: LaneRequest,
  { budget, mode }: Try,
): Promise<Result<RequestPlan, Fault>> {
  const { store } = services;
  const { session } = ask;
  const input = inputOf(context, services, ask, budget);
  const untouched = new Set<string>();
  const search = input.recall;
  let isSettled = false;
  let isPutOff = false;
  const recall: typeof search =
    search &&
    ((question) => {
      isPutOff = question.takesAway && !isSettled;
      return isPutOff ? Promise.resolve({ snippets: [] }) : search(question);
    });
  const plans = async () => plan({ ...input, recall, mode, untouched, ...optional("state", await ask.state()) });
  const kepts = new Set<string>();
  for (let round = 0; ; round++) {
    const draft = await plans();
    if (!draft.newEpoch) return ok(draft);
    const out = [...draft.dropped, ...draft.shortened];
    const fresh = out.filter(({ own }) => own !== undefined && !kepts.has(own));
    if (fresh.length === 0) {
      if (isSettled || !isPutOff) return ok(draft);
      isSettled = true;
      continue;
    }
    // Each round changes the anchor and with it the cut: what is not stored does not leave the request.
    if (round >= MOST_ROUNDS) return fail(faultAt("store_busy", session.path, "the cut did not settle"));
    const lane = ask.match.type === "extends" ? ask.match.lane.id : 0;
    const ensured = await services.remember.ensure(session, lane, seeables(fresh, ask.request.body));
    if (!ensured.ok) return ensured;
    for (const own of ensured.value.refused) untouched.add(own);
    const owns = fresh.flatMap(({ own }) => (own === undefined || untouched.has(own) ? [] : [own]));
    const dropped = await dropItems(store, session, lane, owns, "proxy");
    if (!dropped.ok) return dropped;
    for (const own of owns) kepts.add(own);
    const anchored = await updateAnchor(store, session, owns, { maxChars: context.settings.anchor.fileMaxChars });
    if (!anchored.ok) tellFault(context, "anchor", anchored.error);
  }
}

/** The store failed: what is in force is still applied; nothing new is cut or added. */
export async function held(
  context: ProxyContext,
  services: ProxyServices,
  ask: LaneRequest,
  { budget }: Pick<Try, "budget">,
  fault: Fault,
): Promise<ReadyRequest> {
  tellFault(context, "store", fault);
  const { match, session, items, request } = ask;
  const lane = match.type === "extends" ? match.lane.id : undefined;
  services.remember.add(session, lane ?? 0, seeables(items, request.body));
  const outcome = await plan({ ...inputOf(context, services, ask, budget), mode: "hold" });
  const prepared = result(ask, { budget }, outcome);
  const sent = prepared.bytes ?? request.body.bytes;
  const note = lane === undefined ? prepared.note : inLane(context, prepared.note, lane, sent);
  return { ...prepared, note: { ...note, action: "skip:store" } };
}

function inputOf(
  context: ProxyContext,
  services: ProxyServices,
  ask: LaneRequest,
  budget: RequestBudget,
): Omit<RequestPlanInput, "mode"> {
  const { request, kind, session, items, fixedTokens, lane } = ask;
  const refOf = refs(services.store, session);
  return {
    body: request.body,
    items,
    fixedTokens,
    lane,
    kind,
    budget,
    model: request.model,
    recall: context.settings.recall.enabled ? recallFor(context, services, session, request.caller, items) : undefined,
    refOf: ({ own }) => refOf(own),
    clean: cleaner(services),
    settings: context.settings,
  };
}

async function again(
  context: ProxyContext,
  services: ProxyServices,
  ask: LaneRequest,
  { attempt, budget }: Try,
  before: RequestPlan,
  limit: ContextLimit,
): Promise<ReadyRequest | undefined> {
  const room = await smallerRoom(context, services, ask.request, { attempt, budget, sent: before.tokensSent }, limit);
  if (!room) return undefined;
  const next = await prepareLane(context, services, ask, { budget: room, mode: "context-error", attempt: attempt + 1 });
  if (next === "stale" || next.note.action.startsWith("skip:")) return undefined;
  if ((next.note.tokensSent ?? 0) >= before.tokensSent) return undefined;
  return { ...next, note: { ...next.note, action: "retry" } };
}

function inLane({ lastSent }: ProxyContext, note: RequestNote, lane: number, sent: Buffer): RequestNote {
  return { ...note, lane, ...optional("bytesShared", lastSent.share(lane, sent)) };
}

function result(
  { request, session, kind, seen }: LaneRequest,
  { budget }: Pick<Try, "budget">,
  requestPlan: RequestPlan,
): ReadyRequest {
  const bytes = assemble(request.body, requestPlan.pieces);
  const note: RequestNote = {
    action: requestPlan.action,
    kind,
    session: session.id,
    sessionSignal: session.signal,
    window: budget.window,
    usable: budget.usable,
    tokensIn: requestPlan.tokensIn,
    tokensSent: requestPlan.tokensSent,
    epoch: requestPlan.lane.epoch,
    dropped: requestPlan.dropped.length,
    shortened: requestPlan.shortened.length,
    stored: seen.fresh,
    recalled: requestPlan.recalled.map(({ ref, score, parts: why }) => ({ ref, score, ...optional("parts", why) })),
    items: requestPlan.rows,
    ...optional("epochReason", requestPlan.newEpoch),
    ...optional("recallLost", requestPlan.recallLost),
  };
  return {
    note,
    ...(bytes === request.body.bytes ? {} : { bytes }),
    ...(kind === "main" ? { recognise: { promptLimit: budget.window, estimatedTokens: requestPlan.tokensSent } } : {}),
    collect: false,
  };
}

/** Beside the items themselves: what was cut and what the anchor said then, and each state block. No request waits for it. */
async function logEvents(
  context: ProxyContext,
  services: ProxyServices,
  ask: LaneRequest,
  requestPlan: RequestPlan,
  lane: number,
): Promise<void> {
  const { session } = ask;
  const write = async (kind: "cut" | "state", text: string, about: Record<string, string | number>) => {
    const clean = filtered(services.redactor, text);
    if (clean === undefined) return;
    const outcome = await appendEvent(services.store, session, { kind, text: clean, lane, about });
    if (!outcome.ok) tellFault(context, "event", outcome.error);
  };
  if (requestPlan.newEpoch) {
    const { summary } = await context.files.read(session.path);
    const about = { reason: requestPlan.newEpoch, epoch: requestPlan.lane.epoch, dropped: requestPlan.dropped.length };
    await write("cut", summary, about);
  }
  if (requestPlan.newState) await write("state", requestPlan.lane.state?.text ?? "", { epoch: requestPlan.lane.epoch });
}

function tell(context: ProxyContext, { request, session }: LaneRequest, requestPlan: RequestPlan): void {
  const data = { request: request.id, session: session.id };
  if (requestPlan.newEpoch) {
    const counts = {
      dropped: requestPlan.dropped.length,
      shortened: requestPlan.shortened.length,
      epoch: requestPlan.lane.epoch,
    };
    context.emit({ type: "proxy.cut", data: { ...data, reason: requestPlan.newEpoch, ...counts } });
  }
  if (requestPlan.recalled.length > 0)
    context.emit({ type: "proxy.recall", data: { ...data, snippets: requestPlan.recalled.length } });
}
