// The summary without a call: the offline model's own, and what stands for items that no call can read any more.
import type { SummaryFailed } from "./ask.ts";
import { summaryShare } from "./budget.ts";
import type { Item } from "./items.ts";
import { isBlank } from "./summary.ts";
import type { Summary, SummaryInput } from "./summary-input.ts";

export async function extractSummary(
  items: readonly Item[],
  { budget, todos, plan }: Pick<SummaryInput, "budget" | "todos" | "plan">,
): Promise<Summary | SummaryFailed> {
  const { summariseOffline, summaryText } = await import("../../model/offline/summarise.ts");
  const parts = summariseOffline(items, {
    targetTokens: summaryShare(budget),
    ...(todos ? { todos } : {}),
    ...(plan === undefined ? {} : { plan }),
  });
  if (isBlank(parts)) return { type: "failed", reason: "empty_summary", error: "The items hold nothing to summarise." };
  return { type: "summary", text: summaryText(parts), parts, truncated: false, chunks: 0 };
}
