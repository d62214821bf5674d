// Makes the input of a summary smaller: an earlier compaction message by all but its summary, over-long items by their middle.
import { isShortenable } from "../truncate/shorten-item.ts";
import { type Count, type SessionItem, tokensOf } from "./items.ts";
import { formerSummary } from "./summary.ts";

/** The item at about this size, `tokens` counted; undefined when it would not shrink. */
export type Shorten = (item: SessionItem, tokens: number) => Promise<SessionItem | undefined>;

/** Items above this share of the summariser's limit are over-long. */
const OVER_LONG = 0.05;
const LEAST_TOKENS = 500;

/** As they are when they fit the room; else reduced, oldest first, until they fit or nothing is left to reduce. */
export async function reduceItems(
  items: readonly SessionItem[],
  room: number,
  limit: number,
  { count, shorten }: { count: Count; shorten: Shorten },
): Promise<readonly SessionItem[]> {
  let excess = tokensOf(items) - room;
  if (excess <= 0) return items;
  const most = Math.max(LEAST_TOKENS, Math.floor(limit * OVER_LONG));
  const reduced: SessionItem[] = [];
  for (const item of items) {
    const smaller = excess <= 0 ? item : await reduceItem(item, most, count, shorten);
    excess -= item.tokens - smaller.tokens;
    reduced.push(smaller);
  }
  return reduced;
}

async function reduceItem(item: SessionItem, most: number, count: Count, shorten: Shorten): Promise<SessionItem> {
  if (item.kind === "compaction" && item.raw.role === "user") {
    const content = formerSummary(item.raw.content);
    const tokens = count(content);
    return tokens < item.tokens ? { ...item, tokens, raw: { ...item.raw, content } } : item;
  }
  if (item.tokens <= most || !isShortenable(item)) return item;
  return (await shorten(item, most)) ?? item;
}
