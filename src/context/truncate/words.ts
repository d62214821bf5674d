// What a request says about what it leaves out: how much, where it is, and how to get it back.
import { NOTICE_TAG } from "../../base/tag.ts";
import type { ContextItem } from "../../schema/context-item.ts";
import type { Marker } from "./shorten-text.ts";

/** How a reader of the request gets at originals. */
export type Originals<Raw = unknown> = {
  /** The ref that `recall` takes for an item, `tN.k`. */
  refOf: (item: ContextItem<Raw>) => string;
  /** What stands before a turn's ref, in a conversation that is not the main one. */
  refPrefix?: string;
  /** Where the originals are, in words: "the session log". */
  place: string;
  recallOn: boolean;
  /** Words of the caller's own for the notice. */
  notice?: (omitted: readonly ContextItem<Raw>[]) => string;
};

export function markerOf<Raw>(item: ContextItem<Raw>, { refOf, place, recallOn }: Originals<Raw>): Marker {
  const ref = refOf(item);
  const how = recallOn ? `; call recall with id "${ref}" to read it` : "";
  return (omitted) => `\n[... ${omitted} characters left out here. The full text is ${ref} in ${place}${how} ...]\n`;
}

/** The notice stands in a tag that marks it as no prompt on every wire. */
export function noticeText<Raw>(
  omitted: readonly ContextItem<Raw>[],
  { place, recallOn, notice, refPrefix = "" }: Originals<Raw>,
): string {
  if (notice) return notice(omitted);
  const turns = `${refPrefix}${turnsOf(omitted)}`;
  const how = recallOn ? ` Call recall with id "${turns}" to read them, or with a query to search them.` : "";
  return (
    `<${NOTICE_TAG}>${omitted.length} earlier messages of ${turns} are left out here so that this request ` +
    `fits the context window. They are kept in full in ${place}.${how}</${NOTICE_TAG}>`
  );
}

/** `t3`, or `t3-t9` from the first to the last turn that something was taken from. */
export function turnsOf(items: readonly Pick<ContextItem, "turn">[]): string {
  let from = Number.POSITIVE_INFINITY;
  let to = 0;
  items.forEach(({ turn }) => {
    from = Math.min(from, turn);
    to = Math.max(to, turn);
  });
  return from >= to ? `t${to}` : `t${from}-t${to}`;
}
