// The end of an attempt: what arrived meanwhile, progress, the swap and the figures of the event.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contextEvents } from "../../schema/event/context.ts";
import { applyCompaction } from "./apply.ts";
import { LEAST_BUDGET } from "./budget.ts";
import {
  anyHistory,
  carriedOf,
  compaction,
  conversation,
  count,
  countItem,
  prompt,
  result,
  SUMMARY,
  said,
  settings,
  sizes,
  step,
} from "./compact-fixture.ts";
import { type CompactionAttempt, completeData, startData } from "./events.ts";
import { figuresOf } from "./figures.ts";
import { type FinishInput, finishAttempt } from "./finish.ts";
import type { SessionItem } from "./items.ts";
import { type CompactionPlan, planAttempt } from "./plan.ts";
import { parseSummary } from "./summary.ts";
import type { Summary } from "./summary-input.ts";

const summary: Summary = { type: "summary", text: SUMMARY, parts: parseSummary(SUMMARY), truncated: false, chunks: 1 };
const E = 24_000;

function planOf(
  items: readonly SessionItem[],
  trigger: FinishInput["trigger"],
  limit = E,
  fixed?: number,
): CompactionPlan {
  const planned = planAttempt({ items, sizes: sizes(limit, fixed), settings, trigger });
  if (planned.type !== "planned") throw new Error(planned.type);
  return planned.plan;
}
const finish = (plan: CompactionPlan, items: readonly SessionItem[], more: Partial<FinishInput> = {}) =>
  finishAttempt({
    plan,
    summary: summary.parts,
    trigger: "threshold",
    items,
    sizes: sizes(E),
    settings,
    carried: carriedOf(items),
    count,
    countItem,
    ...more,
  });
async function applied(...given: Parameters<typeof finish>) {
  const finished = await finish(...given);
  if (finished.type !== "applied") throw new Error(finished.reason);
  return finished;
}
const swap = (items: readonly SessionItem[], finished: { replacementContent: string; boundaryEventId: string }) =>
  applyCompaction(items, { id: "event", ...finished }) ?? [];

