// The summary call: what is asked, that it always fits, how it fails, and how often it may be tried.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CallOutcome } from "../../model/contract.ts";
import {
  answer,
  anyHistory,
  compaction,
  conversation,
  failure,
  prompt,
  requestTokens,
  SUMMARY,
  scripted,
  step,
  target,
  tooLarge,
} from "./compact-fixture.ts";
import type { SummaryInput } from "./summary-input.ts";
import { writeSummary } from "./write-summary.ts";

async function run(...given: Parameters<typeof scripted>) {
  const input = scripted(...given);
  const { end, used } = await writeSummary(input);
  return { ...input, end, used };
}
const lastText = (request: SummaryInput["items"] extends never ? never : { items: readonly { raw: { content: string } }[] }) =>
  request.items.at(-1)?.raw.content ?? "";

describe("one call", () => {
  const items = conversation(3);

  it("C77 C78 carries system, tools and items as they are, then the instructions; no tool may be called", async () => {
    const { requests, end, system, tools } = await run(items, [answer(SUMMARY)]);
    const [request] = requests;
    expect(requests).toHaveLength(1);
    expect(request).toMatchObject({ system, toolChoice: "none", interaction: "conversation-compaction", sessionId: "s1" });
    expect(request?.tools).toBe(tools);
    expect(request?.items.slice(0, -1).every((item, at) => item === items[at])).toBe(true);
    expect(request?.items).toHaveLength(items.length + 1);
    expect(end).toMatchObject({ type: "summary", text: SUMMARY, truncated: false, chunks: 1 });
  });
  it("C77 system items are not in the summarised list", async () => {
    const system = { ...prompt("sys", 0), role: "system" as const, isPrompt: false };
    const { requests } = await run([system, ...items], [answer(SUMMARY)]);
    expect(requests[0]?.items.map((item) => item.id)).not.toContain("sys");
  });
  it("C79 C80 asks for the seven parts within a length, with the turn table and the focus", async () => {
    const { requests } = await run(items, [answer(SUMMARY)], { focus: "keep the parser $& {{turns}}", budget: 4_000 });
    const text = lastText(requests[0]!);
    for (const tag of ["overview", "history", "work_done", "technical_details", "important_files", "next_steps", "checkpoint_title"])
      expect(text).toContain(`<${tag}>`);
    expect(text).toContain("at most 1350 words");
    expect(text).toContain("keep the parser $& {{turns}}");
    expect(text).toContain("[tN]");
    expect(text.match(/^t\d: prompt \d x+…$/gm)).toHaveLength(3);
    expect(text.split("\n").every((line) => !line.startsWith("t1:") || line.length <= 84)).toBe(true);
    expect(text).not.toContain("{{words}}");
  });
  it("C80 the turn table is bounded; the newest turns stay", async () => {
    const { requests } = await run(conversation(400, 20), [answer(SUMMARY)], { effectiveLimit: 100_000 });
    const lines = lastText(requests[0]!).match(/^t\d+: /gm) ?? [];
    expect(lines.at(-1)).toBe("t400: ");
    expect(lines.length).toBe(400);
    const small = await run(conversation(400, 20), [answer(SUMMARY)], { effectiveLimit: 60_000 });
    const kept = lastText(small.requests[0]!).match(/^t\d+: /gm) ?? [];
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.length).toBeLessThan(401);
  });
  it("C133 adds up what the calls used", async () => {
    const { used } = await run(items, [answer(""), answer(SUMMARY)]);
    expect(used).toEqual({
      inputTokens: 200,
      outputTokens: 20,
      cacheReadTokens: 160,
      cacheWriteTokens: 0,
      duration: 0,
      model: target.id,
      requestCount: 2,
    });
  });
  it("C86 offline fills the same parts without a call", async () => {
    const offline = { ...target, id: "offline", provider: "offline" as const };
    const { requests, end, used } = await run(items, [undefined], { target: offline });
    expect(requests).toEqual([]);
    expect(used.requestCount).toBe(0);
    expect(end).toMatchObject({ type: "summary", chunks: 0, parts: { overview: expect.stringContaining("First request [t1]") } });
  });
  it("C99 an earlier compaction message goes along untouched when it fits, as its summary alone when it does not", async () => {
    const former = compaction("k", 3, `<original_prompts>${"p".repeat(40_000)}</original_prompts>\n<conversation_summary>\nOLD\n</conversation_summary>`);
    const fits = await run([former, ...items], [answer(SUMMARY)], { effectiveLimit: 100_000 });
    expect(fits.requests[0]?.items[0]).toBe(former);
    const tight = await run([former, ...items], [answer(SUMMARY)], { effectiveLimit: 12_000 });
    expect(tight.requests).toHaveLength(1);
    expect(tight.requests[0]?.items[0]?.raw.content).toBe("OLD");
  });
});

