// Items of a request as the item store takes them.
import type { HistoryItem, ScannedBody } from "../contract.ts";
import { readable } from "../history/readable.ts";
import type { StorableItem } from "../remember/store-items.ts";

/** Only what is in the chain is kept. */
export function seeables(items: readonly HistoryItem[], { wire, items: spans }: ScannedBody): StorableItem[] {
  return items.flatMap((item) => {
    const span = spans[item.at];
    if (item.own === undefined || !span) return [];
    return [{ own: item.own, wire, bytes: span.end - span.start, read: () => readable(item) }];
  });
}