describe("finishAttempt", () => {
  const items = conversation(20, 3_000);

  it("C90 C101 old items become one user item of kind compaction; the newer ones are the same objects", async () => {
    const plan = planOf(items, "threshold");
    const finished = await applied(plan, items);
    const after = swap(items, finished);
    expect(after[0]).toMatchObject({ id: "event", role: "user", kind: "compaction", isPrompt: false, turn: 19 });
    expect(after.slice(1).every((item, at) => item === items[plan.replaced.length + at])).toBe(true);
    expect(after).toHaveLength(items.length - plan.replaced.length + 1);
    expect(finished.boundaryEventId).toBe(plan.replaced.at(-1)?.id);
    expect(finished.compactedTurns).toEqual({ from: 1, to: 19 });
  });
  it("C107 what arrived meanwhile follows unchanged, and B shrinks by it", async () => {
    const plan = planOf(items, "threshold");
    const more = [...items, prompt("p21", 21), ...step("s21", 21, "z".repeat(4_000))];
    const [before, after] = [await applied(plan, items), await applied(plan, more)];
    expect(swap(more, after).slice(-3)).toEqual(more.slice(-3));
    expect(after.figures.postCompactionTokens).toBeLessThanOrEqual(after.targetTokens);
    expect(before.replacementContent).not.toContain("p21");
  });
  it("C107 items before the boundary that changed: cancelled as history_changed", async () => {
    const plan = planOf(items, "threshold");
    const rewound = [...items.slice(0, 4), prompt("new", 5)];
    const swapped = [compaction("k", 3, "x"), ...items.slice(6)];
    for (const now of [rewound, swapped, []])
      expect(await finish(plan, now)).toMatchObject({ type: "cancelled", reason: "history_changed" });
    const rewoundBehind = items.slice(0, plan.replaced.length);
    expect((await finish(plan, rewoundBehind)).type).toBe("applied");
  });
  it("N35 C87 what came since the start has taken the room: the summary is applied all the same, and is smaller", async () => {
    const plan = planOf(items, "threshold");
    const flooded = [...items, said("b1", 20, "w".repeat(36_000)), said("b2", 20, "done")];
    const ready = await finish(plan, flooded);
    if (ready.type !== "applied") throw new Error(ready.reason);
    expect(ready.figures.postCompactionTokens).toBeLessThan(ready.figures.preCompactionTokens);
    expect(ready.figures.postCompactionTokens).toBeLessThanOrEqual(ready.targetTokens);
    // It keeps the room that it was planned with, not only the least there is.
    expect(await count(ready.replacementContent)).toBeGreaterThan(LEAST_BUDGET);
    expect((await finish(plan, flooded, { trigger: "manual" })).type).toBe("applied");
  });
  it("C87 a tail that grew since the start gets its room", async () => {
    const plan = planOf(items, "threshold");
    const grown = [...items, prompt("p21", 21, "w".repeat(36_000))];
    const finished = await applied(plan, grown);
    expect(finished.targetTokens).toBeGreaterThan(plan.targetTokens);
    expect(finished.figures.postCompactionTokens).toBeLessThanOrEqual(finished.targetTokens);
  });
  it("C101 automatic without progress is not applied, and the figures say that nothing changed", async () => {
    const small = conversation(2, 20);
    const trigger = "context_limit_retry";
    const finished = await finish(planOf(small, trigger), small, { trigger });
    expect(finished).toMatchObject({
      type: "not_applicable",
      reason: "no_progress",
      figures: { messagesRemoved: 0, tokensRemoved: 0 },
    });
  });
  it("C101 an automatic message is never larger than what it replaces", async () => {
    const some = conversation(3, 1_000);
    const huge = parseSummary(SUMMARY.replace("It began", "It began ".repeat(4_000)));
    const finished = await applied(planOf(some, "threshold"), some, { summary: huge });
    expect(finished.figures.postCompactionTokens).toBeLessThan(finished.figures.preCompactionTokens);
  });
  it("C102 manual is applied even if it did not shrink; tokensRemoved is then 0", async () => {
    const small = conversation(2, 20);
    const finished = await applied(planOf(small, "manual"), small, { trigger: "manual" });
    expect(finished.figures.postCompactionTokens).toBeGreaterThan(finished.figures.preCompactionTokens);
    expect(finished.figures).toMatchObject({ tokensRemoved: 0, messagesRemoved: small.length - 1 });
  });
  it("C102 manual that would pass both T and the old total is refused", async () => {
    const plan = planOf(items, "manual");
    const wild = { countItem: async () => 1e6 };
    expect(await finish(plan, items, { trigger: "manual", ...wild })).toMatchObject({ reason: "no_progress" });
  });
  it("C97 pieces that were counted too low are made smaller until the whole fits B", async () => {
    const dense = async (item: SessionItem) => Math.ceil((await countItem(item)) * 1.3);
    const all = conversation(20, 3_000);
    const finished = await applied(planOf(all, "threshold"), all, {
      countItem: dense,
      carried: carriedOf(all, { plan: "p ".repeat(9_000) }),
      summary: parseSummary(SUMMARY.replace("It began", "It began ".repeat(4_000))),
    });
    expect(finished.figures.postCompactionTokens).toBeLessThanOrEqual(finished.targetTokens);
  });
  it("C88 C93 a prompt that still stands is not repeated; the prompt of a compacted run is the newest", async () => {
    const open = [...items, prompt("p21", 21, "UNANSWERED")];
    expect((await applied(planOf(open, "manual"), open, { trigger: "manual" })).replacementContent).not.toContain(
      "UNANSWERED",
    );
    const run = [
      prompt("p", 1, "THE TASK"),
      ...Array.from({ length: 30 }, (_, at) => step(`s${at}`, 1, "o".repeat(2_000))).flat(),
    ];
    const content = (await applied(planOf(run, "threshold"), run)).replacementContent;
    expect(content).toContain('<user_prompt turn="t1">\nTHE TASK');
  });
  it("C99 C93 a second compaction carries all prompts of the session and never nests the first message", async () => {
    const first = await applied(planOf(items, "manual"), items, { trigger: "manual" });
    const next = [
      ...swap(items, first),
      ...conversation(3).map((item) => ({ ...item, id: `x${item.id}`, turn: item.turn + 20 })),
    ];
    const log = carriedOf([...items, ...next]);
    const second = await applied(planOf(next, "manual"), next, { trigger: "manual", carried: log });
    expect(second.replacementContent.match(/<compaction_notice>/g)).toHaveLength(1);
    expect(second.replacementContent.match(/<conversation_summary>/g)).toHaveLength(1);
    expect(second.replacementContent).toContain('turn="t1"');
    expect(second.replacementContent).toContain("t1-t23");
    expect(second.compactedTurns).toEqual({ from: 21, to: 23 });
  });
  it("CB6 a summary ten times longer than the input is clipped, the total stays within T", async () => {
    const huge = parseSummary(SUMMARY.replace("It began", "It began ".repeat(60_000)));
    const finished = await applied(planOf(items, "threshold"), items, { summary: huge });
    expect(finished.figures.postCompactionTokens).toBeLessThanOrEqual(finished.targetTokens);
    expect(finished.replacementContent).toContain("Run the tests.");
  });
});

