// Makes a history one that a provider accepts: each call has exactly one result, and each result has its call.
import { type ContextItem, newItem } from "../../schema/context-item.ts";
import type { ItemRules } from "./contract.ts";

export const NO_RESULT = "No result of this call was recorded.";

type Rules<Raw> = Pick<ItemRules<Raw>, "missingResult" | "withoutResults">;

/** For the request only; `repaired` counts results left out and made up. Order is never changed. */
export function repair<Raw>(
  items: readonly ContextItem<Raw>[],
  rules: Rules<Raw>,
): { items: readonly ContextItem<Raw>[]; repaired: number } {
  const { unanswered, surplus } = findFaults(items);
  if (unanswered.size === 0 && surplus.size === 0) return { items, repaired: 0 };
  let repaired = 0;
  const whole = items.flatMap((item) => {
    const wrong = surplus.get(item);
    const raw = wrong ? rules.withoutResults(item, wrong) : item.raw;
    const toolResultFor = item.toolResultFor.filter((id) => !wrong?.has(id));
    repaired += wrong?.size ?? 0;
    const rest = raw === undefined ? [] : [wrong ? { ...item, toolResultFor, raw } : item];
    const additions = (unanswered.get(item) ?? []).flatMap((id) => missingResult(item, id, rules));
    repaired += additions.length;
    return [...rest, ...additions];
  });
  return { items: whole, repaired };
}

/** A result that says that none was recorded; none where the wire's rules cannot make one up. */
export function missingResult<Raw>(call: ContextItem<Raw>, callId: string, rules: Rules<Raw>): ContextItem<Raw>[] {
  const raw = rules.missingResult(call, callId, NO_RESULT);
  if (raw === undefined) return [];
  const { turn } = call;
  return [newItem({ id: `${call.id}:${callId}`, role: "tool", kind: "message", turn, toolResultFor: [callId], raw })];
}

type Faults<Item> = { unanswered: Map<Item, string[]>; surplus: Map<Item, Set<string>> };

/** Ids may be used again: a result belongs to the nearest call before it, and only the first one counts. */
function findFaults<Item extends ContextItem>(items: readonly Item[]): Faults<Item> {
  const open = new Map<string, Item>();
  const unanswered: Faults<Item>["unanswered"] = new Map();
  const surplus: Faults<Item>["surplus"] = new Map();
  const leave = (id: string, call: Item): void => {
    unanswered.set(call, [...(unanswered.get(call) ?? []), id]);
  };
  const look = (item: Item): void => {
    for (const id of item.toolResultFor) {
      if (!open.delete(id)) surplus.set(item, (surplus.get(item) ?? new Set()).add(id));
    }
    for (const id of item.toolCallIds) {
      const earlier = open.get(id);
      if (earlier) leave(id, earlier);
      open.set(id, item);
    }
  };
  items.forEach((item) => {
    if (item.toolResultFor.length + item.toolCallIds.length > 0) look(item);
  });
  for (const [id, call] of open) leave(id, call);
  return { unanswered, surplus };
}
