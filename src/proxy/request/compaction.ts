// A client's own compaction: passed as it is when it fits, else with the lane's cut; its answer is kept.
import { optional } from "../../base/optional.ts";
import { ok, type Result } from "../../base/result.ts";
import type { ContextLimit } from "../../model/contract.ts";
import type { Fault } from "../../store/fault.ts";
import { assemble } from "../body/assemble.ts";
import type { HistoryItem } from "../contract.ts";
import { textOfAnswer } from "../history/answer.ts";
import { readable } from "../history/readable.ts";
import { sealIn } from "../history/seal.ts";
import type { Observation } from "../observe/observer.ts";
import type { RequestBudget } from "../plan/budget.ts";
import type { RequestPlan, RequestPlanInput } from "../plan/contract.ts";
import type { RequestSizes } from "../plan/count.ts";
import { plan } from "../plan/plan.ts";
import { setAnchorBase } from "../remember/anchor.ts";
import { appendEvent, dropItems } from "../remember/events.ts";
import { cleaner, filtered, type ProxyServices } from "../services.ts";
import { noteCompaction, type StoredLane } from "../store/lane.ts";
import { type LaneLocation, locateFlattened } from "../store/locate.ts";
import { compactionText } from "../store/match.ts";
import { refs } from "../store/see.ts";
import type { ProxySession } from "../store/session.ts";
import { learnedWindow } from "../store/windows.ts";
import { budgetFor, smallerRoom } from "./budget.ts";
import { type ManagedRequest, type ProxyContext, passed, type ReadyRequest, tellFault } from "./context.ts";
import { seeables } from "./seeable.ts";

type Owner = { session: ProxySession; lane: StoredLane };

export async function prepareCompaction(
  context: ProxyContext,
  services: ProxyServices,
  request: ManagedRequest,
  located: LaneLocation,
  items: readonly HistoryItem[],
): Promise<ReadyRequest> {
  const owner = await ownerOf(services, request, located, items);
  if (!owner) return passed("pass", { kind: "compaction" });
  const learned = await learnedWindow(services.store, request.upstream, request.model);
  const budget = budgetFor(context, request, learned.ok ? learned.value : undefined);
  const measured = await context.counts.measure({ body: request.body, items, limit: budget.usable });
  return fitted(context, services, { request, owner, measured }, { budget, mode: "normal", attempt: 1 });
}

type Ask = { request: ManagedRequest; owner: Owner; measured: RequestSizes };
type Try = { budget: RequestBudget; mode: "normal" | "context-error"; attempt: number };

async function fitted(context: ProxyContext, services: ProxyServices, ask: Ask, attempt: Try): Promise<ReadyRequest> {
  const { request, owner, measured } = ask;
  const { session, lane } = owner;
  const { budget, mode } = attempt;
  const tokensIn = measured.fixedTokens + measured.items.reduce((sum, item) => sum + item.tokens, 0);
  const note = { kind: "compaction" as const, session: session.id, lane: lane.id, window: budget.window, tokensIn };
  const answered = (seen: Observation) => keepSummary(context, services, request, owner, seen);
  const ready = (prepared: ReadyRequest, sent: number): ReadyRequest => ({
    ...prepared,
    collect: true,
    recognise: { promptLimit: budget.window, estimatedTokens: sent },
    answered,
    again: (limit) => again(context, services, ask, attempt, sent, limit),
  });
  if (mode === "normal" && tokensIn <= budget.usable)
    return ready(passed("pass", { ...note, tokensSent: tokensIn }), tokensIn);
  const refOf = refs(services.store, session);
  const input: RequestPlanInput = {
    ...measured,
    ...{ body: request.body, lane, kind: "compaction", mode, budget, model: request.model },
    refOf: ({ own }) => refOf(own),
    clean: cleaner(services),
    settings: context.settings,
  };
  const stored = await storedPlan(services, ask, input);
  const outcome = stored.ok ? stored.value : await plan({ ...input, mode: "hold" });
  if (!stored.ok) tellFault(context, "store", stored.error);
  const bytes = assemble(request.body, outcome.pieces);
  const prepared = passed(stored.ok ? outcome.action : "skip:store", {
    ...note,
    tokensSent: outcome.tokensSent,
    dropped: outcome.dropped.length,
    shortened: outcome.shortened.length,
    items: outcome.rows,
    epoch: lane.epoch,
  });
  const changed = optional("bytes", bytes === request.body.bytes ? undefined : bytes);
  return ready({ ...prepared, ...changed }, outcome.tokensSent);
}

