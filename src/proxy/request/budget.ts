// How much room a request has: its model's window as it is known now, and the marks of its client's family.
import type { ContextLimit } from "../../model/contract.ts";
import { wireOf } from "../../model/wire/registry.ts";
import { below, budgetOf, halved, type RequestBudget, windowOf } from "../plan/budget.ts";
import type { ProxyServices } from "../services.ts";
import { learnWindow } from "../store/windows.ts";
import type { ManagedRequest, ProxyContext } from "./context.ts";

export function budgetFor(
  { settings, catalog }: ProxyContext,
  request: ManagedRequest,
  learned: number | undefined,
): RequestBudget {
  const { model, headers, body, route, caller } = request;
  const limit = learned === undefined ? {} : { learned };
  const window = windowOf({ wire: route.wire, model, headers, windows: settings.windows, ...limit, catalog });
  return budgetOf({ window, body: body.value, wire: route.wire, family: caller.family, settings });
}

/** A refusal that names no figure says this much about the window. */
const BELOW_REFUSED = 0.9;
const MOST_ATTEMPTS = 3;
/** A named window so much larger than what was asked for, by our count, cannot be why it was refused. */
const DOUBTFUL = 1.5;

/** After a refusal: the window is learned; after a second one its half is tried. Undefined when it is enough. */
export async function smallerRoom(
  context: ProxyContext,
  { store }: ProxyServices,
  request: ManagedRequest,
  { attempt, budget, sent }: { attempt: number; budget: RequestBudget; sent: number },
  { reportedLimit, unit }: ContextLimit,
): Promise<RequestBudget | undefined> {
  if (attempt >= MOST_ATTEMPTS) return undefined;
  const { upstream, model, route, body } = request;
  const output = wireOf(route.wire).request.maxOutput(body.value) ?? 0;
  const isDoubtful = (reportedLimit ?? 0) > DOUBTFUL * (sent + output);
  // Such refusals are often transient, so one of them says nothing about the window.
  if (isDoubtful && attempt === 1) return below(budget, sent);
  const named = unit === "tokens" && !isDoubtful ? reportedLimit : undefined;
  const tokens = named ?? sent * BELOW_REFUSED;
  const learned = await learnWindow(store, upstream, model, { tokens, named: named !== undefined });
  if (!learned.ok) return undefined;
  context.emit({ type: "proxy.window_learned", data: { upstream, model, tokens: learned.value } });
  return attempt === 1 ? below(budgetFor(context, request, learned.value), sent) : halved(budget);
}
