// What holds of every request, whatever the history: pairs, system items, size, order, and that a cut stays put.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { groups } from "../../model/wire/group.ts";
import { repair } from "../../model/wire/repair.ts";
import type { ContextItem } from "../../schema/context-item.ts";
import { ephemeralContextEvents } from "../../schema/event/context.ts";
import { tokensIn } from "./cut.ts";
import { type Truncated, type TruncateInput, truncate } from "./truncate.ts";
import { histories, inputOf, type Made, sizeOf } from "./truncate-fixture.ts";

const room = fc.record({
  effectiveLimit: fc.integer({ min: 400, max: 12_000 }),
  fixedShare: fc.double({ min: 0, max: 0.9, noNaN: true }),
});
const cases = fc.tuple(histories, room).map(([made, { effectiveLimit, fixedShare }]) => {
  const more = { effectiveLimit, fixedTokens: Math.floor(effectiveLimit * fixedShare) };
  return { made, input: inputOf(made.items, made.rules, more) };
});

type Sent = Extract<Truncated, { type: "fits" }>;
const runs = { numRuns: 400 };
const check = (body: (input: TruncateInput, sent: Sent, made: Made) => void | Promise<void>) =>
  fc.assert(
    fc.asyncProperty(cases, async ({ made, input }) => {
      const sent = await truncate(input);
      if (sent.type === "fits") await body(input, sent, made);
    }),
    runs,
  );

/** Calls left open and results without a call; a screenshot or approval cannot be made up and is not in the generator. */
function faults(items: readonly ContextItem[]): string[] {
  const open = new Set<string>();
  const wrong: string[] = [];
  for (const item of items) {
    for (const id of item.toolResultFor) if (!open.delete(id)) wrong.push(`result ${id}`);
    for (const id of item.toolCallIds) open.add(id);
  }
  return [...wrong, ...open];
}
const original = (items: readonly ContextItem[]) => new Map(items.map((item) => [item.id, item]));

