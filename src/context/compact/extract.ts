// The summary without a call: the offline model's own, and what stands for items that no call can read any more.
import type { SummaryFailed } from "./ask.ts";
import { summaryShare } from "./budget.ts";
import type { SessionItem } from "./items.ts";
import { isBlank, renderSummary } from "./summary.ts";
import type { Summary, SummaryInput } from "./summary-input.ts";

export async function extractSummary(
  items: readonly SessionItem[],
  { budget, todos, plan }: Pick<SummaryInput, "budget" | "todos" | "plan">,
): Promise<Summary | SummaryFailed> {
  const { extractParts } = await import("./extract-parts.ts");
  const parts = extractParts(items, {
    targetTokens: summaryShare(budget),
    ...(todos ? { todos } : {}),
    ...(plan === undefined ? {} : { plan }),
  });
  if (isBlank(parts)) return { type: "failed", reason: "empty_summary", error: "The items hold nothing to summarise." };
  return { type: "summary", text: renderSummary(parts), parts, truncated: false, chunks: 0 };
}
