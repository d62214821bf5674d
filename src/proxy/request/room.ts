// How much room a request has: its model's window as it is known now, the marks of its client's family, and less after a refusal.
import { optional } from "../../base/optional.ts";
import type { ContextLimit } from "../../model/contract.ts";
import { wireOf } from "../../model/wire/registry.ts";
import { below, budgetOf, halved, type RequestBudget, windowOf } from "../plan/budget.ts";
import { learnWindow } from "../store/windows.ts";
import type { ManagedRequest, PlanContext, ReadyRequest } from "./context.ts";

/** One attempt to send a request within the provider's limits. */
export type Attempt = { number: number; budget: RequestBudget; mode: "normal" | "context-error" };

/** `learned`: the window that refusals taught. */
export const firstAttempt = (context: PlanContext, request: ManagedRequest, learned: number | undefined): Attempt => ({
  ...{ number: 1, mode: "normal" },
  budget: budgetFor(context, request, learned),
});

export function budgetFor(
  { settings, catalog }: PlanContext,
  { model, headers, body, route: { wire }, caller: { family } }: ManagedRequest,
  learned: number | undefined,
): RequestBudget {
  const window = windowOf({
    wire,
    model,
    headers,
    windows: settings.windows,
    ...optional("learned", learned),
    catalog,
  });
  return budgetOf({ window, body: body.value, wire, family, settings });
}

/** A refusal that names no figure says this much about the window. */
const BELOW_REFUSED = 0.9;
const MOST_ATTEMPTS = 3;
/** A named window so much larger than the request, by our count, cannot be why it was refused. */
const DOUBTFUL = 1.5;

/** After a refusal the window is learned; after a second one its half is tried. Undefined after the last attempt. */
async function smallerBudget(
  context: PlanContext,
  request: ManagedRequest,
  { number, budget }: Attempt,
  sent: number,
  { reportedLimit, unit }: ContextLimit,
): Promise<RequestBudget | undefined> {
  if (number >= MOST_ATTEMPTS) return undefined;
  const { upstream, model, route, body } = request;
  const output = wireOf(route.wire).request.maxOutput(body.value) ?? 0;
  const isDoubtful = (reportedLimit ?? 0) > DOUBTFUL * (sent + output);
  // Such refusals are often transient, so one of them says nothing about the window.
  if (isDoubtful && number === 1) return below(budget, sent);
  const named = unit === "tokens" && !isDoubtful ? reportedLimit : undefined;
  const tokens = named ?? sent * BELOW_REFUSED;
  const learned = await learnWindow(context.store, upstream, model, { tokens, named: named !== undefined });
  if (!learned.ok) return undefined;
  context.emit({ type: "proxy.window_learned", data: { upstream, model, tokens: learned.value } });
  return number === 1 ? below(budgetFor(context, request, learned.value), sent) : halved(budget);
}

/** The request made smaller after a refusal; undefined when it cannot become smaller than the `sent` tokens. */
export async function smallerRequest(
  context: PlanContext,
  request: ManagedRequest,
  refused: { attempt: Attempt; sent: number; limit: ContextLimit },
  prepare: (attempt: Attempt) => Promise<ReadyRequest | "stale">,
): Promise<ReadyRequest | undefined> {
  const { attempt, sent, limit } = refused;
  const budget = await smallerBudget(context, request, attempt, sent, limit);
  if (!budget) return undefined;
  const next = await prepare({ budget, mode: "context-error", number: attempt.number + 1 });
  if (next === "stale" || next.note.action.startsWith("skip:") || (next.note.tokensSent ?? 0) >= sent) return undefined;
  return { ...next, note: { ...next.note, action: "retry" } };
}
