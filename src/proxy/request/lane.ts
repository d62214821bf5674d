// One plan of a lane's request carried out: stored before it is trimmed, committed before it is sent.
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { ContextLimit } from "../../model/contract.ts";
import { type Fault, faultAt } from "../../store/fault.ts";
import { assemble } from "../body/assemble.ts";
import type { HistoryItem, LaneKind, LaneState } from "../contract.ts";
import type { RequestBudget } from "../plan/budget.ts";
import { plan, type RequestPlan, type RequestPlanInput } from "../plan/plan.ts";
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
import { type ManagedRequest, type PreparedRequest, type ProxyContext, type RequestNote, tellFault } from "./parts.ts";
import { recallFor } from "./recall.ts";
import { openRecord } from "./record.ts";
import { seeables } from "./seeable.ts";

export type LaneRequest = {
  asked: ManagedRequest;
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
  parts: ProxyContext,
  kept: ProxyServices,
  ask: LaneRequest,
  attempt: Try,
): Promise<PreparedRequest | "stale"> {
  const { store } = kept;
  const made = await planned(parts, kept, ask, attempt);
  if (!made.ok) return held(parts, kept, ask, attempt, made.error);
  const { match, session, seen, items, asked } = ask;
  const vanished = await markVanished(store, session, match, items);
  if (!vanished.ok) return held(parts, kept, ask, attempt, vanished.error);
  const { note, bytes, ...prepared } = result(ask, attempt, made.value);
  const record = parts.settings.records ? openRecord(asked, note, bytes ?? asked.body.bytes) : undefined;
  const state = made.value.lane;
  const committed = await commitLane(store, { session, match, seen, state, items, ...optional("record", record) });
  if (!committed.ok) return held(parts, kept, ask, attempt, committed.error);
  if (committed.value.type === "stale") return "stale";
  tell(parts, ask, made.value);
  const ready = { ...prepared, note, ...optional("bytes", bytes) };
  if (committed.value.type === "gone") return ready;
  const { lane } = committed.value;
  const logged = logEvents(parts, kept, ask, made.value, lane.id);
  const whole = () => budgetFor(parts, asked, undefined).window;
  const accepted = () => ({ sent: made.value.tokensSent, high: attempt.budget.high, whole: whole() });
  return {
    ...ready,
    note: inLane(parts, note, lane.id, bytes ?? asked.body.bytes),
    async again(limit) {
      await logged;
      return again(parts, kept, { ...ask, match: { type: "extends", lane } }, attempt, made.value, limit);
    },
    sent: () => kept.remember.add(session, lane.id, seeables(items, asked.body)),
    answered: async () => void (await acceptTokens(store, asked.upstream, asked.model, accepted())),
    settled: logged,
  };
}

/**
 * The plan, with everything that it leaves out stored, findable and summed up in the anchor. Only then is it searched:
 * before that, what a first cut takes away could not be found.
 */
async function planned(
  parts: ProxyContext,
  kept: ProxyServices,
  ask: LaneRequest,
  { budget, mode }: Try,
): Promise<Result<RequestPlan, Fault>> {
  const { store } = kept;
  const { session } = ask;
  const input = inputOf(parts, kept, ask, budget);
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
    const made = await plans();
    if (!made.newEpoch) return ok(made);
    const out = [...made.dropped, ...made.shortened];
    const fresh = out.filter(({ own }) => own !== undefined && !kepts.has(own));
    if (fresh.length === 0) {
      if (isSettled || !isPutOff) return ok(made);
      isSettled = true;
      continue;
    }
    // Each round changes the anchor and with it the cut: what is not stored does not leave the request.
    if (round >= MOST_ROUNDS) return fail(faultAt("store_busy", session.path, "the cut did not settle"));
    const lane = ask.match.type === "extends" ? ask.match.lane.id : 0;
    const ensured = await kept.remember.ensure(session, lane, seeables(fresh, ask.asked.body));
    if (!ensured.ok) return ensured;
    for (const own of ensured.value.refused) untouched.add(own);
    const owns = fresh.flatMap(({ own }) => (own === undefined || untouched.has(own) ? [] : [own]));
    const dropped = await dropItems(store, session, lane, owns, "proxy");
    if (!dropped.ok) return dropped;
    for (const own of owns) kepts.add(own);
    const anchored = await updateAnchor(store, session, owns, { maxChars: parts.settings.anchor.fileMaxChars });
    if (!anchored.ok) tellFault(parts, "anchor", anchored.error);
  }
}

