// The swap itself: old items out, one message in. The live session and replay both do it here.
import { newItem } from "../../schema/context-item.ts";
import { isMessage, type SessionItem } from "./items.ts";

type Replacement = {
  /** Id of the message: that of the event which applies it. */
  id: string;
  replacementContent: string;
  /** The last item that the message stands for. */
  boundaryEventId: string;
};

/** Newer items follow untouched; undefined when the boundary is no longer part of the history. */
export function applyCompaction(items: readonly SessionItem[], replacement: Replacement): SessionItem[] | undefined {
  const last = items.findLastIndex((item) => item.id === replacement.boundaryEventId);
  const boundary = items[last];
  if (!boundary) return undefined;
  return [
    ...items.slice(0, last + 1).filter((item) => !isMessage(item)),
    compactionItem(replacement, boundary.turn),
    ...withoutLeadingResults(items.slice(last + 1)),
  ];
}

export function compactionItem(
  { id, replacementContent }: Omit<Replacement, "boundaryEventId">,
  turn: number,
): SessionItem {
  return newItem({ id, role: "user", kind: "compaction", turn, raw: { role: "user", content: replacementContent } });
}

/** No group is ever parted, so a result at the front answers a call that is nowhere. */
function withoutLeadingResults(items: readonly SessionItem[]): readonly SessionItem[] {
  const first = items.findIndex((item) => item.toolResultFor.length === 0);
  return first === -1 ? [] : items.slice(first);
}
