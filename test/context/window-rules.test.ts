// Rules of the window that show only in a whole session: stages in order, what a request is told, what stays the same bytes.
import { describe, expect, it } from "vitest";
import { messagesOf, systemOf, textOf } from "../agent/scene.ts";
import { calls, text } from "../model-server/reply.ts";
import { logOf, only, run } from "../tool/everlong.ts";
import { converse, DETAILS, outcomes, prose, SUMMARY, stage } from "./stage.ts";

const NEVER = { EVERLONG_BACKGROUND_COMPACTION_THRESHOLD: "2" };

describe("the stages of one request", () => {
  it("C25 huge items are bounded first, then compaction, then truncation, then the figures, then the call", async () => {
    const { place, mains } = await stage(() => text("answer"));
    const { say } = await converse(place);
    for (let n = 1; n <= 13; n++) await say(prose(900, `part-${n}`));
    const told = await say(prose(60_000, "huge"));
    const types = told.map((event) => event.type);
    const order = [
      "session.compaction_start",
      "session.compaction_complete",
      "session.usage_info",
      "assistant.message",
    ];
    expect(order.map((type) => types.indexOf(type as never))).toEqual(
      order.map((type) => types.indexOf(type as never)).toSorted((a, b) => a - b),
    );
    expect(outcomes(told)).toEqual(["applied"]);
    // What compaction decided about was the bounded item: the message and the shortened prompt stand side by side.
    const texts = messagesOf(mains().at(-1)).slice(1).map(textOf);
    expect(texts[0]).toContain("<compaction_notice>");
    expect(texts.at(-1)).toContain("characters left out here");
    expect(only(told, "session.compaction_start")[0]?.data.currentTokens).toBeLessThan(24_000);
  });

  it("C51 a request that was only shortened emits no truncation event: the usage tells", async () => {
    const { place } = await stage(() => text("answer"), { env: NEVER });
    const { say } = await converse(place);
    const told = await say(prose(60_000, "huge"));
    expect(only(told, "session.truncation")).toEqual([]);
    expect(only(told, "session.usage_info").at(-1)?.data.shortenedItems).toBe(1);
  });

  it("C34 nothing is added after the figures: what is sent is what was counted, request by request", async () => {
    const { place, mains } = await stage(
      (_r, n) => (n % 3 === 0 ? calls([{ name: "bash", args: { command: "seq 900" } }]) : text("ok")),
      { env: NEVER },
    );
    const { say, events } = await converse(place);
    for (let n = 1; n <= 12; n++) await say(prose(1_500, `part-${n}`));
    const figures = only(events, "session.usage_info").map((e) => e.data);
    expect(figures).toHaveLength(mains().length);
    for (const [n, request] of mains().entries()) {
      expect(messagesOf(request).length - 1).toBe(figures[n]?.messagesLength);
      expect(figures[n]?.currentTokens).toBeLessThanOrEqual(figures[n]?.effectiveLimit ?? 0);
    }
  });
});

describe("compaction by itself", () => {
  it("C74 CE12 memory pressure: one background compaction, however long the pressure lasts", async () => {
    const { place } = await stage(() => text("answer"), {
      limit: 200_000,
      env: { EVERLONG_MAX_RSS_MB: "1" },
      summary: () => text(SUMMARY.replace(DETAILS, DETAILS.repeat(4))),
    });
    const { say, events } = await converse(place);
    for (let n = 1; n <= 8; n++) await say(prose(1_500, `part-${n}`));
    expect(only(events, "session.compaction_start").map((e) => [e.data.trigger, e.data.mode])).toEqual([
      ["memory_pressure", "background"],
    ]);
    expect(only(events, "session.warning").filter((e) => e.data.warningType === "memory_pressure")).toHaveLength(1);
  });

  it("C69 C71 C138 /compact as the first thing after a resume: one line, the whole result in the event, an entry in exports", async () => {
    const { place } = await stage(() => text("answer"));
    const { say, client, close } = await converse(place);
    for (const n of [1, 2]) await say(prose(4_000, `part-${n}`));
    await close();
    const id = client.sessionId;
    const done = await run(place, ["--resume", id, "-p", "/compact", "--output-format", "json"]);
    expect(done.code, done.stderr).toBe(0);
    const line = String(JSON.parse(done.stdout).result);
    expect(line).toMatch(
      /^Compacted: \d+ % → \d+ % of 24000 tokens, 3 messages and \d+ tokens removed; checkpoint 1: Parser work$/,
    );
    const [data] = only(logOf(place, id), "session.compaction_complete").map((e) => e.data);
    expect(data).toMatchObject({ success: true, messagesRemoved: 3, summaryContent: SUMMARY, checkpointNumber: 1 });
    expect(line).toContain(`${data?.tokensRemoved} tokens removed`);
    const exported = await run(place, ["sessions", "export", id, "--format", "md"]);
    expect(exported.stdout).toContain("Conversation Compacted");
    expect(exported.stdout).toMatch(/manual, \d+ → \d+ tokens, t1-t2, checkpoint 1/);
    expect(exported.stdout).toContain("The user builds a parser");
  });
});

describe("the prompt cache", () => {
  it("C119 C118 what changes by the turn never rewrites the system prompt or what was already sent", async () => {
    const todo = (n: number) =>
      calls([
        {
          name: "sql",
          args: { query: `INSERT INTO todos (id, title, status) VALUES ('t${n}', 'todo ${n}', 'pending')` },
        },
      ]);
    const { place, mains } = await stage((_r, n) => (n % 2 === 0 ? todo(n) : text(`answer ${n}`)), { env: NEVER });
    const { say } = await converse(place);
    for (let n = 1; n <= 4; n++) await say(`prompt ${n}`);
    expect(new Set(mains().map(systemOf)).size).toBe(1);
    for (const [n, request] of mains().entries()) {
      const before = messagesOf(mains()[n - 1]);
      expect(messagesOf(request).slice(0, before.length)).toEqual(before);
    }
  });

  it("C120 at most 4 cache marks, and counting never alters the bytes", async () => {
    const { place, mains } = await stage(
      (_r, n) => (n < 12 ? calls([{ name: "bash", args: { command: "seq 300" } }]) : text("done")),
      {
        env: { ...NEVER, EVERLONG_WIRE: "anthropic" },
      },
    );
    const { say } = await converse(place);
    await say("count");
    const marks = mains().map(({ rawBody }) => rawBody.split('"cache_control"').length - 1);
    expect(Math.max(...marks)).toBeLessThanOrEqual(4);
    expect(Math.min(...marks)).toBeGreaterThan(0);
  });
});
