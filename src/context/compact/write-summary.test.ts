import { describe, expect, it } from "vitest";
import type { CallOutcome, ModelRequest } from "../../model/contract.ts";
import {
  answer,
  compaction,
  conversation,
  count,
  failure,
  LONG_SUMMARY,
  prompt,
  scripted,
  target,
} from "./compact-fixture.ts";
import { turnTable } from "./instructions.ts";
import { writeSummary } from "./write-summary.ts";

async function run(...given: Parameters<typeof scripted>) {
  const input = scripted(...given);
  const { end, used } = await writeSummary(input);
  return { ...input, end, used };
}
const lastText = (request: ModelRequest) => request.items.at(-1)?.raw.content ?? "";

const builtIn = (reason: string) => ({ type: "summary", chunks: 0, insteadOf: { type: "failed", reason } });

describe("one call", () => {
  const items = conversation(3);

  it("C77 C78 carries system, tools and items as they are, then the instructions; no tool may be called", async () => {
    const { requests, end, system, tools } = await run(items, [answer(LONG_SUMMARY)]);
    const [request] = requests;
    expect(requests).toHaveLength(1);
    expect(request).toMatchObject({
      system,
      toolChoice: "none",
      interaction: "conversation-compaction",
      sessionId: "s1",
    });
    expect(request?.tools).toBe(tools);
    expect(request?.items.slice(0, -1).every((item, at) => item === items[at])).toBe(true);
    expect(request?.items).toHaveLength(items.length + 1);
    expect(end).toMatchObject({ type: "summary", text: LONG_SUMMARY, truncated: false, chunks: 1 });
  });
  it("C77 system items are not in the summarised list", async () => {
    const system = { ...prompt("sys", 0), role: "system" as const, isPrompt: false };
    const { requests } = await run([system, ...items], [answer(LONG_SUMMARY)]);
    expect(requests[0]?.items.map((item) => item.id)).not.toContain("sys");
  });
  it("C79 C80 asks for the seven parts within a length, with the turn table and the focus", async () => {
    const { requests } = await run(items, [answer(LONG_SUMMARY)], {
      focus: "keep the parser $& {{turns}}",
      budget: 4_000,
    });
    const text = lastText(requests[0]!);
    for (const tag of [
      "overview",
      "history",
      "work_done",
      "technical_details",
      "important_files",
      "next_steps",
      "checkpoint_title",
    ])
      expect(text).toContain(`<${tag}>`);
    expect(text).toContain("at most 1350 words");
    expect(text).toContain("keep the parser $& {{turns}}");
    expect(text).toContain("[tN]");
    expect(text.match(/^t\d: prompt \d x+…$/gm)).toHaveLength(3);
    expect(text.split("\n").every((line) => !line.startsWith("t1:") || line.length <= 84)).toBe(true);
    expect(text).not.toContain("{{words}}");
  });
  it("C80 the turn table is bounded; the newest turns stay", () => {
    const table = turnTable(conversation(400, 20), 500, count);
    const lines = table.match(/^t\d+: /gm) ?? [];
    expect(count(table)).toBeLessThanOrEqual(520);
    expect(lines.length).toBeGreaterThan(30);
    expect(lines.at(-1)).toBe("t400: ");
  });
  it("C133 adds up what the calls used", async () => {
    const { used } = await run(items, [answer(""), answer(LONG_SUMMARY)]);
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
    expect(end).toMatchObject({
      type: "summary",
      chunks: 0,
      parts: { overview: expect.stringContaining("First request [t1]") },
    });
  });
  it("C99 an earlier compaction message goes along untouched when it fits, as its summary alone when it does not", async () => {
    const former = compaction(
      "k",
      3,
      `<original_prompts>${"p".repeat(40_000)}</original_prompts>\n<conversation_summary>\nOLD\n</conversation_summary>`,
    );
    const fits = await run([former, ...items], [answer(LONG_SUMMARY)], { effectiveLimit: 100_000 });
    expect(fits.requests[0]?.items[0]).toBe(former);
    const tight = await run([former, ...items], [answer(LONG_SUMMARY)], { effectiveLimit: 12_000 });
    expect(tight.requests).toHaveLength(1);
    expect(tight.requests[0]?.items[0]?.raw.content).toBe("OLD");
  });
});

