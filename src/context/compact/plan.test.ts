// Where a history is parted and how small it must become.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { groups } from "../../model/wire/group.ts";
import { safeCuts, unansweredTail } from "./boundary.ts";
import { fixedTokens, targetTokens } from "./budget.ts";
import { splitIntoChunks } from "./chunk.ts";
import {
  anyHistory,
  compaction,
  conversation,
  prompt,
  result,
  said,
  settings,
  sizes,
  step,
} from "./compact-fixture.ts";
import { type SessionItem, tokensOf } from "./items.ts";
import { planAttempt } from "./plan.ts";

const ids = (items: readonly SessionItem[]) => items.map((item) => item.id);
const plan = (items: SessionItem[], trigger: "manual" | "threshold" = "manual", limit = 24_000, fixed?: number) =>
  planAttempt({ items, sizes: sizes(limit, fixed), settings, trigger });
function replaced(...given: Parameters<typeof plan>): string[] {
  const planned = plan(...given);
  if (planned.type !== "planned") throw new Error(planned.type);
  return ids(planned.plan.replaced);
}

describe("unansweredTail", () => {
  it("C88 is what follows the last answer, and the newest step whose results led to none", () => {
    const done = conversation(2);
    const start = (items: SessionItem[]) => unansweredTail(items).start;
    expect(start(done)).toBe(done.length);
    expect(start([...done, prompt("p", 3)])).toBe(done.length);
    const working = [...done, prompt("p", 3), ...step("s", 3)];
    expect(unansweredTail(working)).toEqual({ start: done.length + 1, afterStep: done.length + 3 });
    expect(unansweredTail([...working, prompt("steer", 4)])).toEqual({
      start: done.length + 1,
      afterStep: done.length + 3,
    });
    expect(start([compaction("k", 1, "x"), prompt("p", 2)])).toBe(1);
  });
});

describe("targetTokens", () => {
  it("C87 T is the share, never above 0.75 of the background threshold, but leaves room beside a large fixed part", () => {
    expect(targetTokens(sizes(10_000, 1_000), settings, 0)).toBe(5_000);
    expect(targetTokens(sizes(10_000, 1_000), { ...settings, background: 0.4 }, 0)).toBe(3_000);
    expect(targetTokens(sizes(10_000, 1_000), { ...settings, background: Infinity }, 0)).toBe(5_000);
    expect(targetTokens(sizes(10_000, 4_000), settings, 500)).toBe(6_000);
  });
});

