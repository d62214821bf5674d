// What to search for: what the user asked last, and beside it the names in what is being worked on.
import { namesOf } from "../../memory/recall/text/identifier.ts";
import { groups } from "../../model/wire/group.ts";
import type { HistoryItem } from "../contract.ts";
import { readable, spoken } from "./readable.ts";

type PromptQuery = {
  /** Empty: nothing to search for. */
  text: string;
  /** Paths and identifiers of the newest group, which count less. */
  hints: string;
};

const MOST_HINTS = 40;
/** So much of one item is looked at: calls name what they are about, long results name everything. */
const CHARS = 8_000;

export function queryOf(items: readonly HistoryItem[]): PromptQuery {
  for (const item of items.toReversed()) {
    const text = spoken(item);
    if (text !== "") return { text, hints: hintsOf(items) };
  }
  return { text: "", hints: "" };
}

function hintsOf(items: readonly HistoryItem[]): string {
  const newest = groups(items).findLast(({ kind }) => kind === "step");
  const names = new Set<string>();
  for (const at of newest?.indexes ?? []) {
    const item = items[at];
    if (!item) continue;
    for (const { raw } of namesOf(readable(item).text.slice(0, CHARS))) names.add(raw);
  }
  return [...names].slice(0, MOST_HINTS).join(" ");
}