describe("failing", () => {
  const items = conversation(3);
  const cases: [string, (CallOutcome | undefined)[], object, number][] = [
    ["no text twice", [answer("")], { type: "failed", reason: "empty_summary" }, 2],
    ["only thinking", [answer("<think>hm</think>")], { type: "failed", reason: "empty_summary" }, 2],
    ["empty parts", [answer("<overview></overview>")], { type: "failed", reason: "empty_summary" }, 2],
    ["content filter", [answer("half", "content_filter")], { type: "failed", reason: "refused" }, 1],
    ["refusal in words", [answer("I'm sorry, but I can't help with that.")], { type: "failed", reason: "refused" }, 1],
    ["500 twice", [failure(500, true)], { type: "failed", reason: "model_error", statusCode: 500 }, 2],
    ["401", [failure(401, false)], { type: "failed", reason: "model_error", statusCode: 401 }, 1],
    ["Retry-After over 10 s", [failure(429, true, 10_001)], { type: "failed", statusCode: 429 }, 1],
    ["no answer", [undefined], { type: "failed", reason: "timeout" }, 1],
    ["cut before the overview", [answer("<history>x", "length")], { type: "failed", reason: "empty_summary" }, 1],
    ["empty, then good", [answer(""), answer(SUMMARY)], { type: "summary" }, 2],
    ["503, then good", [failure(503, true, 10_000), answer(SUMMARY)], { type: "summary" }, 2],
    ["cut after the overview", [answer("<overview>goal</overview><history>x", "length")], { type: "summary", truncated: true }, 1],
  ];
  it.each(cases)("C82 C103 CB5 %s", async (_name, script, end, calls) => {
    const ran = await run(items, script, { timeoutMs: 20 });
    expect(ran.end).toMatchObject(end);
    expect(ran.requests).toHaveLength(calls);
  });
  it("CB5 tool calls in the reply are ignored: with nothing else it is empty", async () => {
    const reply = answer("");
    if (reply.type === "answer") reply.answer.toolRequests = [{ toolCallId: "x", name: "bash", arguments: {} }];
    const { end, requests } = await run(items, [reply]);
    expect(end).toMatchObject({ type: "failed", reason: "empty_summary" });
    expect(requests).toHaveLength(2);
  });
  it("C103 waits as long as the server asks before the second call", async () => {
    expect((await run(items, [failure(503, true, 7_000), answer(SUMMARY)])).waits).toEqual([7_000]);
  });
  it("C108 a cancelled attempt ends at once with its reason, aborts the call and ignores what comes later", async () => {
    const controller = new AbortController();
    let aborted = false;
    const input = scripted(items, [], {
      signal: controller.signal,
      call: (_request, signal) =>
        new Promise((resolve) =>
          signal.addEventListener("abort", () => {
            aborted = true;
            resolve(answer(SUMMARY));
          }),
        ),
    });
    const running = writeSummary(input);
    controller.abort("superseded");
    expect((await running).end).toEqual({ type: "cancelled", reason: "superseded" });
    expect(aborted).toBe(true);
    expect((await writeSummary(input)).end.type).toBe("cancelled");
  });
  it("C108 a timeout aborts the call", async () => {
    let signalOf: AbortSignal | undefined;
    await run(items, [], {
      timeoutMs: 10,
      call: (_request, signal) => {
        signalOf = signal;
        return new Promise(() => undefined);
      },
    });
    expect(signalOf?.aborted).toBe(true);
  });
});

