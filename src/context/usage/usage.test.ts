// Figures of the window: the usage event, the picture of a hundred cells, the report and its text, the warnings.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TokenCounter } from "../../model/tokens/counter.ts";
import { countItem, measure } from "../../model/tokens/measure.ts";
import { toItems } from "../../model/wire/own-fixture.ts";
import { ephemeralSessionEvents } from "../../schema/event/session.ts";
import type { Message } from "../../schema/message.ts";
import { truncate } from "../truncate/truncate.ts";
import { answer, NOTICE, ownInput, prompt, refOf, sizeOf, step, textOf } from "../truncate/truncate-fixture.ts";
import { bucketNames, contextCells, withFree } from "./cells.ts";
import { renderContext } from "./render.ts";
import { contextReport, type ReportInput } from "./report.ts";
import { cannotFit, unreclaimable } from "./unreclaimable.ts";
import { type UsageInput, usageInfo } from "./usage-info.ts";

const known: Omit<UsageInput, "sent"> = {
  tokenLimit: 10_000,
  effectiveLimit: 9_000,
  systemTokens: 900,
  toolDefinitionsTokens: 600,
  memoryTokens: 200,
  isInitial: true,
  tokenAccountingBasis: "calibrated",
  model: "m",
  epoch: { number: 2, reason: "cut" },
  background: 0.8,
};
const sent = {
  conversationTokens: 3_000,
  messagesLength: 7,
  untruncatedTokens: 5_000,
  shortenedItems: 1,
  repairedItems: 2,
};

describe("usage", () => {
  it("C9 C20 the three parts make the current tokens; all fields are there", () => {
    expect(usageInfo({ ...known, sent, cachedTokens: 12 })).toEqual({
      tokenLimit: 10_000,
      currentTokens: 4_500,
      messagesLength: 7,
      systemTokens: 900,
      conversationTokens: 3_000,
      toolDefinitionsTokens: 600,
      isInitial: true,
      memoryTokens: 200,
      untruncatedTokens: 6_500,
      shortenedItems: 1,
      effectiveLimit: 9_000,
      compactionAt: 7_200,
      cachedTokens: 12,
      repairedItems: 2,
      tokenAccountingBasis: "calibrated",
      model: "m",
      epoch: { number: 2, reason: "cut" },
    });
  });

  it("C20 is what the event table asks for", () => {
    const info = usageInfo({ ...known, sent });
    expect(ephemeralSessionEvents["session.usage_info"]().parse(info)).toEqual(info);
  });

  it("C20 C28 compactionAt is absent when no size starts a compaction", () => {
    for (const background of [undefined, 1.5]) {
      expect(usageInfo({ ...known, sent, background })).not.toHaveProperty("compactionAt");
    }
    expect(usageInfo({ ...known, sent, background: 1 }).compactionAt).toBe(9_000);
  });
});

describe("cells", () => {
  const tokens = fc.nat({ max: 300_000 });
  const taken = fc.record({ system: tokens, tools: tokens, memory: tokens, history: tokens, compaction: tokens });

  it("C22 there are always a hundred, each bucket within one cell of its share", () => {
    fc.assert(
      fc.property(taken, fc.nat({ max: 1_000_000 }), (use, limit) => {
        const buckets = withFree(use, limit);
        const cells = contextCells(buckets);
        const whole = bucketNames.reduce((sum, name) => sum + buckets[name], 0);
        fc.pre(whole > 0);
        expect(bucketNames.reduce((sum, name) => sum + cells[name], 0)).toBe(100);
        for (const name of bucketNames) expect(Math.abs(cells[name] - (buckets[name] * 100) / whole)).toBeLessThan(1);
      }),
    );
  });

  it("C22 a cell is a per cent of L, and beyond L nothing is free", () => {
    const use = { system: 10, tools: 5, memory: 0, history: 25, compaction: 0 };
    expect(contextCells(withFree(use, 100))).toEqual({ ...use, free: 60 });
    const over = contextCells(withFree({ ...use, history: 185 }, 100));
    expect(over).toMatchObject({ free: 0, history: 92 });
  });

  it("C22 the largest remainders are rounded up", () => {
    const thirds = { system: 1, tools: 1, memory: 1, history: 0, compaction: 0 };
    expect(contextCells(withFree(thirds, 3))).toMatchObject({ system: 34, tools: 33, memory: 33, free: 0 });
  });
});

