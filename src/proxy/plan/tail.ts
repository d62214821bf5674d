// Where a new block goes: as late in the request as its format allows, so that nothing already sent changes.
import { isSystem } from "../../context/truncate/cut.ts";
import type { WireName } from "../../schema/model.ts";
import { canTake } from "../body/message.ts";
import type { HistoryItem, Insertion, ScannedBody } from "../contract.ts";

export type Place = Pick<Insertion, "anchor" | "place">;

/** Wires on which results come in a user's message, which may hold texts after them. */
const RESULTS_OF_USERS: ReadonlySet<WireName> = new Set(["anthropic", "gemini"]);

/** Undefined when the request has no place for a user's text. */
export function tailOf(
  body: ScannedBody,
  items: readonly HistoryItem[],
  { appendOnly }: { appendOnly: boolean },
): Place | undefined {
  const last = items.findLast((item) => !isSystem(item));
  if (!last) return undefined;
  if (last.role === "assistant") {
    const user = items.findLast((item) => takes(body, item));
    return user && { anchor: user.id, place: "append" };
  }
  const isText = body.items[0] === body.history;
  const inside = takes(body, last) && (body.wire !== "openai-responses" || isText);
  if (!appendOnly && last.role === "user" && takes(body, last)) return { anchor: last.id, place: "before" };
  return { anchor: last.id, place: inside ? "append" : "after" };
}

/** Where the notice of a gap goes: into the user's message before the gap, else as one of its own after what stands there. */
export function gapPlace(body: ScannedBody, before: HistoryItem): Place {
  return { anchor: before.id, place: takes(body, before) ? "append" : "after" };
}

const takes = (body: ScannedBody, { role, at }: HistoryItem): boolean =>
  (role === "user" || (role === "tool" && RESULTS_OF_USERS.has(body.wire))) && canTake(body, at);
