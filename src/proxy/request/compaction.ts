// A client's own compaction: passed as it is when it fits, else with the lane's cut; its answer is kept.
import { optional } from "../../base/optional.ts";
import { wireOf } from "../../model/wire/registry.ts";
import { assemble } from "../body/assemble.ts";
import type { HistoryItem } from "../contract.ts";
import { readable } from "../history/readable.ts";
import { sealIn } from "../history/seal.ts";
import type { Observation } from "../observe/observer.ts";
import type { RequestPlanInput } from "../plan/contract.ts";
import type { RequestSizes } from "../plan/count.ts";
import { plan } from "../plan/plan.ts";
import { setAnchorBase } from "../remember/anchor.ts";
import { appendEvent } from "../remember/events.ts";
import { cleaner, filtered } from "../services.ts";
import { noteCompaction } from "../store/lane.ts";
import type { StoredLane } from "../store/lane-row.ts";
import { type LaneLocation, locateFlattened } from "../store/locate.ts";
import { compactionText } from "../store/match.ts";
import { ItemRefs } from "../store/refs.ts";
import type { ProxySession } from "../store/session.ts";
import { type ManagedRequest, type PlanContext, passed, type ReadyRequest, tellFault } from "./context.ts";
import { type Attempt, smallerRequest } from "./room.ts";
import { storedPlan } from "./stored-plan.ts";

type Owner = { session: ProxySession; lane: StoredLane };

export async function prepareCompaction(
  context: PlanContext,
  request: ManagedRequest,
  { located, items, attempt }: { located: LaneLocation; items: readonly HistoryItem[]; attempt: Attempt },
): Promise<ReadyRequest> {
  const owner = await ownerOf(context, request, located, items);
  if (!owner) return passed("pass", { kind: "compaction" });
  const sizes = await context.counts.measure({ body: request.body, items, limit: attempt.budget.usable });
  return fitted(context, { request, owner, sizes }, attempt);
}

type Compaction = { request: ManagedRequest; owner: Owner; sizes: RequestSizes };

async function fitted(context: PlanContext, compaction: Compaction, attempt: Attempt): Promise<ReadyRequest> {
  const { request, owner, sizes } = compaction;
  const { session, lane } = owner;
  const { budget, mode } = attempt;
  const tokensIn = sizes.fixedTokens + sizes.items.reduce((sum, item) => sum + item.tokens, 0);
  const note = { kind: "compaction" as const, session: session.id, lane: lane.id, window: budget.window, tokensIn };
  const ready = (prepared: ReadyRequest, sent: number): ReadyRequest => ({
    ...prepared,
    collect: true,
    recognise: { promptLimit: budget.window, estimatedTokens: sent },
    answered: (seen) => keepSummary(context, request, owner, seen),
    again: (limit) =>
      smallerRequest(context, request, { attempt, sent, limit }, (next) => fitted(context, compaction, next)),
  });
  if (mode === "normal" && tokensIn <= budget.usable)
    return ready(passed("pass", { ...note, tokensSent: tokensIn }), tokensIn);
  const refs = new ItemRefs(context.store, session);
  await refs.load(sizes.items.map(({ own }) => own));
  const input: RequestPlanInput = {
    ...sizes,
    ...{ body: request.body, lane, kind: "compaction", mode, budget, model: request.model },
    refOf: ({ own }) => refs.of(own),
    clean: cleaner(context),
    settings: context.settings,
  };
  const stored = await storedPlan(context, input, { session, lane: lane.id });
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

/** Codex asks its provider to compact: nothing of it is touched, and the answer is closed to us. */
export function prepareTrigger(
  context: PlanContext,
  request: ManagedRequest,
  { session, match }: LaneLocation,
): ReadyRequest {
  if (!session || match.type === "new") return passed("pass", { kind: "trigger" });
  const { lane } = match;
  return {
    ...passed("pass", { kind: "trigger", session: session.id, lane: lane.id }),
    collect: true,
    answered: (seen) => keepSummary(context, request, { session, lane }, seen),
  };
}

/** A history told as one text belongs to the lane whose newest prompt it contains. */
async function ownerOf(
  context: PlanContext,
  { caller }: ManagedRequest,
  { session, match }: LaneLocation,
  items: readonly HistoryItem[],
): Promise<Owner | undefined> {
  if (session && match.type !== "new") return { session, lane: match.lane };
  const text = items.map((item) => readable(item).text).join("\n");
  await context.remember.settle();
  const owner = await locateFlattened(context.store, caller, filtered(context, text) ?? "");
  return owner.ok ? owner.value : undefined;
}

async function keepSummary(
  context: PlanContext,
  { body }: ManagedRequest,
  { session, lane }: Owner,
  seen: Observation,
): Promise<void> {
  const { store } = context;
  const seal = sealIn(body.wire, seen.records, context.key);
  const text = seal === undefined ? filtered(context, wireOf(body.wire).answer.text(seen.records).trim()) : undefined;
  const outcomes = [];
  if (seal !== undefined) outcomes.push(await noteCompaction(store, session, lane, seal));
  else if (text !== undefined && text !== "")
    outcomes.push(
      await noteCompaction(store, session, lane, compactionText(text)),
      await appendEvent(store, session, { kind: "client_summary", text, lane: lane.id }),
      await setAnchorBase(store, session, text, { maxChars: context.settings.anchor.fileMaxChars }),
    );
  for (const outcome of outcomes) if (!outcome.ok) tellFault(context, "client summary", outcome.error);
}