async function reported(messages: Message[], more: Partial<ReportInput<Message>> = {}) {
  const input = ownInput(messages, { fixedTokens: 1_500 });
  const result = await truncate(input);
  if (result.type !== "fits") throw new Error("does not fit");
  const usage = usageInfo({ ...known, tokenLimit: 4_000, effectiveLimit: 4_000, sent: result });
  const report = contextReport({
    usage,
    items: result.items,
    all: input.items,
    cut: result.cut,
    memory: [{ source: "memories", tokens: 200 }],
    tools: [
      { source: "built in", tokens: 200 },
      { source: "github", tokens: 400 },
    ],
    refOf,
    lastCompaction: undefined,
    calibration: { factor: 1, samples: 0 },
    ...more,
  });
  return { report, result };
}

describe("the report", () => {
  const messages = [prompt(textOf(300)), ...step("a", textOf(200)), answer(textOf(100)), prompt(NOTICE), prompt("new")];

  it("C23 CI12 CE15 buckets sum to the usage, history to its parts", async () => {
    const { report } = await reported(messages);
    const { free, ...taken } = report.buckets;
    expect(Object.values(taken).reduce((a, b) => a + b, 0)).toBe(report.usage.currentTokens);
    expect(free + report.usage.currentTokens).toBe(4_000);
    expect(Object.values(report.history).reduce((a, b) => a + b, 0)).toBe(report.buckets.history);
    expect(report.buckets).toMatchObject({ system: 700, memory: 200, tools: 600, compaction: 0 });
    expect(report.history).toMatchObject({ prompts: 300 + 4 + 5, toolResults: 204 });
    expect(report.tools[0]).toEqual({ source: "github", tokens: 400 });
  });

  it("C23 names the five largest items with their refs, the cut in force and what it left out", async () => {
    const long = Array.from({ length: 12 }, (_, i) => [prompt(`p${i}`), answer(textOf(200 + i))]).flat();
    const { report, result } = await reported([...long, ...messages]);
    expect(report.largest).toHaveLength(5);
    expect(report.largest[0]).toEqual({ ref: "t13.24", what: "prompt", tokens: 304, shortened: false });
    expect(report.cut).toMatchObject({ id: result.cut?.id, omittedMessages: result.report?.omittedMessages });
    expect(report.cut?.turns).toMatch(/^t1-t\d+$/);
  });

  it("C21 C22 C23 the text draws the cells and says all of it in numbers", async () => {
    const { report } = await reported(messages, {
      calibration: { factor: 1.234, samples: 3 },
      lastCompaction: { trigger: "threshold", before: 3_900, after: 1_200, turns: "t1-t4", checkpointNumber: 2 },
    });
    const text = renderContext(report);
    expect(text).toMatchInlineSnapshot(`
      "Context: 2,141 of 4,000 tokens (53.5 %), model m
      [###########################-------------|---------] compaction at 80 %

      S S S S S S S S S S
      S S S S S S S S T T
      T T T T T T T T T T
      T T T M M M M M H H
      H H H H H H H H H H
      H H H H . . . . . .
      . . . . . . . . . .
      . . . . . . . . . .
      . . . . . . . . . .
      . . . . . . . . . .

      S system prompt                           700   17.5 %
      T tool definitions                        600   15.0 %
          github                                400
          built in                              200
      M memory                                  200    5.0 %
          memories                              200
      H history                                 641   16.0 %
          prompts                               309
          answers                               110
          tool results                          204
          notices and other                      18
      C compaction message                        0    0.0 %
      . free                                  1,859   46.5 %

      Largest items:
        t1.0 prompt                             304
        t1.2 tool result                        204
        t1.3 answer                             104
        t1.4 notice                              18
        t1.1 answer                               6

      Cut in force: none
      Last compaction: 3,900 → 1,200 tokens (threshold, t1-t4, checkpoint 2)
      Next compaction: at 3,200 tokens
      Calibration: factor 1.23 from 3 answers"
    `);
    const cells = text.split("\n").filter((line) => /^(?:[STMHC.] ){9}[STMHC.]$/.test(line));
    expect(cells).toHaveLength(10);
  });

  it("C23 says when there is no cut, compaction or calibration, and when compaction never starts", async () => {
    const { report } = await reported([prompt("a")]);
    const { compactionAt: _, ...usage } = report.usage;
    const text = renderContext({ ...report, usage });
    expect(text).toContain("Cut in force: none");
    expect(text).toContain("Last compaction: none");
    expect(text).toContain("Next compaction: never by itself");
    expect(text).toContain("counts are estimates");
  });
});

