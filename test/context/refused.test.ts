// CE3 CB15 CB16: a request refused for its size is made smaller and sent again, on every wire, whatever the words.
import { describe, expect, it } from "vitest";
import type { WireName } from "../model-server/recorded.ts";
import { contextLimit, error, failure, type Reply, raw, streamError, text } from "../model-server/reply.ts";
import { logOf, only, run } from "../tool/everlong.ts";
import { soakCount } from "../tool/soak.ts";
import { converse, LIMIT, outcomes, prose, type StageOptions, stage } from "./stage.ts";

const WIRES: WireName[] = ["openai-chat", "openai-responses", "anthropic", "gemini"];

type Row = [source: string, message: string, more?: { code?: string; type?: string }];

/** Rows of A2.16; where a limit is named, it is a little below ours. */
const ROWS: Row[] = [
  ["OpenAI code", "Too much.", { code: "context_length_exceeded" }],
  ["OpenAI", "This model's maximum context length is 16,000 tokens. However, your messages resulted in 30,512 tokens."],
  [
    "OpenAI with output",
    "maximum context length is 17000 tokens. However, you requested 19000 tokens (18000 in the messages, 1000 in the completion).",
  ],
  ["OpenAI Responses", "Your input exceeds the context window of this model. Please adjust your input and try again."],
  [
    "GitHub Models",
    "Request body too large for gpt-4o model. Max size: 16000 tokens.",
    { code: "tokens_limit_reached" },
  ],
  ["Copilot API", "prompt token count of 17000 exceeds the limit of 16000"],
  ["Anthropic", "prompt is too long: 17000 tokens > 16000 maximum"],
  ["Anthropic bytes", "Request exceeds the maximum size", { type: "request_too_large" }],
  [
    "Anthropic with output",
    "input length and `max_tokens` exceed context limit: 17000 + 2000 > 18000, decrease input length",
  ],
  ["Google", "The input token count (17000) exceeds the maximum number of tokens allowed (16000)."],
  ["Bedrock", "Input is too long for requested model."],
  ["vLLM", "The decoder prompt (length 17000) is too long to fit into the model (context length 16000)"],
  ["vLLM negative", "max_tokens must be at least 1, got -812."],
  ["llama.cpp", "request (17000 tokens) exceeds the available context size (16000 tokens), try increasing it"],
  ["LM Studio", "The number of tokens to keep from the initial prompt is greater than the context length."],
  ["Ollama", "the input length exceeds the context length"],
  ["Ollama too", "prompt too long; exceeded max context length by 512 tokens"],
  ["xAI", "This model's maximum prompt length is 16000 but the request contains 17000 tokens."],
  ["Groq", "Please reduce the length of the messages or completion."],
  ["Mistral", "Prompt contains 17000 tokens, too large for model with 16000 maximum context length"],
  ["Kimi", "Invalid request: Your request exceeded model token limit: 16000 (requested: 17000)"],
  ["MiniMax", "invalid params, context window exceeds limit (2013)"],
];

/** Each wording on one wire, in a soak run on all of them: what reads it is the same for every wire (model/overflow). */
const isTried = (row: number, wire: WireName): boolean =>
  row % WIRES.length === WIRES.indexOf(wire) || soakCount(0, 1) === 1;

/** The codes that a wire has no field for stand in its text. */
const worded = (wire: WireName, [, message, more = {}]: Row): string => {
  const kept = wire === "gemini" ? undefined : wire === "anthropic" ? more.type : more.code;
  const lost = [more.code, more.type].filter((word) => word !== undefined && word !== kept);
  return [message, ...lost].join(" ");
};

const bodyOf = (wire: WireName, row: Row): Reply => error(400, worded(wire, row), row[2] ?? {});
const streamOf = (wire: WireName, row: Row, first: boolean): Reply =>
  streamError(worded(wire, row), { ...row[2], first, status: 400, after: first ? "" : "half an ans" });

