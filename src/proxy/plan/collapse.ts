// Gemini's API refuses a second response to one call; a client may send one all the same, so it is always taken out.
import { isRecord } from "../../base/json.ts";
import { pairGemini } from "../../model/wire/gemini-pairs.ts";
import type { HistoryItem, ScannedBody } from "../contract.ts";

/** The same items when there is none. An item of which nothing is left is gone. */
export function collapseDoubled({ wire }: ScannedBody, items: readonly HistoryItem[]): readonly HistoryItem[] {
  if (wire !== "gemini") return items;
  const { doubled } = pairGemini(items.map(({ raw }) => raw));
  if (doubled.size === 0) return items;
  return items.flatMap((item) => {
    const all = isRecord(item.raw) && Array.isArray(item.raw["parts"]) ? item.raw["parts"] : [];
    const parts = all.filter((part: unknown) => !doubled.has(part));
    if (parts.length === all.length) return [item];
    return parts.length === 0 ? [] : [{ ...item, raw: { ...(item.raw as object), parts } }];
  });
}
