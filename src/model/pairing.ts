// The last safety net before a request leaves: each call has exactly one result, directly after it, in call order.
import type { ContextItem } from "../schema/context-item.ts";
import type { Message } from "../schema/message.ts";
import { ownRules } from "./wire/own.ts";
import { missingResult } from "./wire/repair.ts";

type Item = ContextItem<Message>;

/**
 * Results are moved up to their call, a result without a call is left out, a call without a result gets one that
 * says so. Pairs are found by position, so an id that a provider uses twice is no trouble.
 */
export function pairItems(items: readonly Item[]): Item[] {
  const results = resultsByCall(items);
  const paired: Item[] = [];
  for (const [index, item] of items.entries()) {
    if (item.raw.role === "tool") continue;
    paired.push(item);
    if (item.raw.role !== "assistant") continue;
    for (const request of item.raw.toolRequests) {
      const result = results.get(key(index, request.toolCallId))?.shift();
      paired.push(...(result ? [result] : missingResult(item, request.toolCallId, ownRules)));
    }
  }
  return paired;
}

/** Each result belongs to the latest item before it that makes a call of that id; one without such an item to none. */
function resultsByCall(items: readonly Item[]): Map<string, Item[]> {
  const caller = new Map<string, number>();
  const results = new Map<string, Item[]>();
  for (const [index, item] of items.entries()) {
    const { raw } = item;
    if (raw.role === "assistant") for (const { toolCallId } of raw.toolRequests) caller.set(toolCallId, index);
    const from = raw.role === "tool" ? caller.get(raw.toolCallId) : undefined;
    if (raw.role !== "tool" || from === undefined) continue;
    const place = key(from, raw.toolCallId);
    results.set(place, [...(results.get(place) ?? []), item]);
  }
  return results;
}

function key(caller: number, toolCallId: string): string {
  return `${caller} ${toolCallId}`;
}
