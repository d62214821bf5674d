// What a cut never takes: the head that says what it is all about, and the tail that is being worked on.
import type { Keep } from "../../context/truncate/draft.ts";
import { groups } from "../../model/wire/group.ts";
import { seeUser } from "../../model/wire/item.ts";
import { wireOf } from "../../model/wire/registry.ts";
import type { HistoryItem } from "../contract.ts";

/** The newest item in which a person says something; one that brings results may do so too. */
export const newestPrompt = (items: readonly HistoryItem[]): HistoryItem | undefined =>
  items.findLast((item) => item.isPrompt || speaks(item));

function speaks({ role, raw, wire }: HistoryItem): boolean {
  if (role !== "tool") return false;
  return wireOf(wire)
    .history.parts(raw)
    .some((part) => part.type === "text" && seeUser(part.text, false).isPrompt);
}

export function keepOf(
  items: readonly HistoryItem[],
  options: { minKeepItems: number; untouched?: ReadonlySet<string> | undefined },
): Keep {
  const all = groups(items);
  const always = new Set([...headOf(items), ...openCalls(items), newestPrompt(items)].map((item) => item?.id ?? ""));
  for (const at of all.findLast(({ kind }) => kind === "step")?.indexes ?? []) always.add(items[at]?.id ?? "");
  const ifRoom = new Set<string>();
  for (const { indexes } of all.toReversed()) {
    if (ifRoom.size >= options.minKeepItems) break;
    for (const at of indexes) ifRoom.add(items[at]?.id ?? "");
  }
  const isUntouched = ({ own }: HistoryItem): boolean => own !== undefined && options.untouched?.has(own) === true;
  return { always, ifRoom, untouched: new Set(items.filter(isUntouched).map(({ id }) => id)) };
}

/** User items before the first of the assistant's. */
function headOf(items: readonly HistoryItem[]): HistoryItem[] {
  const first = items.findIndex((item) => item.role === "assistant" && item.kind !== "compaction");
  return items.slice(0, first === -1 ? items.length : first).filter(({ role }) => role === "user");
}

function openCalls(items: readonly HistoryItem[]): HistoryItem[] {
  const answered = new Set(items.flatMap(({ toolResultFor }) => toolResultFor));
  return items.filter(({ toolCallIds }) => toolCallIds.some((id) => !answered.has(id)));
}
