// CE11 CB12 C85 C86: a history of many windows, resumed on a small one: read in parts, merged, and within its target.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newId } from "../../src/base/id.ts";
import { encodeLine } from "../../src/base/json-line.ts";
import { messagesOf, textOf } from "../agent/scene.ts";
import { contextLimit, error, type Reply, text } from "../model-server/reply.ts";
import { logOf, only, type Place, run } from "../tool/everlong.ts";
import { prose, SUMMARY, stage } from "./stage.ts";

const LIMIT = 16_000;
const TURNS = 100;

/** A log of that many turns of 2,000 tokens, as an earlier process would have left it. */
function writeLog(place: Place, turns: number): string {
  const id = newId();
  const dir = join(place.home, "sessions", id);
  mkdirSync(dir, { recursive: true });
  let parentId: string | null = null;
  const lines: string[] = [];
  const put = (type: string, data: object): void => {
    const event = { id: newId(), type, timestamp: "2026-01-01T00:00:00.000Z", parentId, data };
    lines.push(encodeLine(event));
    parentId = event.id;
  };
  const context = { cwd: place.folder };
  const start = {
    sessionId: id,
    version: 1,
    producer: "everlong",
    everlongVersion: "0",
    startTime: "2026-01-01T00:00:00.000Z",
  };
  put("session.start", { ...start, model: "custom/scripted", modelReason: "test", mode: "interactive", context });
  for (let n = 1; n <= turns; n++) {
    const turnId = `turn-${n}`;
    put("turn.start", { turnId, cause: "user" });
    put("user.message", {
      messageId: `m${n}`,
      turnId,
      ref: `t${n}`,
      content: prose(1_000, `prompt-${n}`),
      source: "user",
      mode: "interactive",
    });
    const answer = {
      messageId: `a${n}`,
      turnId,
      step: 1,
      model: "custom/scripted",
      toolRequests: [],
      finishReason: "stop",
    };
    put("assistant.message", { ...answer, content: prose(900, `answer-${n}`) });
    put("turn.end", { turnId, status: "done", steps: 1, durationMs: 1 });
  }
  writeFileSync(join(dir, "events.jsonl"), lines.join(""));
  return id;
}

/** A summary of a part cites a turn of that part. */
const cited = (body: string): Reply => text(SUMMARY.replace("[t1]", `[t${/\[t(\d+)\]/.exec(body)?.[1] ?? "1"}]`));

describe("CE11 too large to summarise at once", () => {
  it("CE11 CB12 C85 C86 C103 200,000 tokens on a limit of 16,000: parts within the limit, a merge, a result within T", async () => {
    const { place, summaries, mains, server } = await stage(() => text("I am back"), {
      limit: LIMIT,
      summary: (request) => cited(textOf(messagesOf(request).at(-1))),
    });
    const id = writeLog(place, TURNS);
    const done = await run(place, ["--resume", id, "-p", "go on where we were"]);
    expect([done.code, done.stdout], done.stderr).toEqual([0, "I am back\n"]);
    const [applied] = only(logOf(place, id), "session.compaction_complete").map((e) => e.data);
    expect(applied).toMatchObject({ outcome: "applied", trigger: "threshold" });
    const { chunks = 0, compactionTokensUsed } = applied ?? {};
    expect(chunks).toBeGreaterThan(4);
    expect(chunks).toBeLessThanOrEqual(8);
    const asked = summaries().map((r) => textOf(messagesOf(r).at(-1)));
    expect(asked.length).toBe(compactionTokensUsed?.requestCount);
    expect(asked.length).toBeLessThanOrEqual(2 * chunks + 1);
    const parts = asked.filter((a) => a.startsWith("This is part "));
    expect(parts).toHaveLength(chunks);
    expect(asked.slice(chunks).every((a) => a.startsWith("The record of one long session was summarised"))).toBe(true);
    // Every call fits the window, has no tools and a short system text.
    for (const request of summaries()) {
      expect(request.rawBody.length / 4).toBeLessThanOrEqual(LIMIT);
      expect((request.body as { tools?: unknown }).tools).toBeUndefined();
      expect(messagesOf(request).map((m) => m.role)).toEqual(["system", "user"]);
    }
    // Together they read on without a gap from some turn to the newest; the oldest were extracted without a call.
    const read = [...parts.join("").matchAll(/prompt-(\d+) line 1:/g)].map((m) => Number(m[1]));
    const last = read.at(-1) ?? 0;
    expect(last).toBeGreaterThanOrEqual(TURNS - 2);
    expect(read).toEqual(Array.from({ length: read.length }, (_, n) => last - read.length + 1 + n));
    expect(server.requests.filter((r) => r.overLimit)).toEqual([]);

    // Citations in the message resolve.
    const message = textOf(messagesOf(mains()[0])[1]);
    expect(message).toBe(applied?.replacementContent);
    const refs = [...new Set([...message.matchAll(/\[(t\d+)\]/g)].map((m) => m[1] ?? ""))];
    expect(refs.length).toBeGreaterThan(0);
    for (const ref of refs.slice(0, 2)) {
      const found = await run(place, ["recall", ref]);
      expect(found.stdout).toContain(`prompt-${ref.slice(1)} line 1:`);
    }
    const oldest = await run(place, ["recall", "t1.1"]);
    expect(oldest.stdout).toBe(`${prose(1_000, "prompt-1")}\n`);
  });

  it("C103 a summary call refused for size: the second is smaller, never the same input again", async () => {
    const { place, summaries } = await stage(() => text("answer"), {
      refusals: true,
      summary: (_r, n) => (n === 0 ? contextLimit(20_000, 12_000) : text(SUMMARY)),
    });
    const id = writeLog(place, 5);
    const done = await run(place, ["--resume", id, "-p", "/compact"]);
    expect(done.code, done.stderr).toBe(0);
    const sizes = summaries().map((r) => r.rawBody.length);
    expect(sizes.length).toBeGreaterThan(1);
    for (const size of sizes.slice(1)) expect(size).toBeLessThan(12_000 * 4);
    expect(sizes.slice(1).every((size) => size < (sizes[0] ?? 0))).toBe(true);
  });

  it("CB12 C103 N36 parts that keep failing: one retry in all, then the built-in summary stands in", async () => {
    const { place, summaries } = await stage(() => text("answer"), {
      limit: LIMIT,
      summary: (_r, n) => (n < 2 ? text(SUMMARY) : error(500, "down", { headers: { "retry-after-ms": "5" } })),
    });
    const id = writeLog(place, 40);
    const done = await run(place, ["--resume", id, "-p", "go on"]);
    expect([done.code, done.stdout], done.stderr).toEqual([0, "answer\n"]);
    const ends = only(logOf(place, id), "session.compaction_complete").map((e) => e.data);
    expect(ends).toMatchObject([{ outcome: "applied", builtInBecause: "model_error", chunks: 0 }]);
    expect(summaries()).toHaveLength(4);
  });
});
