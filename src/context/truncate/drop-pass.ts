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
  const gone = new Set<number>();
  const dropped = new Set(draft.dropped);
  let total = draft.total - noticeBefore;
  for (const unit of plan.units) {
    if (total + reserve <= lowWater) break;
    for (const at of unit) {
      const item = applied.kept[at];
      if (!item) continue;
      gone.add(at);
      dropped.add(item.id);
      total -= sizeIn(draft, item);
    }
  }
  const omitted = fit.items.filter(({ id }) => dropped.has(id));
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
function firstGap<Raw>({ applied: { kept }, gap }: CutDraft<Raw>, plan: DropPlan, gone: ReadonlySet<number>): string {
  const earlier = kept.findIndex(({ id }) => id === gap?.before);
  let at = kept.findIndex((_, index) => index === earlier || gone.has(index));
  while (gone.has(at)) at++;
  for (;;) {
    const around = plan.all.find(({ indexes: [first = 0, ...rest] }) => {
      return first < at && at <= (rest.at(-1) ?? first) && !gone.has(first);
    });
    if (!around) return kept[at]?.id ?? "";
    at = around.indexes[0] ?? 0;
  }
}