describe("applyCompaction", () => {
  it("C128 needs only the event: same items, same result", async () => {
    const items = conversation(4);
    const replacement = { id: "e", replacementContent: "text", boundaryEventId: "a2" };
    const once = applyCompaction(items, replacement);
    expect(once?.map((item) => item.id)).toEqual(["e", ...items.slice(8).map((item) => item.id)]);
    expect(applyCompaction(items, replacement)).toEqual(once);
    expect(applyCompaction(items, { ...replacement, boundaryEventId: "gone" })).toBeUndefined();
  });
  it("C89 C90 results at the front whose call is gone are dropped; system items stay", () => {
    const system = { ...prompt("sys", 0), role: "system" as const, isPrompt: false };
    const items = [system, ...conversation(1), result("o", 1, "nowhere"), prompt("p", 2)];
    const after = applyCompaction(items, { id: "e", replacementContent: "x", boundaryEventId: "a1" });
    expect(after?.map((item) => item.id)).toEqual(["sys", "e", "p"]);
  });
});

describe("events", () => {
  const attempt: CompactionAttempt = {
    compactionAttemptId: "c1",
    trigger: "threshold",
    model: "openai/test",
    mode: "background",
    tokenLimit: E,
  };
  const start = contextEvents["session.compaction_start"]();
  const complete = contextEvents["session.compaction_complete"]();
  const items = conversation(3);
  const figures = figuresOf(items, items, sizes(E));

  it("C132 the start holds the context as it is", () => {
    const data = startData({ ...attempt, customInstructions: "parser" }, 12_000, items, sizes(E));
    expect(start.parse(data)).toEqual(data);
    expect(data.currentTokens).toBe(data.systemTokens + data.conversationTokens + data.toolDefinitionsTokens);
    expect(data).toMatchObject({ messagesLength: items.length, targetTokens: 12_000, mode: "background" });
  });
  it("C133 C134 every outcome is an event of its own reasons, and parses", () => {
    const more = { figures, targetTokens: 12_000, basis: "estimated" } as const;
    const failed = completeData(
      attempt,
      { outcome: "failed", reason: "model_error", error: "x", statusCode: 500 },
      more,
    );
    expect(complete.parse(failed)).toMatchObject({
      success: false,
      failureReason: "model_error",
      statusCode: 500,
      tokensRemoved: 0,
    });
    const cancelled = completeData(attempt, { outcome: "cancelled", reason: "superseded" }, more);
    expect(complete.parse(cancelled)).toMatchObject({ success: false, outcomeReason: "superseded" });
    expect(cancelled).not.toHaveProperty("failureReason");
    expect(complete.safeParse({ ...failed, failureReason: "other" }).success).toBe(false);
    expect(complete.safeParse({ ...failed, tokensRemoved: -1 }).success).toBe(false);
  });

  it("CI7 applied automatically ⇒ post ≤ T and post < pre; deltas add up, nothing is negative, the event parses", async () => {
    let swaps = 0;
    await fc.assert(
      fc.asyncProperty(
        anyHistory,
        anyHistory,
        fc.constantFrom("manual", "threshold"),
        fc.integer({ min: 0, max: 7_000 }),
        fc.constantFrom(1, 40, 4_000),
        async (old, arrived, trigger, fixed, length) => {
          const limit = 10_000;
          const planned = planAttempt({ items: old, sizes: sizes(limit, fixed), settings, trigger });
          if (planned.type !== "planned") return;
          const now = [...old, ...arrived.map((item) => ({ ...item, id: `n${item.id}` }))];
          const parts = parseSummary(SUMMARY.replace("It began", "It began ".repeat(length)));
          const finished = await finish(planned.plan, now, { trigger, sizes: sizes(limit, fixed), summary: parts });
          const end =
            finished.type === "applied"
              ? ({ outcome: "applied", summary: { ...summary, parts }, finished, checkpointNumber: 1 } as const)
              : ({ outcome: finished.type, reason: finished.reason } as const);
          const data = completeData({ ...attempt, trigger }, end, { ...finished, basis: "calibrated" });
          expect(complete.parse(data)).toEqual(data);
          expect(data.messagesRemoved).toBe(data.preCompactionMessagesLength - data.postCompactionMessagesLength);
          expect(data.tokensRemoved).toBe(Math.max(0, data.preCompactionTokens - data.postCompactionTokens));
          if (finished.type !== "applied") {
            expect(data.tokensRemoved + data.messagesRemoved).toBe(0);
            return;
          }
          swaps++;
          const after = swap(now, finished);
          expect(after).toHaveLength(data.postCompactionMessagesLength);
          const real = await Promise.all(after.map(countItem));
          expect(real.reduce((a, b) => a + b, 0)).toBe(data.conversationTokens);
          if (trigger === "manual") return;
          expect(data.postCompactionTokens).toBeLessThanOrEqual(data.targetTokens);
          expect(data.postCompactionTokens).toBeLessThan(data.preCompactionTokens);
        },
      ),
      { numRuns: 300 },
    );
    expect(swaps).toBeGreaterThan(30);
  });
});