describe("fitting", () => {
  it("C85 over-long items are shortened, oldest first, and the call fits", async () => {
    const items = [...conversation(2), prompt("p", 3), ...step("s1", 3, "a".repeat(40_000)), ...step("s2", 3, "b".repeat(40_000))];
    const { requests, end, effectiveLimit, fixedTokens } = await run(items, [answer(SUMMARY)]);
    expect(end).toMatchObject({ type: "summary", chunks: 1 });
    expect(requests).toHaveLength(1);
    expect(requestTokens(requests[0]!, fixedTokens)).toBeLessThanOrEqual(0.9 * effectiveLimit);
    const text = (id: string) => requests[0]?.items.find((item) => item.id === id)?.raw.content ?? "";
    expect(text("s1r")).toContain("left out");
    expect(text("s2r")).toBe("b".repeat(40_000));
  });
  it("C85 what still does not fit is summarised in parts with a short system text and no tools, then merged", async () => {
    const items = conversation(60, 1_000);
    const { requests, end, effectiveLimit } = await run(items, [answer(SUMMARY)], { focus: "the parser" });
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
    const long = SUMMARY.replace("It began", "It began ".repeat(3_000));
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
    const { requests, end } = await run(conversation(100, 1_000), [answer(SUMMARY)], { maxChunks: 2 });
    expect(requests).toHaveLength(3);
    expect(end).toMatchObject({ type: "summary", chunks: 2 });
    expect(lastText(requests[2]!)).toContain("First request [t1]");
  });
  it("C103 a refusal for size is followed by parts of a smaller limit, never by the same input", async () => {
    const { requests, end } = await run(conversation(20, 1_000), [tooLarge(10_000), answer(SUMMARY)]);
    expect(end.type).toBe("summary");
    expect(requests[0]?.tools).toHaveLength(1);
    for (const request of requests.slice(1)) expect(requestTokens(request, 0)).toBeLessThanOrEqual(9_000);
  });
  it("C103 after the refusal no further retry is left", async () => {
    const { requests, end } = await run(conversation(20, 1_000), [tooLarge(), failure(503, true), answer(SUMMARY)]);
    expect(end).toMatchObject({ type: "failed", reason: "model_error", statusCode: 503 });
    expect(requests).toHaveLength(2);
  });
  it("C85 an earlier summary is not cut to pieces in the parts", async () => {
    const former = compaction("k", 1, `<conversation_summary>\n<overview>\n${"old ".repeat(1_000)}end-of-old\n</overview>\n</conversation_summary>`);
    const { requests } = await run([former, ...conversation(60, 1_000)], [answer(SUMMARY)]);
    expect(lastText(requests[0]!)).toContain("end-of-old");
  });
  it("C86 a limit too small for any call leaves the built-in summary", async () => {
    const { requests, end } = await run(conversation(10), [answer(SUMMARY)], { effectiveLimit: 1_500, budget: 1_000 });
    expect(requests).toEqual([]);
    expect(end).toMatchObject({ type: "summary", chunks: 0 });
  });
});

describe("bounds", () => {
  const outcome = fc.constantFrom<CallOutcome | undefined>(
    answer(SUMMARY),
    answer(SUMMARY.replace("It began", "It began ".repeat(5_000))),
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
          for (const request of ran.requests) expect(requestTokens(request, 800)).toBeLessThanOrEqual(0.9 * effectiveLimit);
          if (script.every((one) => one?.type === "answer" && one.answer.content === SUMMARY))
            expect(ran.end.type).toBe("summary");
        },
      ),
      { numRuns: 300 },
    );
  });
});
