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
  const steps: number[][] = [];
  const others: Group[] = [];
  const after: number[][] = [];
  for (const group of all) {
    const last = group.indexes.at(-1) ?? 0;
    if (group === prompt || last === items.length - 1 || group.indexes.some((at) => mustStay(items[at], keep)))
      continue;
    if (last > promptAt) {
      if (group !== newest) after.push(group.indexes);
    } else if (group.kind === "step") steps.push(group.indexes);
    else others.push(group);
  }
  const units = steps.concat(turns(others, items), after);
  const isLate = (unit: readonly number[]): boolean => unit.some((at) => keep?.ifRoom.has(items[at]?.id ?? ""));
  return {
    units: keep?.ifRoom.size ? [...units.filter((unit) => !isLate(unit)), ...units.filter(isLate)] : units,
    all,
    newestPrompt: prompt && promptAt,
    newestGroup: newest?.indexes ?? [],
  };
}

const mustStay = (item: ContextItem | undefined, keep: Keep | undefined): boolean =>
  item !== undefined &&
  (isSystem(item) ||
    item.kind === "compaction" ||
    keep?.always.has(item.id) === true ||
    keep?.untouched.has(item.id) === true);

/** Each prompt with the notices that came after it. The first prompt of the session goes last, unless a summary has it. */
function turns(others: readonly Group[], items: readonly ContextItem[]): number[][] {
  const units: number[][] = [];
  for (const { kind, indexes } of others) {
    const unit = units.at(-1);
    if (kind === "prompt" || !unit) units.push([...indexes]);
    else unit.push(...indexes);
  }
  const firstPrompt = items.findIndex((item) => item.isPrompt || item.kind === "compaction");
  const first = units.findIndex(([at]) => at === firstPrompt);
  return first === -1 ? units : [...units.toSpliced(first, 1), ...units.slice(first, first + 1)];
}