/** The store failed: what is in force is still applied; nothing new is cut or added. */
export async function held(
  parts: ProxyContext,
  kept: ProxyServices,
  ask: LaneRequest,
  { budget }: Pick<Try, "budget">,
  fault: Fault,
): Promise<PreparedRequest> {
  tellFault(parts, "store", fault);
  const { match, session, items, asked } = ask;
  const lane = match.type === "extends" ? match.lane.id : undefined;
  kept.remember.add(session, lane ?? 0, seeables(items, asked.body));
  const made = await plan({ ...inputOf(parts, kept, ask, budget), mode: "hold" });
  const prepared = result(ask, { budget }, made);
  const sent = prepared.bytes ?? asked.body.bytes;
  const note = lane === undefined ? prepared.note : inLane(parts, prepared.note, lane, sent);
  return { ...prepared, note: { ...note, action: "skip:store" } };
}

function inputOf(
  parts: ProxyContext,
  kept: ProxyServices,
  ask: LaneRequest,
  budget: RequestBudget,
): Omit<RequestPlanInput, "mode"> {
  const { asked, kind, session, items, fixedTokens, lane } = ask;
  const refOf = refs(kept.store, session);
  return {
    body: asked.body,
    items,
    fixedTokens,
    lane,
    kind,
    budget,
    model: asked.model,
    recall: parts.settings.recall.enabled ? recallFor(parts, kept, session, asked.caller, items) : undefined,
    refOf: ({ own }) => refOf(own),
    clean: cleaner(kept),
    settings: parts.settings,
  };
}

async function again(
  parts: ProxyContext,
  kept: ProxyServices,
  ask: LaneRequest,
  { attempt, budget }: Try,
  before: RequestPlan,
  limit: ContextLimit,
): Promise<PreparedRequest | undefined> {
  const room = await smallerRoom(parts, kept, ask.asked, { attempt, budget, sent: before.tokensSent }, limit);
  if (!room) return undefined;
  const next = await prepareLane(parts, kept, ask, { budget: room, mode: "context-error", attempt: attempt + 1 });
  if (next === "stale" || next.note.action.startsWith("skip:")) return undefined;
  if ((next.note.tokensSent ?? 0) >= before.tokensSent) return undefined;
  return { ...next, note: { ...next.note, action: "retry" } };
}

function inLane({ lastSent }: ProxyContext, note: RequestNote, lane: number, sent: Buffer): RequestNote {
  return { ...note, lane, ...optional("bytesShared", lastSent.share(lane, sent)) };
}

function result(
  { asked, session, kind, seen }: LaneRequest,
  { budget }: Pick<Try, "budget">,
  made: RequestPlan,
): PreparedRequest {
  const bytes = assemble(asked.body, made.pieces);
  const note: RequestNote = {
    action: made.action,
    kind,
    session: session.id,
    sessionSignal: session.signal,
    window: budget.window,
    usable: budget.usable,
    tokensIn: made.tokensIn,
    tokensSent: made.tokensSent,
    epoch: made.lane.epoch,
    dropped: made.dropped.length,
    shortened: made.shortened.length,
    stored: seen.fresh,
    recalled: made.recalled.map(({ ref, score, parts: why }) => ({ ref, score, ...optional("parts", why) })),
    items: made.rows,
    ...optional("epochReason", made.newEpoch),
    ...optional("recallLost", made.recallLost),
  };
  return {
    note,
    ...(bytes === asked.body.bytes ? {} : { bytes }),
    ...(kind === "main" ? { recognise: { promptLimit: budget.window, estimatedTokens: made.tokensSent } } : {}),
    collect: false,
  };
}

/** Beside the items themselves: what was cut and what the anchor said then, and each state block. No request waits for it. */
async function logEvents(
  parts: ProxyContext,
  kept: ProxyServices,
  ask: LaneRequest,
  made: RequestPlan,
  lane: number,
): Promise<void> {
  const { session } = ask;
  const write = async (kind: "cut" | "state", text: string, about: Record<string, string | number>) => {
    const clean = filtered(kept.redactor, text);
    if (clean === undefined) return;
    const done = await appendEvent(kept.store, session, { kind, text: clean, lane, about });
    if (!done.ok) tellFault(parts, "event", done.error);
  };
  if (made.newEpoch) {
    const { summary } = await parts.files.read(session.path);
    const about = { reason: made.newEpoch, epoch: made.lane.epoch, dropped: made.dropped.length };
    await write("cut", summary, about);
  }
  if (made.newState) await write("state", made.lane.state?.text ?? "", { epoch: made.lane.epoch });
}

function tell(parts: ProxyContext, { asked, session }: LaneRequest, made: RequestPlan): void {
  const data = { request: asked.id, session: session.id };
  if (made.newEpoch) {
    const counts = { dropped: made.dropped.length, shortened: made.shortened.length, epoch: made.lane.epoch };
    parts.emit({ type: "proxy.cut", data: { ...data, reason: made.newEpoch, ...counts } });
  }
  if (made.recalled.length > 0) parts.emit({ type: "proxy.recall", data: { ...data, snippets: made.recalled.length } });
}
