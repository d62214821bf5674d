// A provider that stumbles: what is tried again, with which bytes, after which wait, and what is kept.
import { describe, expect, it } from "vitest";
import { calls, cleanEnd, empty, failure, reset, stall, text } from "../model-server/reply.ts";
import { logOf, only, run } from "../tool/everlong.ts";
import { bash, messagesOf, scene, toolResults } from "./scene.ts";

const STREAM = ["--output-format", "stream-json"];

describe("AE3 a provider that fails four times", () => {
  it("AE3 gets five equal bodies, the asked wait is kept, and one complete answer stands in the log", async () => {
    const { server, place } = await scene([
      failure(429, undefined, { "retry-after": "1" }),
      failure(529),
      reset("half an ans"),
      cleanEnd("half an ans"),
      text("the whole answer"),
    ]);
    const done = await run(place, ["-p", "go", ...STREAM]);
    expect(done.code, done.stderr).toBe(0);
    expect(server.requests).toHaveLength(5);
    expect(new Set(server.requests.map((r) => r.rawBody)).size).toBe(1);
    expect((server.requests[1]?.at ?? 0) - (server.requests[0]?.at ?? 0)).toBeGreaterThanOrEqual(990);
    const messages = only(done.events, "assistant.message");
    expect(messages.map((m) => m.data.content)).toEqual(["the whole answer"]);
    expect(messages[0]?.data.complete).not.toBe(false);
    const failed = only(done.events, "model.call_failure");
    expect(failed.map((f) => f.data.willRetry)).toEqual([true, true, true, true]);
    expect(failed.slice(0, 2).map((f) => f.data.statusCode)).toEqual([429, 529]);
    // The streamed half belongs to messages that the failures name, never to the one that stands.
    const discarded = failed.map((f) => f.data.messageId);
    expect(discarded).not.toContain(messages[0]?.data.messageId);
    expect(only(logOf(place), "assistant.message")).toHaveLength(1);
  });

  it("AE3 a wait of an hour is not waited for: exit 1 at once, saying when to come back", async () => {
    const { server, place } = await scene([failure(429, undefined, { "retry-after": "3600" })]);
    const done = await run(place, ["-p", "go", "--output-format", "json"]);
    expect(done.code).toBe(1);
    expect(server.requests).toHaveLength(1);
    expect(done.json).toMatchObject({ success: false, error: { code: "wait_too_long" } });
    expect(done.stderr).toMatch(/3600 s.*come back at \d{4}-/);
    const end = only(logOf(place), "turn.end")[0];
    expect(end?.data.status).toBe("failed");
  });
});

describe("A2.8 incomplete answers", () => {
  it("A2.8 a silent stream is cut and tried again; a cut call is never run", async () => {
    const { server, place } = await scene(
      [stall("thinking"), cleanEnd("", { insideCall: bash("touch cut-call-ran") }), text("fine")],
      { env: { EVERLONG_STREAM_IDLE_SECONDS: "3" } },
    );
    const done = await run(place, ["-p", "go", "--allow-all"]);
    expect(done.code, done.stderr).toBe(0);
    expect(done.stdout).toBe("fine\n");
    expect(server.requests).toHaveLength(3);
    expect(only(logOf(place), "tool.execution_start")).toEqual([]);
  });

  it("A2.8 after the last retry the partial text is kept as incomplete, exit 1", async () => {
    const { place } = await scene(() => reset("half an answer"), { env: { EVERLONG_RETRY_MAX: "1" } });
    const done = await run(place, ["-p", "go", "--output-format", "json"]);
    expect(done.code).toBe(1);
    expect(done.json).toMatchObject({ success: false, result: "half an answer" });
    const [kept] = only(logOf(place), "assistant.message");
    expect(kept?.data).toMatchObject({ content: "half an answer", complete: false });
  });
});

describe("A2.9 empty and cut-off answers", () => {
  it("A2.9 an empty answer is tried once more, then it is the error empty_response", async () => {
    const { server, place } = await scene(() => empty());
    const done = await run(place, ["-p", "go", "--output-format", "json"]);
    expect(done.code).toBe(1);
    expect(server.requests).toHaveLength(2);
    expect(done.json).toMatchObject({ success: false, error: { code: "empty_response" } });
    const error = only(logOf(place), "session.error")[0];
    expect(error?.data.errorType).toBe("empty_response");
  });

  it("A2.9 an answer cut at the output limit is kept with a warning and the turn is done", async () => {
    const { place } = await scene([text("as far as it w", { finish: "length" })]);
    const done = await run(place, ["-p", "go"]);
    expect(done.code, done.stderr).toBe(0);
    expect(done.stdout).toBe("as far as it w\n");
    expect(only(logOf(place), "session.warning").map((w) => w.data.warningType)).toEqual(["output_limit"]);
    expect(only(logOf(place), "turn.end")[0]?.data.status).toBe("done");
  });

  it("A2.9 a call cut at the output limit gets an error result and the turn goes on", async () => {
    const { server, place } = await scene([
      calls([{ id: "c1", name: "bash", args: '{"command": "touch cut-call-r' }], { finish: "length" }),
      text("shorter then"),
    ]);
    const done = await run(place, ["-p", "go", "--allow-all"]);
    expect(done.code, done.stderr).toBe(0);
    expect(toolResults(server.requests[1])).toHaveLength(1);
    expect(toolResults(server.requests[1])[0]?.text).toMatch(/Error \(invalid_inputs\)/);
    expect(messagesOf(server.requests[1]).at(-1)?.role).toBe("tool");
  });
});
