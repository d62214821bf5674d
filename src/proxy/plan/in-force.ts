// What of a lane's cut and insertions holds for a request: all of it, unless the client changed its own past or the model.
import { parseJson } from "../../base/json.ts";
import { type Cut, newCut } from "../../context/truncate/cut.ts";
import type { Keep } from "../../context/truncate/draft.ts";
import { groups } from "../../model/wire/group.ts";
import type { ContextItem } from "../../schema/context-item.ts";
import type { HistoryItem, Insertion, LaneEpochReason, LaneState } from "../contract.ts";

export type InForce = {
  cut: Cut | undefined;
  insertions: readonly Insertion[];
  /** Why the lane's epoch is over before anything was counted. */
  ended?: LaneEpochReason;
};

export function inForce(
  lane: LaneState,
  items: readonly HistoryItem[],
  now: { keep: Keep; model: string | undefined },
): InForce {
  const changedModel = now.model !== undefined && lane.model !== undefined && lane.model !== now.model;
  if (lane.cut && changedModel) return { cut: undefined, insertions: [], ended: "model" };
  // A fork may have inherited nothing of its lane's cut.
  if (lane.cut?.dropped.length === 0 && Object.keys(lane.cut.shortened).length === 0) {
    const { cut: _cut, ...whole } = lane;
    return inForce(whole, items, now);
  }
  const cut = cutFrom(lane, items, now.keep);
  if (lane.cut && !cut) return { cut: undefined, insertions: [], ended: "rewritten" };
  const sent = new Set(items.filter(({ id }) => !cut?.dropped.has(id)).map(({ id }) => id));
  const isWhole = lane.insertions.every(({ anchor }) => sent.has(anchor));
  return { cut, insertions: isWhole ? lane.insertions : lane.insertions.filter(({ anchor }) => sent.has(anchor)) };
}

/** Undefined when an item of it is gone, or stands where a cut may not take it: the history is another one. */
function cutFrom({ cut }: LaneState, items: readonly HistoryItem[], { always, untouched }: Keep): Cut | undefined {
  if (!cut) return undefined;
  const byId = new Map(items.map((item) => [item.id, item]));
  const holds = (id: string): boolean => byId.has(id) || !isChained(id);
  const mayGo = (id: string): boolean => holds(id) && !always.has(id) && !untouched.has(id);
  if (!cut.dropped.every(mayGo) || !Object.keys(cut.shortened).every(holds)) return undefined;
  const shortened = new Map<string, ContextItem>();
  for (const [id, json] of Object.entries(cut.shortened)) {
    const item = byId.get(id);
    const raw = parseJson(json);
    if (!raw.ok || untouched.has(id)) return undefined;
    if (item) shortened.set(id, { ...item, raw: raw.value });
  }
  return newCut({ dropped: withGroups(cut.dropped, items), shortened });
}

/** Items that are not in the chain (reasoning, reminders) come and go with what the client keeps of them. */
const isChained = (id: string): boolean => !id.includes("+");

/** One that is sent anew goes with the group it belongs to. */
function withGroups(ids: readonly string[], items: readonly HistoryItem[]): Set<string> {
  const dropped = new Set(ids);
  if (items.every(({ id }) => isChained(id))) return dropped;
  for (const { indexes } of groups(items)) {
    const group = indexes.flatMap((at) => items[at] ?? []);
    if (!group.some(({ id }) => isChained(id) && dropped.has(id))) continue;
    for (const { id } of group) if (!isChained(id)) dropped.add(id);
  }
  return dropped;
}
