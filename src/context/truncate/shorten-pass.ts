// The passes that shorten: huge items, long old results and pastes, and at last what may not be dropped.
import type { ContextItem } from "../../schema/context-item.ts";
import { type Applied, applyCut, type Cut } from "./cut.ts";
import { cutOf, type Draft, type Fit, isOver, newDraft, shrink } from "./draft.ts";
import type { Plan } from "./drop-order.ts";

const HUGE = 0.3;
const LONG = 0.05;
const LEAST_LONG = 1_000;
const FLOOR = 200;

export type Bounded<Raw = unknown> = { cut: Cut<Raw> | undefined; applied: Applied<Raw> };

/** Comes before the compaction decision: no single item may take more than 0.3 E of a request that is above E. */
export async function boundHuge<Raw>(fit: Fit<Raw>): Promise<Bounded<Raw>> {
  const applied = await applyCut(fit.items, fit.cut, fit);
  if (!isOver(fit, applied)) return { cut: fit.cut, applied };
  const draft = newDraft(fit, applied);
  const { total } = draft;
  for (const { id } of applied.kept) {
    if (draft.total <= fit.effectiveLimit) break;
    await shrink(draft, id, Math.floor(HUGE * fit.effectiveLimit));
  }
  if (draft.total === total) return { cut: fit.cut, applied };
  const cut = cutOf(draft);
  return { cut, applied: await applyCut(fit.items, cut, fit) };
}

/** Pass 0: tool results and pastes, oldest first; the newest prompt and the newest group are spared. */
export async function shortenLong<Raw>(draft: Draft<Raw>, plan: Plan, lowWater: number): Promise<void> {
  const most = Math.max(LEAST_LONG, Math.floor(LONG * draft.fit.effectiveLimit));
  const spared = new Set([...plan.newestGroup, plan.newestPrompt]);
  for (const [index, { id, kind }] of draft.applied.kept.entries()) {
    if (draft.total <= lowWater) return;
    if (kind !== "compaction" && !spared.has(index)) await shrink(draft, id, most);
  }
}

/** Pass 3: only when nothing else brings the request below E. A floor is left of each, so that it still says what it is. */
export async function shortenRest<Raw>(draft: Draft<Raw>, plan: Plan, lowWater: number): Promise<void> {
  const { kept } = draft.applied;
  const inNewest = new Set(plan.newestGroup);
  const still = kept.filter(({ id }) => !draft.dropped.has(id));
  const positions = new Map(kept.map((item, index) => [item, index]));
  const inOrder: ((item: ContextItem<Raw>) => boolean)[] = [
    (item) => item.toolResultFor.length > 0 && inNewest.has(positions.get(item) ?? -1),
    (item) => item.kind === "compaction",
    (item) => positions.get(item) === plan.newestPrompt,
  ];
  for (const chosen of inOrder) {
    if (draft.total <= draft.fit.effectiveLimit) return;
    const sizes = still.filter(chosen).map(({ id }) => ({ id, size: draft.sizes.get(id) ?? 0 }));
    const sum = sizes.reduce((total, { size }) => total + size, 0);
    const share = Math.max(0, 1 - (draft.total - lowWater) / Math.max(1, sum));
    for (const { id, size } of sizes) await shrink(draft, id, Math.max(FLOOR, Math.floor(size * share)));
  }
}