describe("failing", () => {
  const items = conversation(3);
  const cases: [string, (CallOutcome | undefined)[], object, number][] = [
    ["no text twice", [answer("")], builtIn("empty_summary"), 2],
    ["only thinking", [answer("<think>hm</think>")], builtIn("empty_summary"), 2],
    ["empty parts", [answer("<overview></overview>")], builtIn("empty_summary"), 2],
    ["content filter", [answer("half", "content_filter")], { type: "failed", reason: "refused" }, 1],
    ["refusal in words", [answer("I'm sorry, but I can't help with that.")], { type: "failed", reason: "refused" }, 1],
    ["500 twice", [failure(500, true)], builtIn("model_error"), 2],
    ["401", [failure(401, false)], { type: "failed", reason: "model_error", statusCode: 401 }, 1],
    ["Retry-After over 10 s", [failure(429, true, 10_001)], { type: "failed", statusCode: 429 }, 1],
    ["no answer", [undefined], { type: "failed", reason: "timeout" }, 1],
    ["cut before the overview", [answer("<history>x", "length")], { type: "failed", reason: "empty_summary" }, 1],
    ["empty, then good", [answer(""), answer(LONG_SUMMARY)], { type: "summary" }, 2],
    ["503, then good", [failure(503, true, 10_000), answer(LONG_SUMMARY)], { type: "summary" }, 2],
    [
      "cut after the overview",
      [answer(`<overview>${"goal ".repeat(20)}</overview><history>x`, "length")],
      { type: "summary", truncated: true },
      1,
    ],
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
    expect(end).toMatchObject(builtIn("empty_summary"));
    expect(requests).toHaveLength(2);
  });
  it("C103 waits as long as the server asks before the second call", async () => {
    expect((await run(items, [failure(503, true, 7_000), answer(LONG_SUMMARY)])).waits).toEqual([7_000]);
  });
  it("C108 a cancelled attempt ends at once with its reason, aborts the call and ignores what comes later", async () => {
    const controller = new AbortController();
    let aborted = false;
    const input = scripted(items, [], {
      signal: controller.signal,
      call: (_request, signal) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            aborted = true;
            resolve(answer(LONG_SUMMARY));
          });
          controller.abort("superseded");
        }),
    });
    expect((await writeSummary(input)).end).toEqual({ type: "cancelled", reason: "superseded" });
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

describe("N36 useless summaries", () => {
  const items = conversation(12, 1_000);
  const german = `Der Parser wird umgebaut. ${"Die Tests laufen noch nicht, und die Grammatik fehlt. ".repeat(10)}`;

  it.each<[string, string, object]>([
    ["one word", "ok", builtIn("useless_summary")],
    ["a short sentence", "The user and the assistant worked on the parser.", builtIn("useless_summary")],
    ["parts that say nothing", "<overview>ok</overview>", builtIn("useless_summary")],
    ["another language without parts", german, { type: "summary", chunks: 1, parts: { overview: german.trim() } }],
    ["longer than its input", LONG_SUMMARY.repeat(60), { type: "summary", chunks: 1 }],
  ])("N36 %s", async (_name, reply, end) => {
    const ran = await run(items, [answer(reply)]);
    expect(ran.end).toMatchObject(end);
    expect(ran.requests).toHaveLength("insteadOf" in ran.end ? 2 : 1);
  });

  it("N36 a useless summary is asked for once more, and the second one is taken when it is good", async () => {
    const { end, requests } = await run(items, [answer("ok"), answer(LONG_SUMMARY)]);
    expect(requests).toHaveLength(2);
    expect(end).toMatchObject({ type: "summary", text: LONG_SUMMARY, chunks: 1 });
  });

  it("N36 a second attempt that fails without a retry counts as the second failure", async () => {
    const once = await run(items, [failure(401, false)]);
    expect(once.end).toMatchObject({ type: "failed", reason: "model_error" });
    const twice = await run(items, [failure(401, false)], { failedBefore: true });
    expect(twice.end).toMatchObject(builtIn("model_error"));
    expect(twice.requests).toHaveLength(1);
  });
});
