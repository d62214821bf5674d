// What a fork takes over from its lane: the cut and the insertions up to where the histories part.
import { optional } from "../../base/optional.ts";
import type { HistoryItem, LaneState } from "../contract.ts";

/** `at` counts items of the chain. What lies behind the fork does not stand in the new lane's history. */
export function inherited(lane: LaneState, items: readonly HistoryItem[], at: number): LaneState {
  const ids = new Set<string>();
  let position = 0;
  for (const item of items) {
    if (item.own !== undefined && ++position > at) break;
    ids.add(item.id);
  }
  const { cut, recalledFor, state, ...rest } = lane;
  const insertions = lane.insertions.filter((insertion) => ids.has(insertion.anchor));
  const inheritedCut = cut && {
    dropped: cut.dropped.filter((id) => ids.has(id)),
    shortened: Object.fromEntries(Object.entries(cut.shortened).filter(([id]) => ids.has(id))),
    ...(cut.gap && ids.has(cut.gap.before) ? { gap: cut.gap } : {}),
  };
  const blocks = insertions.filter((insertion) => insertion.kind === "state").length;
  const whole = insertions.length === lane.insertions.length;
  return {
    ...rest,
    insertions,
    ...optional("cut", inheritedCut),
    // A newer block or search belonged to what was left behind: the next request makes its own.
    ...(whole ? optional("recalledFor", recalledFor) : {}),
    ...(state ? { state: { text: whole ? state.text : "", blocks } } : {}),
  };
}