describe("a fixed part that is too large", () => {
  const contributors = [
    { name: "AGENTS.md", tokens: 300 },
    { name: "MCP server github", tokens: 5_000 },
    { name: "memory", tokens: 900 },
    { name: "CLAUDE.md", tokens: 1_500 },
  ];
  const part = { fixedTokens: 7_500, effectiveLimit: 10_000, contributors };

  it("C24 CB9 warns once for each change of it and names the three largest", () => {
    const first = unreclaimable(part, undefined);
    expect(first.warning?.message).toContain("7500 of 10000");
    expect(first.warning?.message).toContain("MCP server github 5000, CLAUDE.md 1500, memory 900.");
    expect(first.warning?.message).not.toContain("AGENTS.md");
    expect(unreclaimable(part, first.warnedAt)).toEqual({ warnedAt: 7_500 });
    expect(unreclaimable({ ...part, fixedTokens: 7_560 }, first.warnedAt).warning).toBeUndefined();
    expect(unreclaimable({ ...part, fixedTokens: 8_000 }, first.warnedAt).warning).toBeDefined();
  });

  it("C24 C87 says nothing while compaction can help, and forgets what it said", () => {
    expect(unreclaimable({ ...part, fixedTokens: 6_900 }, 7_500)).toEqual({ warnedAt: undefined });
    expect(unreclaimable({ ...part, fixedTokens: 7_000 }, undefined).warning).toBeDefined();
  });

  it("C40 CB8 the error of a request that cannot fit gives figures, contributors and advice", () => {
    const failure = cannotFit({ ...part, fixedTokens: 11_000, conversationTokens: 40 });
    expect(failure).toMatchObject({ code: "context_cannot_fit", exit: 1 });
    expect(failure.what).toMatch(
      /needs 11040 tokens, the model takes 10000.*11000 are instructions, tools and memory.*MCP server github 5000/,
    );
    expect(failure.next).toContain("larger window");
    expect(failure.data).toContain("nothing was removed");
  });
});

describe("counts", () => {
  const messages = fc.array(
    fc.record({ role: fc.constant("user" as const), content: fc.string({ unit: "binary", maxLength: 80 }) }),
    { minLength: 1, maxLength: 12 },
  );

  it("CI12 CB14 a cached count is a fresh count, parts sum to the whole, and appending never lowers it", async () => {
    const warm = new TokenCounter();
    await warm.load();
    await fc.assert(
      fc.asyncProperty(messages, async (history) => {
        const items = toItems(history);
        const whole = await measure({ system: "s", tools: [{ name: "t" }], items, limit: 1_000 }, warm);
        const fresh = await Promise.all(
          toItems(structuredClone(history)).map((item) => countItem(item, new TokenCounter())),
        );
        expect(whole.itemTokens).toEqual(fresh);
        expect(whole.conversationTokens).toBe(fresh.reduce((a, b) => a + b, 0));
        const fewer = await measure(
          { system: "s", tools: [{ name: "t" }], items: items.slice(0, -1), limit: 1_000 },
          warm,
        );
        expect(fewer.conversationTokens).toBeLessThan(whole.conversationTokens);
      }),
      { numRuns: 60 },
    );
  });

  it("CB14 odd contents go through truncation unchanged", async () => {
    const odd = ["", "\ud800", "\0", "a\u2028b", "<|endoftext|>"].map((content) => prompt(content));
    const input = ownInput(odd);
    const result = await truncate(input);
    expect(result.type === "fits" && result.items).toBe(input.items);
    expect(input.items.every((item) => item.tokens === sizeOf(item))).toBe(true);
  });
});