/** Two long turns and a third whose request is refused so often. */
async function refusedOnce(wire: WireName, reply: Reply, times = 1, options: StageOptions = {}) {
  const staged = await stage((_r, n) => (n >= 2 && n < 2 + times ? reply : text(`answer ${n}`)), {
    refusals: true,
    ...options,
    env: { EVERLONG_WIRE: wire, ...options.env },
  });
  const talk = await converse(staged.place);
  await talk.say(prose(5_000, "part-1"));
  await talk.say(prose(5_000, "part-2"));
  const told = await talk.say(prose(500, "part-3"));
  return { ...staged, ...talk, told };
}

describe.each(WIRES)("CE3 %s", (wire) => {
  const own = (first: boolean): Reply => (first ? contextLimit(17_000, 16_000) : raw(413, {}, ""));
  const html = failure(413, "<html><h1>413 Request Entity Too Large</h1></html>");
  const stopped = text("half", { finishRaw: "model_context_window_exceeded" });
  const cases: [string, Reply, Reply][] = [
    ...ROWS.filter((_row, n) => isTried(n, wire)).map((row, n): [string, Reply, Reply] => [
      row[0],
      streamOf(wire, row, n % 2 === 0),
      bodyOf(wire, row),
    ]),
    ["413 and the wire's own", own(true), own(false)],
    ["413 with HTML and Anthropic's stop reason", html, wire === "anthropic" ? stopped : html],
  ];

  it.each(cases)(
    "CE3 AE4 C52 C55 C62 A2.16 %s, in the stream and as body: one summary, a smaller retry, an answer",
    async (_name, inStream, asBody) => {
      const { place, summaries, mains } = await stage(
        (_r, n) => ({ 1: inStream, 3: asBody })[n] ?? text(`answer ${n}`),
        {
          refusals: true,
          env: { EVERLONG_WIRE: wire },
        },
      );
      const { client, say } = await converse(place);
      await say(prose(6_000, "part-1"));
      for (const turn of [2, 3]) {
        const told = await say(prose(1_500, `part-${turn}`));
        expect(client.view().lastTurn).toEqual({ status: "done" });
        expect(summaries()).toHaveLength(turn - 1);
        expect(mains()).toHaveLength(2 * turn - 1);
        const [refused, retried] = mains().slice(-2);
        expect(retried?.rawBody.length).toBeLessThan(refused?.rawBody.length ?? 0);
        expect(retried?.rawBody.includes(`part-${turn} line 1:`)).toBe(true);
        const [begun] = only(told, "session.compaction_start");
        expect(begun?.data).toMatchObject({ trigger: "context_limit_retry", mode: "blocking" });
        expect(outcomes(told)).toEqual(["applied"]);
        const infos = only(told, "session.info").map((e) => e.data.message);
        expect(infos).toEqual([expect.stringContaining("retry 1 of 5")]);
        const answers = only(told, "assistant.message").map((e) => e.data.content);
        expect(answers).toEqual([`answer ${2 * turn - 2}`]);
        expect(only(told, "turn.start")).toHaveLength(1);
      }
    },
  );

  it.each([
    "Rate limit reached: maximum context length is 8192 tokens, prompt is too long",
    "Rate limit reached on tokens per min (TPM): Limit 30000, Requested 41000.",
  ])("CE3 AE4 CB16 C54 429 %s: retried as it is, nothing compacted", async (words) => {
    const { client, told, summaries, mains } = await refusedOnce(wire, error(429, words));
    expect(client.view().lastTurn).toEqual({ status: "done" });
    expect(summaries()).toEqual([]);
    expect(mains()[3]?.rawBody).toBe(mains()[2]?.rawBody);
    expect(outcomes(told)).toEqual([]);
  });

  it("CE3 CB15 C56 C57 refused forever: six requests, at most two summary calls, then context_limit", async () => {
    const always = contextLimit(900_000, 900_000);
    const { client, told, summaries, mains, place, close } = await refusedOnce(wire, always, 99);
    expect(client.view().lastTurn?.status).toBe("failed");
    expect(only(told, "session.error").map((e) => e.data)).toMatchObject([
      { code: "context_limit", hint: expect.stringContaining("limit") },
    ]);
    expect(mains().length).toBeGreaterThan(3);
    expect(mains().length).toBeLessThanOrEqual(2 + 6);
    expect(summaries().length).toBeLessThanOrEqual(2);
    const sizes = mains()
      .slice(2)
      .map((r) => r.rawBody.length);
    for (const [n, size] of sizes.entries()) if (n > 0) expect(size).toBeLessThan(sizes[n - 1] ?? 0);
    await close();
    expect(only(logOf(place), "user.message").at(-1)?.data.content).toContain("part-3 line 1:");
  });

  it("CE3 C59 through the program: exit 0 after one refusal; after endless ones exit 1, and resumable", async () => {
    let refusing = 0;
    const { place, summaries } = await stage(() => (refusing-- > 0 ? contextLimit(30_000, 16_000) : text("answer")), {
      refusals: true,
      env: { EVERLONG_WIRE: wire },
    });
    const { client, say, close } = await converse(place);
    for (const n of [1, 2]) await say(prose(4_000, `part-${n}`));
    await close();
    const resume = ["--resume", client.sessionId, "-p"];
    refusing = 1;
    const once = await run(place, [...resume, "three"]);
    expect(once.code, once.stderr).toBe(0);
    expect(once.stderr).toContain("refused the request as too large");
    expect(once.stderr).toContain("retry 1 of 5");
    expect(once.stdout).toBe("answer\n");
    expect(summaries()).toHaveLength(1);
    if (wire !== "openai-chat") return;
    refusing = 99;
    const never = await run(place, [...resume, "four"]);
    expect(never.code).toBe(1);
    expect(never.stderr).toMatch(/refused the request as too large, \d times: /);
    expect(never.stderr).toContain("The conversation is saved.");
    refusing = 0;
    const after = await run(place, [...resume, "five"]);
    expect([after.code, after.stdout]).toEqual([0, "answer\n"]);
  });
});