describe("planAttempt", () => {
  it("C88 manual takes everything, an unanswered prompt stays", () => {
    const items = conversation(3);
    expect(replaced(items)).toEqual(ids(items));
    expect(replaced([...items, prompt("p4", 4)])).toEqual(ids(items));
  });
  it("C88 automatic keeps the newest whole groups that fit keepRecent, and no more", () => {
    const items = conversation(10, 2_000);
    const kept = items.length - replaced(items, "threshold").length;
    const tokens = tokensOf(items.slice(-kept));
    expect(kept).toBeGreaterThan(0);
    expect(tokens).toBeLessThanOrEqual(2_400);
    expect(tokens + tokensOf(items.slice(-kept - 2, -kept))).toBeGreaterThan(2_400);
  });
  it("C88 the prompt of a run in progress may go, its newest step stays", () => {
    const items = [prompt("p", 1), ...["s1", "s2", "s3"].flatMap((id) => step(id, 1))];
    expect(replaced(items)).toEqual(["p", "s1", "s1r", "s2", "s2r"]);
  });
  it("C89 moves back before the calling step when results stand apart", () => {
    const before = [...conversation(1), prompt("p", 2)];
    const apart = [said("s", 2, "", ["c"]), prompt("q", 3), said("z", 3), prompt("w", 4), result("r", 4, "c")];
    expect(replaced([...before, ...apart])).toEqual(ids(before));
  });
  it("C89 moves forward over the results when fewer than two items would be left", () => {
    const items = [prompt("p", 1), ...step("s", 1)];
    expect(replaced(items)).toEqual(["p", "s", "sr"]);
  });
  it("C89 fewer than two items before it even so: nothing to compact", () => {
    expect(plan([prompt("p", 1)]).type).toBe("nothing_to_compact");
    expect(plan([compaction("k", 1, "x"), prompt("p", 2)], "threshold").type).toBe("nothing_to_compact");
  });
  it("C104 a threshold does not start what could not gain anything; a forced attempt does", () => {
    const small = conversation(4, 100);
    expect(plan(small, "threshold").type).toBe("nothing_to_compact");
    expect(planAttempt({ items: small, sizes: sizes(24_000), settings, trigger: "context_limit_retry" }).type).toBe(
      "planned",
    );
    expect(plan(conversation(10, 1_000), "threshold").type).toBe("planned");
  });
  it("C87 a tail that leaves no room lets its step go; a fixed part that leaves none stops automatic attempts", () => {
    const big = [...conversation(2), prompt("p", 3), ...step("s", 3, "o".repeat(60_000))];
    expect(replaced(big, "threshold").at(-1)).toBe("sr");
    expect(plan(conversation(5), "threshold", 24_000, 17_000).type).toBe("unreclaimable");
    expect(plan(conversation(5), "manual", 24_000, 17_000).type).toBe("planned");
  });
  it("C87 recent groups never starve the message, also at small limits with a large fixed part", () => {
    const planned = plan(conversation(12, 600), "threshold", 14_000, 6_000);
    expect(planned.type === "planned" && planned.plan.budget).toBeGreaterThanOrEqual(1_400);
  });
  it("CI1 no group is parted by a boundary, and the tail always stays or goes whole", () => {
    fc.assert(
      fc.property(
        anyHistory,
        fc.constantFrom("manual", "threshold"),
        fc.integer({ min: 0, max: 9_000 }),
        (items, trigger, fixed) => {
          const planned = plan(items, trigger, 10_000, fixed);
          if (planned.type !== "planned") return;
          const boundary = planned.plan.replaced.length;
          for (const { indexes } of groups(items)) {
            expect(new Set(indexes.map((index) => index < boundary)).size).toBe(1);
          }
          expect(boundary).toBeGreaterThanOrEqual(2);
          expect(planned.plan.budget).toBeGreaterThanOrEqual(1_000);
          if (trigger === "threshold") expect(planned.plan.targetTokens).toBeLessThan(0.85 * 10_000);
          expect(planned.plan.targetTokens).toBeGreaterThan(fixedTokens(sizes(10_000, fixed)));
        },
      ),
    );
  });
});

describe("splitIntoChunks", () => {
  it("C85 parts at turns", () => {
    const items = conversation(6, 400);
    const turn = tokensOf(items.slice(0, 4));
    const chunks = splitIntoChunks(items, 2.5 * turn, (item) => item.tokens);
    expect(chunks.map((chunk) => chunk[0]?.id)).toEqual(["p1", "p3", "p5"]);
  });
  it("C85 parts a turn that is too long between its groups", () => {
    const items = [prompt("p", 1), ...["a", "b", "c"].flatMap((id) => step(id, 1, "o".repeat(4_000)))];
    const chunks = splitIntoChunks(items, 1_100, (item) => item.tokens);
    expect(chunks.map(ids)).toEqual([
      ["p", "a", "ar"],
      ["b", "br"],
      ["c", "cr"],
    ]);
  });
  it("CI1 no group is parted by a chunk, nothing is lost, and only a single group may be too large", () => {
    fc.assert(
      fc.property(anyHistory, fc.integer({ min: 1, max: 3_000 }), (items, limit) => {
        const chunks = splitIntoChunks(items, limit, (item) => item.tokens);
        expect(chunks.flat()).toEqual(items);
        const cuts = safeCuts(items);
        let at = 0;
        for (const chunk of chunks) {
          if (tokensOf(chunk) > limit) expect(cuts.slice(at + 1, at + chunk.length)).not.toContain(true);
          at += chunk.length;
          expect(cuts[at]).toBe(true);
        }
      }),
    );
  });
});
