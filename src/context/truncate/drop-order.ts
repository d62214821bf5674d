// In which order a history is given up: what is oldest and worth least first, whole groups only.
import { type Group, groups } from "../../model/wire/group.ts";
import type { ContextItem } from "../../schema/context-item.ts";
import { isSystem } from "./cut.ts";
import type { Keep } from "./draft.ts";

export type DropPlan = {
  /** Positions that go together, the first to go first. */
  units: number[][];
  all: readonly Group[];
  newestPrompt: number | undefined;
  /** Positions of the latest step and its results. */
  newestGroup: readonly number[];
};

/**
 * Steps before the newest prompt; then older prompts with what is left of their turns, the first prompt of the session
 * last of them; then what follows the newest prompt. The newest prompt, the newest step, what comes last, system items
 * and compaction messages are in no unit.
 */
export function planDrops(items: readonly ContextItem[], keep?: Keep): DropPlan {
  const all = groups(items);
  const prompt = all.findLast(({ kind }) => kind === "prompt");
  const newest = all.findLast(({ kind }) => kind === "step");
  const promptAt = prompt?.indexes[0] ?? -1;
  const stays = (group: Group): boolean =>
    group === prompt || group.indexes.some((at) => mustStay(items[at], keep)) || lastOf(group) === items.length - 1;
  const free = all.filter((group) => !stays(group));
  const before = free.filter((group) => lastOf(group) < promptAt);
  const after = free.filter((group) => lastOf(group) > promptAt && group !== newest);
  const steps = before.filter(({ kind }) => kind === "step");
  const units = [
    ...steps.map(({ indexes }) => indexes),
    ...turns(before, items),
    ...after.map(({ indexes }) => indexes),
  ];
  const isLate = (unit: readonly number[]): boolean => unit.some((at) => keep?.ifRoom.has(items[at]?.id ?? ""));
  return {
    units: [...units.filter((unit) => !isLate(unit)), ...units.filter(isLate)],
    all,
    newestPrompt: prompt && promptAt,
    newestGroup: newest?.indexes ?? [],
  };
}

const lastOf = ({ indexes }: Group): number => indexes.at(-1) ?? 0;

const mustStay = (item: ContextItem | undefined, keep: Keep | undefined): boolean =>
  item !== undefined &&
  (isSystem(item) ||
    item.kind === "compaction" ||
    keep?.always.has(item.id) === true ||
    keep?.untouched.has(item.id) === true);

/** Each prompt with the notices that came after it. The first prompt of the session goes last, unless a summary has it. */
function turns(before: readonly Group[], items: readonly ContextItem[]): number[][] {
  const units: { at: number; indexes: number[] }[] = [];
  for (const { kind, indexes } of before) {
    if (kind === "step") continue;
    const unit = units.at(-1);
    if (kind === "prompt" || !unit) units.push({ at: indexes[0] ?? 0, indexes: [...indexes] });
    else unit.indexes.push(...indexes);
  }
  const firstPrompt = items.findIndex((item) => item.isPrompt || item.kind === "compaction");
  const isFirst = ({ at }: { at: number }): boolean => at === firstPrompt;
  return [...units.filter((unit) => !isFirst(unit)), ...units.filter(isFirst)].map(({ indexes }) => indexes);
}
