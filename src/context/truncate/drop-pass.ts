// The passes that drop: units in their order until the low-water mark, with one notice where the first of them stood.
import { type ContextItem, newItem } from "../../schema/context-item.ts";
import { tokensIn } from "./cut.ts";
import { type CutDraft, type Fit, sizeIn } from "./draft.ts";
import type { DropPlan } from "./drop-order.ts";
import { noticeText } from "./words.ts";

/** Nothing is dropped when that would save less than the notice about it takes. */
export async function dropOld<Raw>(draft: CutDraft<Raw>, plan: DropPlan, lowWater: number): Promise<void> {
  if (draft.total <= lowWater) return;
  const { fit, applied } = draft;
  const reserve = (await noticeOf(fit.items, fit))?.tokens ?? 0;
  const noticeBefore = applied.conversationTokens - tokensIn(applied.kept);
  /** 1 for a position that goes. */
  const gone = new Uint8Array(applied.kept.length);
  const dropped = new Set(draft.dropped);
  let total = draft.total - noticeBefore;
  for (const unit of plan.units) {
    if (total + reserve <= lowWater) break;
    unit.forEach((at) => {
      const item = applied.kept[at];
      if (!item) return;
      gone[at] = 1;
      dropped.add(item.id);
      total -= sizeIn(draft, item);
    });
  }
  // While the request had all items, they stand where what is kept of them stands.
  const isFirst = draft.dropped.size === 0 && applied.repairedItems === 0;
  const omitted = fit.items.filter(({ id }, at) => (isFirst ? gone[at] === 1 : dropped.has(id)));
  const notice = await noticeOf(omitted, fit);
  total += notice?.tokens ?? 0;
  if (total >= draft.total) return;
  draft.total = total;
  draft.dropped = dropped;
  draft.gap = { before: firstGap(draft, plan, gone), ...(notice ? { notice } : {}) };
}

/** Two or more missing messages are worth a word. */
async function noticeOf<Raw>(
  omitted: readonly ContextItem<Raw>[],
  fit: Fit<Raw>,
): Promise<ContextItem<Raw> | undefined> {
  if (omitted.length < 2) return undefined;
  const notice = newItem<Raw>({
    id: "truncation-notice",
    role: "user",
    kind: "notice",
    turn: omitted[0]?.turn ?? 0,
    raw: fit.rules.userMessage(noticeText(omitted, fit)),
  });
  return { ...notice, tokens: await fit.count(notice) };
}

/** The id of the item that follows the first gap. A gap inside a kept group is told of before that group. */
function firstGap<Raw>({ applied: { kept }, gap }: CutDraft<Raw>, plan: DropPlan, gone: Uint8Array): string {
  const earlier = kept.findIndex(({ id }) => id === gap?.before);
  let at = kept.findIndex((_, index) => index === earlier || gone[index] === 1);
  while (gone[at]) at++;
  for (;;) {
    const around = plan.all.find(({ indexes }) => {
      const first = indexes[0] ?? 0;
      return first < at && at <= (indexes.at(-1) ?? first) && gone[first] === 0;
    });
    if (!around) return kept[at]?.id ?? "";
    at = around.indexes[0] ?? 0;
  }
}
