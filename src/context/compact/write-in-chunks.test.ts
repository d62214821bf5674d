// That a summary call always fits: shortened, in parts, merged; and how many calls there may be.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CallOutcome, ModelRequest } from "../../model/contract.ts";
import {
  answer,
  anyHistory,
  compaction,
  conversation,
  failure,
  LONG_SUMMARY,
  prompt,
  requestTokens,
  scripted,
  step,
  tooLarge,
} from "./compact-fixture.ts";
import { writeSummary } from "./write-summary.ts";

async function run(...given: Parameters<typeof scripted>) {
  const input = scripted(...given);
  const { end, used } = await writeSummary(input);
  return { ...input, end, used };
}
const lastText = (request: ModelRequest) => request.items.at(-1)?.raw.content ?? "";

describe("fitting", () => {
  it("C85 over-long items are shortened, oldest first, and the call fits", async () => {
    const items = [
      ...conversation(2),
      prompt("p", 3),
      ...step("s1", 3, "a".repeat(40_000)),
      ...step("s2", 3, "b".repeat(40_000)),
    ];
    const { requests, end, effectiveLimit, fixedTokens } = await run(items, [answer(LONG_SUMMARY)]);
    expect(end).toMatchObject({ type: "summary", chunks: 1 });
    expect(requests).toHaveLength(1);
    expect(requestTokens(requests[0]!, fixedTokens)).toBeLessThanOrEqual(0.9 * effectiveLimit);
    const text = (id: string) => requests[0]?.items.find((item) => item.id === id)?.raw.content ?? "";
    expect(text("s1r")).toContain("left out");
    expect(text("s2r")).toBe("b".repeat(40_000));
  });
  it("C85 what still does not fit is summarised in parts with a short system text and no tools, then merged", async () => {
    const items = conversation(60, 1_000);
    const { requests, end, effectiveLimit } = await run(items, [answer(LONG_SUMMARY)], { focus: "the parser" });
    expect(requests.length).toBeGreaterThan(2);
    for (const request of requests) {
      expect(request).toMatchObject({ tools: [], toolChoice: "none", interaction: "conversation-compaction" });
      expect(request.system).not.toContain("You are an agent");
      expect(requestTokens(request, 0)).toBeLessThanOrEqual(0.9 * effectiveLimit);
      expect(lastText(request)).toContain("the parser");
    }
    const chunks = requests.length - 1;
    expect(end).toMatchObject({ type: "summary", chunks });
    const record = requests.slice(0, -1).map(lastText).join("\n");
    for (let turn = 1; turn <= 60; turn++) expect(record).toContain(`[t${turn}] user: prompt ${turn} `);
    expect(lastText(requests.at(-1)!).match(/<conversation_part number=/g)).toHaveLength(chunks);
  });
  it("C85 parts that do not fit together are merged two by two", async () => {
    const long = LONG_SUMMARY.replace("It began", "It began ".repeat(3_000));
    const { requests, end, maxChunks } = await run(conversation(60, 1_000), [answer(long)], {
      effectiveLimit: 8_000,
      fixedTokens: 500,
      budget: 5_000,
    });
    expect(end.type).toBe("summary");
    expect(requests.length).toBeLessThanOrEqual(2 * maxChunks + 1);
    expect(requests.length).toBeGreaterThan(maxChunks + 2);
    for (const request of requests) expect(requestTokens(request, 0)).toBeLessThanOrEqual(0.9 * 8_000);
  });
  it("C86 more parts than allowed: the oldest are reduced without a call, and their prompts reach the merge", async () => {
    const { requests, end } = await run(conversation(100, 1_000), [answer(LONG_SUMMARY)], { maxChunks: 2 });
    expect(requests).toHaveLength(3);
    expect(end).toMatchObject({ type: "summary", chunks: 2 });
    expect(lastText(requests[2]!)).toContain("First request [t1]");
  });
  it("C103 a refusal for size is followed by parts of a smaller limit, never by the same input", async () => {
    const { requests, end } = await run(conversation(20, 1_000), [tooLarge(10_000), answer(LONG_SUMMARY)]);
    expect(end.type).toBe("summary");
    expect(requests[0]?.tools).toHaveLength(1);
    for (const request of requests.slice(1)) expect(requestTokens(request, 0)).toBeLessThanOrEqual(9_000);
  });
  it("C103 after the refusal no further retry is left", async () => {
    const { requests, end } = await run(conversation(20, 1_000), [
      tooLarge(),
      failure(503, true),
      answer(LONG_SUMMARY),
    ]);
    expect(end).toMatchObject({ type: "summary", chunks: 0, insteadOf: { reason: "model_error", statusCode: 503 } });
    expect(requests).toHaveLength(2);
  });
  it("C85 an earlier summary is not cut to pieces in the parts", async () => {
    const former = compaction(
      "k",
      1,
      `<conversation_summary>\n<overview>\n${"old ".repeat(1_000)}end-of-old\n</overview>\n</conversation_summary>`,
    );
    const { requests } = await run([former, ...conversation(60, 1_000)], [answer(LONG_SUMMARY)]);
    expect(lastText(requests[0]!)).toContain("end-of-old");
  });
  it("C86 a limit too small for any call leaves the built-in summary", async () => {
    const { requests, end } = await run(conversation(10), [answer(LONG_SUMMARY)], {
      effectiveLimit: 1_500,
      budget: 1_000,
    });
    expect(requests).toEqual([]);
    expect(end).toMatchObject({ type: "summary", chunks: 0 });
  });
});

describe("bounds", () => {
  const outcome = fc.constantFrom<CallOutcome | undefined>(
    answer(LONG_SUMMARY),
    answer(LONG_SUMMARY.replace("It began", "It began ".repeat(5_000))),
    answer(""),
    answer("plain"),
    answer("<overview>x", "length"),
    answer("x", "content_filter"),
    failure(500, true),
    failure(429, true, 5_000),
    failure(400, false),
    tooLarge(),
    tooLarge(3_000),
    { type: "aborted" },
  );
  it("CI8 C103 for every reply: at most 2 calls, or 2 × parts + 1, and no call above 0.9 of the limit", async () => {
    await fc.assert(
      fc.asyncProperty(
        anyHistory.filter((items) => items.length > 1),
        fc.array(outcome, { minLength: 1, maxLength: 24 }),
        fc.constantFrom(2_500, 6_000, 24_000, 100_000),
        fc.integer({ min: 1, max: 8 }),
        async (items, script, effectiveLimit, maxChunks) => {
          const ran = await run(items, script, { effectiveLimit, maxChunks, fixedTokens: 800, budget: 2_000 });
          const whole = ran.requests.filter((request) => request.tools.length > 0);
          const parts = ran.requests.filter((request) => lastText(request).startsWith("This is part"));
          const chunks = new Set(parts.map(lastText)).size;
          expect(ran.requests.length).toBeLessThanOrEqual(chunks === 0 ? 2 : 2 * chunks + 1);
          expect(chunks).toBeLessThanOrEqual(maxChunks);
          expect(ran.used.requestCount).toBe(ran.requests.length);
          for (const request of whole) expect(requestTokens(request, 800)).toBeLessThanOrEqual(0.9 * effectiveLimit);
          for (const request of ran.requests)
            expect(requestTokens(request, 800)).toBeLessThanOrEqual(0.9 * effectiveLimit);
          if (script.every((one) => one?.type === "answer" && one.answer.content === LONG_SUMMARY))
            expect(ran.end.type).toBe("summary");
        },
      ),
      { numRuns: 300 },
    );
  });
});