describe("N34 a refusal of a short request", () => {
  const huge =
    "This model's maximum context length is 400,000 tokens. However, your messages resulted in 512,000 tokens.";
  const REFUSALS: [name: string, reply: () => Reply][] = [
    ["413", () => error(413, "Payload Too Large")],
    ["a figure far above what was sent", () => error(400, huge, { code: "context_length_exceeded" })],
  ];

  it.each(REFUSALS)("N34 %s, nothing to compact: sent once more as it was, and answered", async (_name, reply) => {
    const { place, mains, summaries } = await stage((_r, n) => (n === 0 ? reply() : text("answer")), {
      refusals: true,
      limit: 100_000,
    });
    const done = await run(place, ["-p", "hello"]);
    expect([done.code, done.stdout], done.stderr).toEqual([0, "answer\n"]);
    expect(mains()).toHaveLength(2);
    expect(mains()[1]?.rawBody).toBe(mains()[0]?.rawBody);
    expect(summaries()).toHaveLength(0);
  });

  it("N34 refused again: it fails in true words, after one more request", async () => {
    const { place, mains } = await stage(() => error(413, "Payload Too Large"), { refusals: true, limit: 100_000 });
    const done = await run(place, ["-p", "hello"]);
    expect(done.code).toBe(1);
    expect(mains()).toHaveLength(2);
    expect(done.stderr).toMatch(/refused the request as too large, 2 times: .*Payload Too Large/);
    expect(done.stderr).toMatch(/The last request had \d+ tokens, the model's limit is 100000\. That is far below/);
    expect(done.stderr).not.toContain("however small");
  });

  it("N34 with a history: what there is is compacted and the smaller request is sent, however little smaller", async () => {
    let refusing = 0;
    const { place, mains, summaries } = await stage(() => (refusing-- > 0 ? error(413, "too big") : text("answer")), {
      refusals: true,
      limit: 100_000,
    });
    const { say, events } = await converse(place);
    for (const n of [1, 2, 3]) await say(prose(900, `part-${n}`));
    refusing = 1;
    const told = await say("go on");
    expect(only(told, "assistant.message").map((e) => e.data.content)).toEqual(["answer"]);
    expect(summaries()).toHaveLength(1);
    expect(outcomes(events)).toEqual(["applied"]);
    const [before = 0, after = 0] = mains()
      .slice(-2)
      .map((r) => r.rawBody.length);
    expect(after).toBeLessThan(before);
  });
});

describe("C53 C60 C61 what a refusal teaches", () => {
  it("C60 A2.18 a smaller limit that is named is learned durably, and never raised", async () => {
    const reply = error(400, "maximum context length is 16000 tokens");
    const { client, told, place, events, say, close, mains } = await refusedOnce("openai-chat", reply);
    expect(only(told, "session.model_limit").map((e) => e.data.limit)).toEqual([16_000]);
    expect(client.view().promptLimit).toBe(16_000);
    await say("next");
    expect(only(events, "session.usage_info").at(-1)?.data).toMatchObject({
      tokenLimit: 16_000,
      effectiveLimit: 16_000,
    });
    await close();
    const again = await converse(place, { resume: client.sessionId });
    await again.say("later");
    expect(only(again.events, "session.usage_info").at(-1)?.data.tokenLimit).toBe(16_000);
    expect(mains()).toHaveLength(6);
  });

  it("C61 C17 a refusal that names none grows the buffer, for the rest of the process only", async () => {
    const { client, say, close, place } = await refusedOnce("openai-chat", error(400, "exceeds the context window"));
    const usage = only(await say("next"), "session.usage_info").at(-1)?.data;
    expect(usage).toMatchObject({ tokenLimit: LIMIT, effectiveLimit: 0.9 * LIMIT });
    await close();
    const again = await converse(place, { resume: client.sessionId });
    expect(only(await again.say("later"), "session.usage_info").at(-1)?.data.effectiveLimit).toBe(LIMIT);
  });

  it("C53 an empty 400 counts as one only near the limit", async () => {
    const far = await refusedOnce("openai-chat", raw(400, {}, ""));
    expect(far.client.view().lastTurn?.status).toBe("failed");
    expect(far.summaries()).toEqual([]);
    await far.close();
    const near = await refusedOnce("openai-chat", raw(400, {}, ""), 1, {
      limit: 17_000,
      env: { EVERLONG_BACKGROUND_COMPACTION_THRESHOLD: "0.97" },
    });
    expect(near.client.view().lastTurn).toEqual({ status: "done" });
    expect(near.summaries()).toHaveLength(1);
  });

  it.each(["off", "manual"])("C65 compaction %s: truncation alone makes it smaller", async (mode) => {
    const { client, summaries, mains, told } = await refusedOnce("openai-chat", contextLimit(17_000, 10_000), 1, {
      env: { EVERLONG_COMPACTION: mode },
    });
    expect(client.view().lastTurn).toEqual({ status: "done" });
    expect(summaries()).toEqual([]);
    expect(outcomes(told)).toEqual([]);
    expect(mains()[3]?.rawBody.length).toBeLessThan(mains()[2]?.rawBody.length ?? 0);
  });

  it("C49 truncation off and compaction off: the provider's error is shown, nothing is sent again", async () => {
    const { client, mains, told } = await refusedOnce("openai-chat", contextLimit(17_000, 16_000), 9, {
      env: { EVERLONG_COMPACTION: "off", EVERLONG_TRUNCATION: "off" },
    });
    expect(client.view().lastTurn?.status).toBe("failed");
    expect(mains()).toHaveLength(3);
    expect(only(told, "session.error")[0]?.data.message).toContain("maximum context length is 16000");
  });

  it("C55 truncation off: after a compaction that was not applied the same request is not sent again", async () => {
    const { client, mains, told } = await refusedOnce("openai-chat", contextLimit(17_000, 16_000), 9, {
      env: { EVERLONG_TRUNCATION: "off" },
      summary: () => error(400, "no"),
    });
    expect(outcomes(told)).toEqual(["model_error"]);
    expect(client.view().lastTurn?.status).toBe("failed");
    expect(mains()).toHaveLength(3);
  });
});
