// A2.4: the same faults on every wire: refusals, broken streams, silence, and what the retries send.
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  cleanEnd,
  contextLimit,
  error,
  failure,
  hang,
  raw,
  reset,
  stall,
  streamError,
  text,
} from "../../test/model-server/reply.ts";
import { type ModelServer, startModelServer } from "../../test/model-server/server.ts";
import { systemClock } from "../base/clock.ts";
import { callModel } from "./call.ts";
import { answerOf, caller, KINDS, requestFor, user } from "./conformance-fixture.ts";
import { callWithRetry } from "./retry.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
let image: string;
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "conformance-"));
  image = join(folder, "dot.png");
  await writeFile(image, PNG);
  return () => rm(folder, { recursive: true });
});

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(async () => {
  await server.close();
  expect(server.rejected.map((request) => request.violation)).toEqual([]);
});

const sent = () => server.requests.at(-1)!;

describe.each(Object.entries(KINDS))("A2.4 %s", (_name, kind) => {
  const { target, ask } = caller(kind, () => server.url);

  it("A2.7 an abort ends the call at once, keeps what came and leaves the server", async () => {
    server.script(stall("Half of it"));
    const controller = new AbortController();
    const outcome = ask({
      signal: controller.signal,
      onPart: (part) => part.type === "text" && part.delta.endsWith("it") && controller.abort(),
    });
    expect(await outcome).toEqual({ type: "aborted", partial: "Half of it" });
    await expect.poll(() => sent().aborted).toBe(true);
    const before = server.requests.length;
    expect(await ask({ signal: AbortSignal.abort() })).toEqual({ type: "aborted" });
    expect(server.requests.length).toBe(before);
  });

  it("A2.13 A2.14 429 and 5xx are worth another try, with the wait that was asked for", async () => {
    server.script(
      error(429, "Slow down", { headers: { "retry-after": "7" } }),
      failure(503),
      failure(529),
      failure(500, undefined, { "x-should-retry": "false" }),
    );
    expect(await ask()).toMatchObject({
      type: "failure",
      code: "rate_limited",
      statusCode: 429,
      retryable: true,
      retryAfterMs: 7000,
    });
    expect(await ask()).toMatchObject({ code: "overloaded", statusCode: 503, retryable: true });
    expect(await ask()).toMatchObject({ code: "overloaded", statusCode: 529, retryable: true });
    expect(await ask()).toMatchObject({ code: "server_error", statusCode: 500, retryable: false });
  });

  it("A2.15 AB8 401, 402, 404 and 400 say what to do, mask the key and are not worth another try", async () => {
    server.script(
      error(401, "Incorrect API key test-key-0123456789"),
      error(402, "No credit"),
      error(404, "No such model"),
      error(400, "Bad field"),
    );
    const denied = await ask();
    expect(denied).toMatchObject({ type: "failure", code: "unauthorized", retryable: false });
    expect(JSON.stringify(denied)).toContain("THE_KEY");
    expect(JSON.stringify(denied)).not.toContain("test-key-0123456789");
    expect(await ask()).toMatchObject({ code: "quota", retryable: false });
    const missing = await ask();
    expect(missing).toMatchObject({ code: "not_found", retryable: false });
    expect(JSON.stringify(missing)).toContain(kind.name);
    expect(JSON.stringify(missing)).toContain(server.url);
    expect(await ask()).toMatchObject({
      code: "invalid_request",
      retryable: false,
      message: expect.stringContaining("Bad field"),
    });
  });

  it("A2.16 AI13 the wire's own context error, in HTTP, in a stream, as 413; never as 429", async () => {
    const limit = "This model's maximum context length is 8000 tokens. However, your messages resulted in 9000 tokens.";
    server.script(
      contextLimit(9000, 8000),
      streamError(limit, { after: "Some" }),
      streamError(limit, { first: true }),
      failure(413, "<html>too large</html>"),
    );
    expect(await ask()).toMatchObject({ type: "context_limit", unit: "tokens" });
    expect(await ask()).toMatchObject({ type: "context_limit", reportedLimit: 8000, reportedTokens: 9000 });
    expect(await ask()).toMatchObject({ type: "context_limit", reportedLimit: 8000 });
    expect(await ask()).toMatchObject({ type: "context_limit", unit: "bytes", statusCode: 413 });
    server.script(
      error(429, `Rate limit: ${limit}`),
      streamError("slow down", { status: 429, code: "rate_limit_exceeded", type: "rate_limit_error" }),
    );
    expect(await ask()).toMatchObject({ type: "failure", code: "rate_limited" });
    expect(await ask()).toMatchObject({ type: "failure", code: "rate_limited", retryable: true });
  });

  it("A2.16 an empty 400 is a context limit only near the limit", async () => {
    server.script(failure(400, ""), failure(400, ""));
    expect(await ask({ estimatedTokens: 900 })).toMatchObject({ type: "context_limit" });
    expect(await ask({ estimatedTokens: 100 })).toMatchObject({ type: "failure", code: "invalid_request" });
  });

  it("A2.8 P19 a reset and a clean end without the terminal event are incomplete calls", async () => {
    server.script(reset("Half an"), cleanEnd("Half an"), cleanEnd());
    for (const partial of ["Half an", "Half an", undefined]) {
      const outcome = await ask();
      expect(outcome).toMatchObject({ type: "failure", code: "incomplete", retryable: true });
      expect(outcome).toEqual(
        partial === undefined
          ? expect.not.objectContaining({ partial: expect.anything() })
          : expect.objectContaining({ partial }),
      );
    }
  });

  it("A2.8 AB5 a call that was cut while it was sent is never an answer", async () => {
    server.script(cleanEnd("Hm.", { insideCall: true }), reset("Hm.", { insideCall: true }));
    expect(await ask()).toMatchObject({ type: "failure", code: "incomplete", partial: "Hm." });
    expect(await ask()).toMatchObject({ type: "failure", code: "incomplete", partial: "Hm." });
  });

  it("A2.8 silence before the first byte and in mid-stream ends the call; slow pieces do not", async () => {
    server.script(hang(), stall("Half"), text("slow but sure", { chunk: 2, chunkDelayMs: 400 }));
    expect(await ask({ idleMs: 200 })).toMatchObject({ type: "failure", code: "incomplete", retryable: true });
    expect(await ask({ idleMs: 1500 })).toMatchObject({ type: "failure", code: "incomplete", partial: "Half" });
    expect(answerOf(await ask({ idleMs: 2500 })).content).toBe("slow but sure");
  });

  it("AB6 a page, an error body and a wrong content type with 200 are bad responses", async () => {
    const page = `<html>${"x".repeat(900)}</html>`;
    server.script(
      raw(200, { "content-type": "text/html" }, page),
      raw(200, { "content-type": "application/json" }, '{"error":{"message":"out of order"}}'),
      failure(502, page),
    );
    const outcome = await ask();
    expect(outcome).toMatchObject({ type: "failure", code: "bad_response", retryable: true });
    expect((outcome as { message: string }).message.length).toBeLessThan(650);
    expect(await ask()).toMatchObject({ code: "bad_response", message: expect.stringContaining("out of order") });
    expect(await ask()).toMatchObject({ code: "bad_response", statusCode: 502, retryable: true });
  });

  it("A2.16 a refusal inside the stream carries what had come, and its own words", async () => {
    server.script(streamError("the engine is on fire", { after: "Partly" }));
    expect(await ask()).toMatchObject({
      type: "failure",
      code: "server_error",
      partial: "Partly",
      message: expect.stringContaining("the engine is on fire"),
    });
  });

  it("A2.23 a redirect is not followed", async () => {
    server.script(raw(307, { location: `${server.url}/elsewhere` }, ""));
    expect(await ask()).toMatchObject({
      type: "failure",
      code: "invalid_request",
      retryable: false,
      message: expect.stringContaining("/elsewhere"),
    });
  });

  it("A2.13 AE3 every retry sends the same bytes; an unreachable server is a network fault", async () => {
    server.script(
      error(429, "wait", { headers: { "retry-after-ms": "1" } }),
      failure(529),
      reset("Half"),
      cleanEnd("Half"),
      text("There."),
    );
    const before = server.requests.length;
    const failures: string[] = [];
    const outcome = await callWithRetry(
      callModel,
      target(),
      requestFor([user("What?", [{ kind: "image", path: image }])]),
      {
        signal: new AbortController().signal,
        onPart: () => {},
        idleMs: 30_000,
        policy: { max: 5, baseMs: 1, maxWaitSeconds: 1 },
        clock: systemClock,
        random: () => 0,
        onFailure: (event) => failures.push(event.code),
      },
    );
    expect(answerOf(outcome).content).toBe("There.");
    expect(failures).toEqual(["rate_limited", "overloaded", "incomplete", "incomplete"]);
    const bodies = server.requests.slice(before).map((request) => request.rawBody);
    expect(bodies.length).toBe(5);
    expect(new Set(bodies).size).toBe(1);
    const broken = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
    await once(broken, "listening");
    const { port } = broken.address() as AddressInfo;
    const baseUrl = `http://127.0.0.1:${port}/v1`;
    expect(await ask({}, target({ baseUrl }))).toMatchObject({ type: "failure", code: "network", retryable: true });
    broken.close();
    await once(broken, "close");
    expect(await ask({}, target({ baseUrl }))).toMatchObject({
      code: "network",
      retryable: false,
      message: `Nothing listens at http://127.0.0.1:${port}. Start the server there, or correct the base URL.`,
    });
  });

  it("AB9 a server of this machine that has answered once may be starting again: a new conversation waits for it too", async () => {
    server.script(text("here"));
    const there = target();
    expect((await ask({}, there)).type).toBe("answer");
    await server.close();
    expect(await ask({}, there)).toMatchObject({
      code: "network",
      retryable: true,
      message: expect.stringMatching(/^No answer from 127\.0\.0\.1:\d+ \(/),
    });
  });

  it("N49 a port that no request may use is refused at once, with what to do", async () => {
    expect(await ask({}, target({ baseUrl: "http://127.0.0.1:9/v1" }))).toMatchObject({
      code: "network",
      retryable: false,
      message: "http://127.0.0.1:9 cannot be used: port 9 belongs to another protocol. Correct the base URL.",
    });
  });

  it("N49 a name that does not resolve is told from a server that is down, with what to check", async () => {
    const host = `${"x".repeat(64)}.invalid`; // too long for a name, so no resolver is asked
    const outcome = await ask({}, target({ baseUrl: `http://${host}/v1` }));
    expect(outcome).toMatchObject({
      type: "failure",
      code: "unknown_host",
      message: `Unknown host ${host}: check the address http://${host}/v1.`,
    });
  });
});