/** Nothing leaves the request before it is stored; what cannot be stays. */
async function storedPlan(
  { store, remember }: ProxyServices,
  { request, owner }: Ask,
  input: RequestPlanInput,
): Promise<Result<RequestPlan, Fault>> {
  const { session, lane } = owner;
  const untouched = new Set<string>();
  for (;;) {
    const draft = await plan({ ...input, untouched });
    const out = [...draft.dropped, ...draft.shortened];
    const ensured = await remember.ensure(session, lane.id, seeables(out, request.body));
    if (!ensured.ok) return ensured;
    const refused = ensured.value.refused.filter((own) => !untouched.has(own));
    if (refused.length > 0) {
      for (const own of refused) untouched.add(own);
      continue;
    }
    const owns = out.flatMap(({ own }) => own ?? []);
    const dropped = await dropItems(store, session, lane.id, owns, "proxy");
    return dropped.ok ? ok(draft) : dropped;
  }
}

async function again(
  context: ProxyContext,
  services: ProxyServices,
  ask: Ask,
  { attempt, budget }: Try,
  sent: number,
  limit: ContextLimit,
): Promise<ReadyRequest | undefined> {
  const room = await smallerRoom(context, services, ask.request, { attempt, budget, sent }, limit);
  if (!room) return undefined;
  const next = await fitted(context, services, ask, { budget: room, mode: "context-error", attempt: attempt + 1 });
  if ((next.note.tokensSent ?? 0) >= sent) return undefined;
  return { ...next, note: { ...next.note, action: "retry" } };
}

/** Codex asks its provider to compact: nothing of it is touched, and the answer is closed to us. */
export function prepareTrigger(
  context: ProxyContext,
  services: ProxyServices,
  request: ManagedRequest,
  { session, match }: LaneLocation,
): ReadyRequest {
  if (!session || match.type === "new") return passed("pass", { kind: "trigger" });
  const { lane } = match;
  return {
    ...passed("pass", { kind: "trigger", session: session.id, lane: lane.id }),
    collect: true,
    answered: (seen) => keepSummary(context, services, request, { session, lane }, seen),
  };
}

/** A history told as one text belongs to the lane whose newest prompt it contains. */
async function ownerOf(
  { store, redactor }: ProxyServices,
  { caller }: ManagedRequest,
  { session, match }: LaneLocation,
  items: readonly HistoryItem[],
): Promise<Owner | undefined> {
  if (session && match.type !== "new") return { session, lane: match.lane };
  const text = items.map((item) => readable(item).text).join("\n");
  const owner = await locateFlattened(store, caller, filtered(redactor, text) ?? "");
  return owner.ok ? owner.value : undefined;
}

async function keepSummary(
  context: ProxyContext,
  { store, redactor }: ProxyServices,
  { body }: ManagedRequest,
  { session, lane }: Owner,
  seen: Observation,
): Promise<void> {
  const seal = sealIn(body.wire, seen.records, context.key);
  const sealed = seal === undefined ? undefined : await noteCompaction(store, session, lane, seal);
  if (sealed && !sealed.ok) tellFault(context, "client summary", sealed.error);
  const text = filtered(redactor, textOfAnswer(body.wire, seen.records));
  if (seal !== undefined || text === undefined || text.trim() === "") return;
  for (const outcome of [
    await noteCompaction(store, session, lane, compactionText(text)),
    await appendEvent(store, session, { kind: "client_summary", text, lane: lane.id }),
    await setAnchorBase(store, session, text),
  ])
    if (!outcome.ok) tellFault(context, "client summary", outcome.error);
}
