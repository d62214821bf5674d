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
import type { RequestSizes } from "../plan/count.ts";
import { plan, type RequestPlan, type RequestPlanInput } from "../plan/plan.ts";
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
import { type ManagedRequest, type PreparedRequest, type ProxyContext, passed, tellFault } from "./parts.ts";
import { seeables } from "./seeable.ts";

type Owner = { session: ProxySession; lane: StoredLane };

export async function prepareCompaction(
  parts: ProxyContext,
  kept: ProxyServices,
  asked: ManagedRequest,
  located: LaneLocation,
  items: readonly HistoryItem[],
): Promise<PreparedRequest> {
  const owner = await ownerOf(kept, asked, located, items);
  if (!owner) return passed("pass", { kind: "compaction" });
  const learned = await learnedWindow(kept.store, asked.upstream, asked.model);
  const budget = budgetFor(parts, asked, learned.ok ? learned.value : undefined);
  const measured = await parts.counts.measure({ body: asked.body, items, limit: budget.usable });
  return fitted(parts, kept, { asked, owner, measured }, { budget, mode: "normal", attempt: 1 });
}

type Ask = { asked: ManagedRequest; owner: Owner; measured: RequestSizes };
type Try = { budget: RequestBudget; mode: "normal" | "context-error"; attempt: number };

async function fitted(parts: ProxyContext, kept: ProxyServices, ask: Ask, attempt: Try): Promise<PreparedRequest> {
  const { asked, owner, measured } = ask;
  const { session, lane } = owner;
  const { budget, mode } = attempt;
  const tokensIn = measured.fixedTokens + measured.items.reduce((sum, item) => sum + item.tokens, 0);
  const note = { kind: "compaction" as const, session: session.id, lane: lane.id, window: budget.window, tokensIn };
  const answered = (seen: Observation) => keepSummary(parts, kept, asked, owner, seen);
  const ready = (prepared: PreparedRequest, sent: number): PreparedRequest => ({
    ...prepared,
    collect: true,
    recognise: { promptLimit: budget.window, estimatedTokens: sent },
    answered,
    again: (limit) => again(parts, kept, ask, attempt, sent, limit),
  });
  if (mode === "normal" && tokensIn <= budget.usable)
    return ready(passed("pass", { ...note, tokensSent: tokensIn }), tokensIn);
  const refOf = refs(kept.store, session);
  const input: RequestPlanInput = {
    ...measured,
    ...{ body: asked.body, lane, kind: "compaction", mode, budget, model: asked.model },
    refOf: ({ own }) => refOf(own),
    clean: cleaner(kept),
    settings: parts.settings,
  };
  const stored = await storedPlan(kept, ask, input);
  const made = stored.ok ? stored.value : await plan({ ...input, mode: "hold" });
  if (!stored.ok) tellFault(parts, "store", stored.error);
  const bytes = assemble(asked.body, made.pieces);
  const prepared = passed(stored.ok ? made.action : "skip:store", {
    ...note,
    tokensSent: made.tokensSent,
    dropped: made.dropped.length,
    shortened: made.shortened.length,
    items: made.rows,
    epoch: lane.epoch,
  });
  const changed = optional("bytes", bytes === asked.body.bytes ? undefined : bytes);
  return ready({ ...prepared, ...changed }, made.tokensSent);
}

/** Nothing leaves the request before it is stored; what cannot be stays. */
async function storedPlan(
  { store, remember }: ProxyServices,
  { asked, owner }: Ask,
  input: RequestPlanInput,
): Promise<Result<RequestPlan, Fault>> {
  const { session, lane } = owner;
  const untouched = new Set<string>();
  for (;;) {
    const made = await plan({ ...input, untouched });
    const out = [...made.dropped, ...made.shortened];
    const ensured = await remember.ensure(session, lane.id, seeables(out, asked.body));
    if (!ensured.ok) return ensured;
    const refused = ensured.value.refused.filter((own) => !untouched.has(own));
    if (refused.length > 0) {
      for (const own of refused) untouched.add(own);
      continue;
    }
    const owns = out.flatMap(({ own }) => own ?? []);
    const dropped = await dropItems(store, session, lane.id, owns, "proxy");
    return dropped.ok ? ok(made) : dropped;
  }
}

async function again(
  parts: ProxyContext,
  kept: ProxyServices,
  ask: Ask,
  { attempt, budget }: Try,
  sent: number,
  limit: ContextLimit,
): Promise<PreparedRequest | undefined> {
  const room = await smallerRoom(parts, kept, ask.asked, { attempt, budget, sent }, limit);
  if (!room) return undefined;
  const next = await fitted(parts, kept, ask, { budget: room, mode: "context-error", attempt: attempt + 1 });
  if ((next.note.tokensSent ?? 0) >= sent) return undefined;
  return { ...next, note: { ...next.note, action: "retry" } };
}

/** Codex asks its provider to compact: nothing of it is touched, and the answer is closed to us. */
export function prepareTrigger(
  parts: ProxyContext,
  kept: ProxyServices,
  asked: ManagedRequest,
  { session, match }: LaneLocation,
): PreparedRequest {
  if (!session || match.type === "new") return passed("pass", { kind: "trigger" });
  const { lane } = match;
  return {
    ...passed("pass", { kind: "trigger", session: session.id, lane: lane.id }),
    collect: true,
    answered: (seen) => keepSummary(parts, kept, asked, { session, lane }, seen),
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
  const found = await locateFlattened(store, caller, filtered(redactor, text) ?? "");
  return found.ok ? found.value : undefined;
}

async function keepSummary(
  parts: ProxyContext,
  { store, redactor }: ProxyServices,
  { body }: ManagedRequest,
  { session, lane }: Owner,
  seen: Observation,
): Promise<void> {
  const seal = sealIn(body.wire, seen.records, parts.key);
  const sealed = seal === undefined ? undefined : await noteCompaction(store, session, lane, seal);
  if (sealed && !sealed.ok) tellFault(parts, "client summary", sealed.error);
  const text = filtered(redactor, textOfAnswer(body.wire, seen.records));
  if (seal !== undefined || text === undefined || text.trim() === "") return;
  for (const done of [
    await noteCompaction(store, session, lane, compactionText(text)),
    await appendEvent(store, session, { kind: "client_summary", text, lane: lane.id }),
    await setAnchorBase(store, session, text),
  ])
    if (!done.ok) tellFault(parts, "client summary", done.error);
}
