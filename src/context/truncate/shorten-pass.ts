// The passes that shorten: huge items, long old results and pastes, and at last what may not be dropped.
import type { ContextItem } from "../../schema/context-item.ts";
import { type Applied, applyCut, type Cut } from "./cut.ts";
import { type CutDraft, cutOf, type Fit, isOver, newDraft, shrink, sizeIn } from "./draft.ts";
import type { DropPlan } from "./drop-order.ts";
import { textLengths } from "./shorten-item.ts";

const HUGE = 0.3;
const LONG = 0.05;
const LEAST_LONG = 1_000;
const FLOOR = 200;

export type BoundedRequest<Raw = unknown> = { cut: Cut<Raw> | undefined; applied: Applied<Raw> };

/** Comes before the compaction decision: no single item may take more than 0.3 E of a request that is above E. */
export async function boundHuge<Raw>(fit: Fit<Raw>): Promise<BoundedRequest<Raw>> {
  if (fit.mode === "off") return { cut: undefined, applied: await applyCut(fit.items, undefined, fit) };
  const applied = await applyCut(fit.items, fit.cut, fit);
  if (!isOver(fit, applied)) return { cut: fit.cut, applied };
  const draft = newDraft(fit, applied);
  const { total } = draft;
  const most = Math.floor(HUGE * fit.effectiveLimit);
  for (const item of applied.kept) {
    if (draft.total <= fit.effectiveLimit) break;
    if (item.tokens > most) await shrink(draft, item, most);
  }
  if (draft.total === total) return { cut: fit.cut, applied };
  const cut = cutOf(draft);
  return { cut, applied: await applyCut(fit.items, cut, fit) };
}

/** Pass 0: tool results and pastes, oldest first; the newest prompt and the newest group are spared. */
export async function shortenLong<Raw>(draft: CutDraft<Raw>, plan: DropPlan, lowWater: number): Promise<void> {
  const { effectiveLimit, longChars, keep } = draft.fit;
  const share = Math.max(LEAST_LONG, Math.floor(LONG * effectiveLimit));
  const spared = new Set([...plan.newestGroup, plan.newestPrompt]);
  const { kept } = draft.applied;
  for (let index = 0; index < kept.length; index++) {
    if (draft.total <= lowWater) return;
    const item = kept[index];
    // A long history has many that are short enough: nobody waits for those.
    if (!item || (longChars === undefined && item.tokens <= share)) continue;
    if (item.kind === "compaction" || spared.has(index) || keep?.always.has(item.id)) continue;
    await shrink(draft, item, longChars === undefined ? share : tokensOf(longChars, item, draft.fit));
  }
}

/** What so many of the item's characters take. */
function tokensOf<Raw>(chars: number, item: ContextItem<Raw>, { rules }: Fit<Raw>): number {
  const length = textLengths(item, rules).reduce((a, b) => a + b, 0);
  return length <= chars ? item.tokens : Math.floor((item.tokens * chars) / length);
}

/** Pass 3: only when nothing else brings the request below its limit. A floor is left of each, so that it still says what it is. */
export async function shortenRest<Raw>(draft: CutDraft<Raw>, plan: DropPlan, lowWater: number): Promise<void> {
  const { kept } = draft.applied;
  const results = plan.newestGroup.map((at) => kept[at]).filter((item) => item && item.toolResultFor.length > 0);
  const compactions = kept.filter(({ kind }) => kind === "compaction");
  const prompt = plan.newestPrompt === undefined ? [] : [kept[plan.newestPrompt]];
  const { keep, effectiveLimit, hardLimit = effectiveLimit } = draft.fit;
  const others = kept.filter((item) => keep?.always.has(item.id) && item.role === "user" && !prompt.includes(item));
  for (const candidates of [results, compactions, others, prompt]) {
    if (draft.total <= hardLimit) return;
    const items = candidates.filter((item) => item !== undefined).filter(({ id }) => !draft.dropped.has(id));
    const sum = items.reduce((total, item) => total + sizeIn(draft, item), 0);
    const share = Math.max(0, 1 - (draft.total - lowWater) / Math.max(1, sum));
    for (const item of items) await shrink(draft, item, Math.max(FLOOR, Math.floor(sizeIn(draft, item) * share)));
  }
}
