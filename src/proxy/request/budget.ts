// How much room a request has: its model's window as it is known now, and the marks of its client's family.
import { type Budget, budgetOf, windowOf } from "../plan/budget.ts";
import type { Asked, Parts } from "./parts.ts";

export function budgetFor({ settings, catalog }: Parts, asked: Asked, learned: number | undefined): Budget {
  const { model, headers, body, route, caller } = asked;
  const known = learned === undefined ? {} : { learned };
  const window = windowOf({ model, headers, windows: settings.windows, ...known, catalog });
  return budgetOf({ window, body: body.value, wire: route.wire, family: caller.family, settings });
}
