// A session that is compacted again and again: what all its summaries cost follows what was written, not how often it happened.
import { expect, it } from "vitest";
import { applyCompaction } from "./apply.ts";
import { fixedTokens } from "./budget.ts";
import {
  answer,
  carriedOf,
  count,
  countItem,
  LONG_SUMMARY,
  prompt,
  requestTokens,
  said,
  scripted,
  settings,
  sizes,
  step,
} from "./compact-fixture.ts";
import { finishAttempt } from "./finish.ts";
import { type SessionItem, tokensOf } from "./items.ts";
import { planAttempt } from "./plan.ts";
import { writeSummary } from "./write-summary.ts";

const LIMIT = 200_000;
const FIXED = 10_000;
const COMPACTIONS = 50;
/** As long as a model may make it at this limit. */
const THOROUGH = LONG_SUMMARY.replace("It began", "It began, and then this and that was done in turn. ".repeat(400));

let made = 0;
const turnOf = (): SessionItem[] => {
  const turn = ++made;
  return [
    prompt(`p${turn}`, turn, `prompt ${turn} ${"x".repeat(2_000)}`),
    ...step(`s${turn}`, turn, `${turn} ${"o".repeat(12_000)}`),
    said(`a${turn}`, turn, `answer ${turn} ${"y".repeat(2_000)}`),
  ];
};

it("C155 fifty compactions at a limit of 200,000: what summaries read is at most 1.5 times what was written, and each leaves at most T", async () => {
  const room = sizes(LIMIT, FIXED);
  let items: SessionItem[] = [];
  let [written, read] = [0, 0];
  for (let round = 1; round <= COMPACTIONS; round++) {
    while (fixedTokens(room) + tokensOf(items) < settings.background * LIMIT) {
      const turn = turnOf();
      written += tokensOf(turn);
      items = [...items, ...turn];
    }
    const planned = planAttempt({ items, sizes: room, settings, trigger: "threshold" });
    if (planned.type !== "planned") throw new Error(planned.type);
    const { plan } = planned;
    const asked = scripted(plan.replaced, [answer(THOROUGH)], {
      ...{ budget: plan.budget, effectiveLimit: LIMIT, fixedTokens: FIXED },
    });
    const { end } = await writeSummary(asked);
    if (end.type !== "summary") throw new Error(end.type);
    // What is sent with every request beside the conversation is no part of it.
    for (const request of asked.requests) read += requestTokens(request, FIXED) - FIXED;
    const carried = carriedOf(items, { checkpointNumber: round });
    const finished = await finishAttempt({
      ...{ plan, summary: end.parts, trigger: "threshold", items, sizes: room, settings, carried, count, countItem },
    });
    if (finished.type !== "applied") throw new Error(finished.reason);
    items = [...(applyCompaction(items, { id: `k${round}`, ...finished }) ?? [])];
    items = await Promise.all(items.map(async (item) => ({ ...item, tokens: await countItem(item) })));
    expect(FIXED + tokensOf(items), `after compaction ${round}`).toBeLessThanOrEqual(finished.targetTokens);
  }
  expect(written).toBeGreaterThan(COMPACTIONS * 0.2 * LIMIT);
  expect(read / written).toBeLessThanOrEqual(1.5);
});
