// Where a new block goes: as late in the request as its format allows, so that nothing already sent changes.
import { isSystem } from "../../context/truncate/cut.ts";
import { wireOf } from "../../model/wire/registry.ts";
import { canTake } from "../body/message.ts";
import type { HistoryItem, Insertion, ScannedBody } from "../contract.ts";

export type InsertionPlace = Pick<Insertion, "anchor" | "place">;

/** Undefined when the request has no place for a user's text. */
export function tailOf(
  body: ScannedBody,
  items: readonly HistoryItem[],
  { appendOnly }: { appendOnly: boolean },
): InsertionPlace | undefined {
  const last = items.findLast((item) => !isSystem(item));
  if (!last) return undefined;
  if (last.role === "assistant") {
    const user = items.findLast((item) => takes(body, item));
    return user && { anchor: user.id, place: "append" };
  }
  const isText = body.items[0] === body.history;
  const inside = takes(body, last) && (!wireOf(body.wire).message.ownTail || isText);
  if (!appendOnly && last.role === "user" && takes(body, last)) return { anchor: last.id, place: "before" };
  return { anchor: last.id, place: inside ? "append" : "after" };
}

/** Where the notice of a gap goes: into the user's message before the gap, else as one of its own after what stands there. */
export function gapPlace(body: ScannedBody, before: HistoryItem): InsertionPlace {
  return { anchor: before.id, place: takes(body, before) ? "append" : "after" };
}

const takes = (body: ScannedBody, { role, at }: HistoryItem): boolean =>
  (role === "user" || (role === "tool" && wireOf(body.wire).message.resultsOfUsers === true)) && canTake(body, at);