describe("every request", () => {
  it("CI1 each result follows its call, each call has its result, no group is split", async () => {
    await check((input, { items }, made) => {
      expect(faults(items)).toEqual([]);
      expect(faults(made.seenAgain(items))).toEqual([]);
      const sentIds = new Set(items.map(({ id }) => id));
      const whole = repair(input.items, input.rules).items;
      for (const group of groups(whole)) {
        const kept = group.indexes.filter((at) => sentIds.has(whole[at]!.id)).length;
        expect([0, group.indexes.length]).toContain(kept);
      }
    });
  });

  it("CI2 system items and the compaction message are there; the newest prompt too, verbatim unless it was huge or pass 3 was needed", async () => {
    await check((input, { items }) => {
      const sent = original(items);
      for (const item of input.items) {
        if (item.role === "system") expect(sent.get(item.id)?.raw).toBe(item.raw);
        if (item.kind === "compaction") expect(sent.has(item.id)).toBe(true);
      }
      const newest = input.items.findLast(({ isPrompt }) => isPrompt);
      if (!newest) return;
      const asSent = sent.get(newest.id);
      expect(asSent).toBeDefined();
      if (asSent?.raw === newest.raw || newest.tokens > 0.3 * input.effectiveLimit) return;
      // Pass 3: beside prompt, newest group, last group and summary nothing was left to give up.
      const all = groups(items);
      const step = all.findLast(({ kind }) => kind === "step")?.indexes ?? [];
      const last = all.find(({ indexes }) => indexes.includes(items.length - 1))?.indexes ?? [];
      items.forEach((item, at) => {
        const mayStay =
          item.isPrompt || ["notice", "opaque", "compaction"].includes(item.kind) || item.role === "system";
        expect(mayStay || step.includes(at) || last.includes(at)).toBe(true);
      });
    });
  });

  it("CI3 what is sent is at most E, and its figures are those of its items", async () => {
    let cuts = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(cases, async ({ input }) => {
        const sent = await truncate(input);
        if (sent.type === "cannot_fit") {
          refused++;
          expect(sent.fixedTokens + sent.conversationTokens).toBeGreaterThan(input.effectiveLimit);
          return;
        }
        if (sent.newCut) cuts++;
        const fresh = sent.items.map((item) => ({ ...item, tokens: sizeOf(item) }));
        expect(tokensIn(fresh)).toBe(sent.conversationTokens);
        expect(input.fixedTokens + sent.conversationTokens).toBeLessThanOrEqual(input.effectiveLimit);
        expect(fresh.filter(({ role }) => role !== "system")).toHaveLength(sent.messagesLength);
      }),
      runs,
    );
    // The generator must reach both.
    expect(cuts).toBeGreaterThan(100);
    expect(refused).toBeGreaterThan(10);
  });

  it("CI4 a subsequence of the history with at most one notice and synthetic results; what is not shortened is the same object", async () => {
    await check((input, { items, cut }) => {
      const known = original(input.items);
      const order = input.items.map(({ id }) => id);
      const positions = items.flatMap((item) => (known.has(item.id) ? order.indexOf(item.id) : []));
      expect(positions).toEqual(positions.toSorted((a, b) => a - b));
      expect(new Set(positions).size).toBe(positions.length);
      const added = items.filter(({ id }) => !known.has(id));
      expect(added.filter(({ kind }) => kind === "notice").length).toBeLessThanOrEqual(1);
      for (const item of added) expect(item.kind === "notice" || item.toolResultFor.length === 1).toBe(true);
      for (const item of items) {
        const was = known.get(item.id);
        const partial = was && was.toolResultFor.length !== item.toolResultFor.length;
        if (was && !partial && !cut?.shortened.has(item.id)) expect(item.raw).toBe(was.raw);
      }
    });
  });

  it("CI5 deterministic and idempotent; what fits and has no orphans is the same list; no raw object is touched", async () => {
    await check(async (input, sent) => {
      const before = JSON.stringify(input.items);
      expect(await truncate(input)).toEqual(sent);
      const again = await truncate({ ...input, cut: sent.cut });
      expect(again).toMatchObject({ type: "fits", items: sent.items, newCut: false, cut: sent.cut });
      const asHistory = await truncate({ ...input, items: sent.items, cut: undefined });
      expect(asHistory).toMatchObject({ newCut: false, report: undefined, repairedItems: 0, shortenedItems: 0 });
      expect(asHistory.type === "fits" && asHistory.items).toBe(sent.items);
      const fits = input.fixedTokens + tokensIn(input.items) <= input.effectiveLimit;
      if (fits && faults(input.items).length === 0) expect(sent.items).toBe(input.items);
      expect(JSON.stringify(input.items)).toBe(before);
    });
  });

  it("C50 the report's figures add up, and there is one exactly when messages were removed", async () => {
    await check((_input, { report, cut, items, conversationTokens, messagesLength, untruncatedTokens }) => {
      const omitted = cut !== undefined && cut.dropped.size > 0;
      expect(report !== undefined).toBe(omitted);
      if (!report) return;
      expect(ephemeralContextEvents["session.truncation"]().parse(report)).toEqual(report);
      expect(report.tokensRemovedDuringTruncation).toBeGreaterThan(0);
      expect(report.messagesRemovedDuringTruncation).toBeGreaterThan(0);
      expect(report.preTruncationTokensInMessages - report.tokensRemovedDuringTruncation).toBe(conversationTokens);
      expect(report.preTruncationMessagesLength - report.messagesRemovedDuringTruncation).toBe(messagesLength);
      expect(report.preTruncationTokensInMessages).toBe(untruncatedTokens);
      expect(items.some(({ id }) => id === "truncation-notice")).toBe((report.omittedMessages ?? 0) >= 2);
    });
  });

  it("C46 a cut only grows: what was dropped stays dropped, what was shortened keeps its bytes until a new cut", async () => {
    await fc.assert(
      fc.asyncProperty(cases, histories, async ({ input, made }, more) => {
        const first = await truncate(input);
        if (first.type !== "fits" || more.wire !== made.wire) return;
        const later = more.items.map((item) => ({ ...item, id: `later ${item.id}`, turn: item.turn + 100 }));
        const next = await truncate({ ...input, items: [...input.items, ...later], cut: first.cut });
        if (next.type !== "fits") return;
        for (const id of first.cut?.dropped ?? []) expect(next.cut?.dropped.has(id)).toBe(true);
        for (const id of first.cut?.shortened.keys() ?? []) expect(next.cut?.shortened.has(id)).toBe(true);
        if (next.newCut) return;
        expect(next.cut).toEqual(first.cut);
        for (const [id, item] of first.cut?.shortened ?? []) expect(next.cut?.shortened.get(id)?.raw).toBe(item.raw);
      }),
      runs,
    );
  });
});
