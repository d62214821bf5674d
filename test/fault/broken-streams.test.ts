// P19: an answer that breaks anywhere is never stored as whole, its calls never run, and nothing hangs.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { newIssued } from "../model-server/issued.ts";
import type { Recorded, WireName } from "../model-server/recorded.ts";
import { type Call, calls, raw, reset, stall, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { beforeClose } from "../model-server/sse.ts";
import { anthropic } from "../model-server/wire/anthropic.ts";
import { gemini } from "../model-server/wire/gemini.ts";
import { openaiChat } from "../model-server/wire/openai-chat.ts";
import { openaiResponses } from "../model-server/wire/openai-responses.ts";
import { newDraft } from "../model-server/wire/wire.ts";
import { brokenCopy } from "../tool/broken-copy.ts";
import { atEventEdge, type Chaos, type ChaosProxy, startChaosProxy } from "../tool/chaos-proxy.ts";
import { logOf, only, placeFor, run, start } from "../tool/everlong.ts";

const wires = { "openai-chat": openaiChat, "openai-responses": openaiResponses, anthropic, gemini };
const SHIFTS = [-1, 0, 1];
const EDGES = 35;
const said = "the quick brown fox jumps over the lazy dog, ".repeat(4);
const call: Call = { name: "bash", args: { command: "echo ran >> ran.txt", description: "must never run" } };

let server: ModelServer;
let proxy: ChaosProxy | undefined;
afterEach(async () => {
  await proxy?.close();
  proxy = undefined;
  await server.close();
});

/** The same answer, ended cleanly at a byte before its closing events: what an SDK may take for success. */
function cleanEndAt(request: Recorded, n: number) {
  const draft = newDraft(`cut${n}`, request, newIssued(), { text: said, calls: [call], options: { chunk: 4 } });
  const frames = beforeClose(wires[request.wire].frames(draft));
  const edge = Math.min(frames.length - 1, 1 + Math.floor(n / SHIFTS.length));
  const bytes = frames
    .slice(0, edge)
    .map((f) => f.bytes)
    .join("");
  return raw(
    200,
    { "content-type": "text/event-stream" },
    bytes.slice(0, bytes.length + (SHIFTS[n % SHIFTS.length] ?? 0)),
  );
}

const byReset = EDGES * SHIFTS.length;
const byHalfClose = byReset;
const byEnd = 40;

/** Each connection is cut at the next edge, first by resets, then by half-closes; later ones pass. */
function nextCut(connection: number): Chaos {
  if (connection >= byReset + byHalfClose) return { mode: "pass" };
  const n = connection % byReset;
  const cut = atEventEdge(1 + Math.floor(n / SHIFTS.length), SHIFTS[n % SHIFTS.length] ?? 0);
  return { mode: connection < byReset ? "reset-after" : "half-close-after", cut };
}

describe("P19 A2.8 broken streams", () => {
  it.each(Object.keys(wires) as WireName[])(
    "P19 %s: 250 cuts around every event edge, then the whole answer: one message, no call run",
    async (wire) => {
      server = await startModelServer();
      const cut = byReset + byHalfClose;
      server.always((request, index) => {
        if (index < cut) return calls([call], { text: said, chunk: 4 });
        return index < cut + byEnd ? cleanEndAt(request, index - cut) : text("whole at last");
      });
      proxy = await startChaosProxy(server.url, nextCut);
      const place = placeFor(
        { url: proxy.url },
        { EVERLONG_WIRE: wire, EVERLONG_RETRY_MAX: "1000", EVERLONG_RETRY_BASE_MS: "0" },
      );
      const done = await run(place, ["-p", "go", "--allow-all", "--output-format", "stream-json"]);
      expect(done.code, done.stderr.slice(-2000)).toBe(0);
      expect(existsSync(join(place.folder, "ran.txt"))).toBe(false);
      const messages = only(logOf(place), "assistant.message").map((e) => e.data);
      expect(messages.map((m) => [m.content, m.complete])).toEqual([["whole at last", undefined]]);
      expect(only(done.events, "model.call_failure").length).toBe(cut + byEnd);
      expect(server.requests.length).toBe(cut + byEnd + 1);
      expect(new Set(server.requests.map((r) => r.rawBody)).size).toBe(1);
      expect(server.rejected).toEqual([]);
    },
  );

  it("P19 A2.8 after the last retry the partial text is kept as incomplete, for a reset and for silence", async () => {
    server = await startModelServer();
    for (const reply of [reset("half of it"), stall("half of it")]) {
      server.script(reply);
      const place = placeFor(server, { EVERLONG_RETRY_MAX: "0", EVERLONG_STREAM_IDLE_SECONDS: "3" });
      const done = await run(place, ["-p", "go", "--output-format", "json"]);
      expect(done.code).toBe(1);
      expect(done.json).toMatchObject({ success: false, error: { code: "incomplete" } });
      const messages = only(logOf(place), "assistant.message").map((e) => e.data);
      expect(messages).toMatchObject([
        { content: "half of it", complete: false, finishReason: "error", toolRequests: [] },
      ]);
      server.script(text("resumed"));
      expect((await run(place, ["--continue", "-p", "again"])).code).toBe(0);
    }
    expect(server.rejected).toEqual([]);
  });

  it("P19 an answer in slices of one byte is the same answer", async () => {
    server = await startModelServer();
    server.script(text(`${said}é漢👩‍👧`));
    proxy = await startChaosProxy(server.url, () => ({ mode: "slice", bytes: 1 }));
    const done = await run(placeFor({ url: proxy.url }), ["-p", "go"]);
    expect(done.stdout.trim()).toBe(`${said}é漢👩‍👧`);
  });

  it("P19 the upstream is let go after we left", async () => {
    server = await startModelServer();
    server.script(text(said, { chunk: 1, chunkDelayMs: 50 }));
    const child = start(placeFor(server), ["-p", "go"]);
    await server.waitFor(1);
    child.kill("SIGKILL");
    await child.done;
    await expect.poll(() => server.requests[0]?.aborted).toBe(true);
  });

  it("T4 a build that takes a clean end for success is seen", async () => {
    server = await startModelServer();
    server.always((request) => cleanEndAt(request, 30));
    const bin = brokenCopy(/if \(\w+ \|\| !\w+ \|\| \w+ === void 0 \|\| [^)]*\) return/, "if (false) return");
    const place = { ...placeFor(server, { EVERLONG_RETRY_MAX: "0", EVERLONG_WIRE: "gemini" }), bin };
    await run(place, ["-p", "go"]);
    expect(only(logOf(place), "assistant.message").some((e) => e.data.complete !== false)).toBe(true);
  });
});
