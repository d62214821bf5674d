// Every reply on every wire, streamed and whole, as the AI SDK's clients receive it.
import { APICallError } from "@ai-sdk/provider";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { answered, callOptions, clients, question, stream } from "./provider-models.ts";
import {
  calls,
  cleanEnd,
  contextLimit,
  empty,
  error,
  failure,
  hang,
  raw,
  reset,
  stall,
  streamError,
  text,
} from "./reply.ts";
import { type ModelServer, startModelServer } from "./server.ts";

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(async () => {
  expect(server.rejected).toEqual([]);
  await server.close();
});

const thrownBy = (promise: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(promise).then(
    () => undefined,
    (cause: unknown) => cause,
  );

describe.each(Object.entries(clients))("%s", (name, client) => {
  const readsReasoning = name !== "openai chat";
  const usage = { input: 100, output: 20, cacheRead: 40, cacheWrite: 0, reasoning: 5 };

  test("text, reasoning and usage", async () => {
    const reply = text("Hello 🌍 wörld", { reasoning: "Let me think.", usage, chunk: 1 });
    server.script(reply, reply);
    const model = client(server.url);
    const streamed = await stream(model);
    const whole = await model.doGenerate(callOptions());
    const reasoning = readsReasoning ? "Let me think." : "";
    expect(streamed).toMatchObject({
      text: "Hello 🌍 wörld",
      reasoning,
      errors: [],
      finish: { finishReason: { unified: "stop" } },
    });
    expect(whole.content.find((part) => part.type === "text")).toMatchObject({ text: "Hello 🌍 wörld" });
    expect(whole.content.filter((part) => part.type === "reasoning").map((part) => part.text)).toEqual(
      readsReasoning ? [reasoning] : [],
    );
    for (const counted of [streamed.finish?.usage, whole.usage]) {
      expect(counted).toMatchObject({
        inputTokens: { total: 100, noCache: 60, cacheRead: 40 },
        outputTokens: { total: 20, text: 15, reasoning: 5 },
      });
    }
    expect(server.requests.map((request) => request.stream)).toEqual([true, false]);
  });

  test("parallel calls, and the history with reasoning and results is accepted", async () => {
    const wanted = [
      { name: "view", args: { path: "a" } },
      { name: "view", args: { path: "b" } },
    ];
    server.script(
      calls(wanted, { text: "Looking.", reasoning: "Both files." }),
      calls(wanted, { text: "Looking.", reasoning: "Both files." }),
      calls([{ name: "view", args: {} }], { reasoning: "Again." }),
      text("Done."),
    );
    const model = client(server.url);
    const streamed = await stream(model);
    expect(streamed.calls).toEqual([
      { name: "view", input: '{"path":"a"}' },
      { name: "view", input: '{"path":"b"}' },
    ]);
    expect(streamed).toMatchObject({ text: "Looking.", finish: { finishReason: { unified: "tool-calls" } } });
    const first = await model.doGenerate(callOptions());
    const history = answered(question, first.content);
    const second = await model.doGenerate(callOptions(history));
    const last = await model.doGenerate(callOptions(answered(history, second.content)));
    expect(last.content).toMatchObject([{ type: "text", text: "Done." }]);
  });

  test("broken arguments reach the client as sent, where the wire carries a string", async () => {
    server.script(calls([{ name: "view", args: '{"path": "a' }]));
    const { calls: received } = await stream(client(server.url));
    expect(received).toEqual([{ name: "view", input: name === "google" ? "{}" : '{"path": "a' }]);
  });

  test.each([
    ["length", "length"],
    ["content_filter", "content-filter"],
  ] as const)("finish %s", async (finish, unified) => {
    server.script(text("Part", { finish }), text("Part", { finish }));
    const model = client(server.url);
    expect(await stream(model)).toMatchObject({ text: "Part", finish: { finishReason: { unified } } });
    expect(await model.doGenerate(callOptions())).toMatchObject({ finishReason: { unified } });
  });

  test("an empty answer, and one without usage", async () => {
    server.script(empty(), empty(), text("Hi", { usage: null }));
    const model = client(server.url);
    expect(await stream(model)).toMatchObject({
      text: "",
      calls: [],
      errors: [],
      finish: { finishReason: { unified: "stop" } },
    });
    expect((await model.doGenerate(callOptions())).content).toEqual([]);
    const { finish } = await stream(model);
    expect(finish?.usage.inputTokens.total).toBe(name === "anthropic" ? 0 : undefined);
  });

  test("HTTP failures in the provider's shape, or as given", async () => {
    server.script(
      failure(429, undefined, { "retry-after": "7" }),
      error(401, "No such key."),
      failure(502, "<html>bad</html>"),
      contextLimit(9, 8),
    );
    const model = client(server.url);
    const limited = await thrownBy(model.doStream(callOptions()));
    expect(limited).toMatchObject({ statusCode: 429, isRetryable: true, responseHeaders: { "retry-after": "7" } });
    const denied = await thrownBy(model.doGenerate(callOptions()));
    expect(denied).toMatchObject({ statusCode: 401, message: "No such key.", isRetryable: false });
    expect(await thrownBy(model.doStream(callOptions()))).toMatchObject({
      statusCode: 502,
      responseBody: "<html>bad</html>",
    });
    const tooLong = await thrownBy(model.doStream(callOptions()));
    expect(tooLong).toMatchObject({ statusCode: 400, message: expect.stringMatching(/context|too long|exceeds/) });
    for (const cause of [limited, denied, tooLong]) expect(APICallError.isInstance(cause)).toBe(true);
  });

  test("an error event in mid-stream", async () => {
    server.script(
      streamError("Overloaded", { after: "Some text", status: 503 }),
      streamError("Overloaded", { status: 503 }),
    );
    const model = client(server.url);
    const streamed = await stream(model);
    expect(streamed).toMatchObject({ text: "Some text", errors: [{ message: "Overloaded" }] });
    expect(streamed.finish?.finishReason.unified).not.toBe("stop");
    expect(await thrownBy(model.doGenerate(callOptions()))).toMatchObject({ statusCode: 503, message: "Overloaded" });
  });

  test("an error as the first event", async () => {
    server.script(streamError("Overloaded", { first: true }));
    const { errors, thrown, text: received } = await stream(client(server.url));
    expect(received).toBe("");
    expect([...errors, thrown]).toContainEqual(expect.objectContaining({ message: "Overloaded" }));
  });

  test("a reset after some text", async () => {
    server.script(reset("Some text"), reset("Some text"));
    const model = client(server.url);
    const streamed = await stream(model);
    expect(streamed).toMatchObject({ text: "Some text", thrown: { isRetryable: true } });
    expect(streamed.finish).toBeUndefined();
    expect(await thrownBy(model.doGenerate(callOptions()))).toMatchObject({ isRetryable: true });
    expect(server.requests.map((request) => request.aborted)).toEqual([false, false]);
  });

  test("a clean end without the terminal event never looks complete", async () => {
    server.script(cleanEnd("Some text"), cleanEnd("Some text"));
    const model = client(server.url);
    const streamed = await stream(model);
    expect(streamed.text).toBe("Some text");
    expect(streamed.finish?.finishReason.unified).toBe(name === "openai compatible" ? "error" : "interrupted");
    expect(await thrownBy(model.doGenerate(callOptions()))).toMatchObject({ message: "Invalid JSON response" });
  });

  test.each([
    ["reset", reset],
    ["clean end", cleanEnd],
  ] as const)("a %s inside a call leaves no call that could be run", async (_how, cut) => {
    server.script(cut("Some text", { insideCall: { name: "view", args: { path: "a/rather/long/path" } } }));
    const { calls: received, parts, text: before } = await stream(client(server.url));
    expect(before).toBe("Some text");
    for (const { input } of received) expect(() => JSON.parse(input)).toThrow();
    if (name !== "google") expect(parts.filter((part) => part.type === "tool-input-delta").length).toBeGreaterThan(1);
  });

  test.each([
    ["hang", hang()],
    ["stall", stall("Some text")],
  ] as const)("a %s lasts until the client leaves", async (_how, reply) => {
    server.script(reply);
    const gone = new AbortController();
    const running = stream(client(server.url), callOptions(question, gone.signal));
    await server.waitFor(1);
    expect(await Promise.race([running, new Promise((resolve) => setTimeout(resolve, 60, "waiting"))])).toBe("waiting");
    gone.abort();
    expect((await running).thrown).toMatchObject({ name: "AbortError" });
    await expect.poll(() => server.requests[0]?.aborted).toBe(true);
  });

  test("a held answer ends when it is released", async () => {
    let release = (): void => {};
    server.script(text("Hello", { hold: new Promise((resolve) => (release = resolve)) }));
    const running = stream(client(server.url));
    await server.waitFor(1);
    expect(await Promise.race([running, new Promise((resolve) => setTimeout(resolve, 60, "waiting"))])).toBe("waiting");
    release();
    expect(await running).toMatchObject({ text: "Hello", finish: { finishReason: { unified: "stop" } } });
    expect(server.requests[0]?.aborted).toBe(false);
  });

  test("raw bytes are sent as they are", async () => {
    server.script(raw(418, { "x-own": "1" }, "short and stout"));
    const cause = await thrownBy(client(server.url).doGenerate(callOptions()));
    expect(cause).toMatchObject({
      statusCode: 418,
      responseBody: "short and stout",
      responseHeaders: { "x-own": "1" },
    });
  });
});

test("the wire's own finish word replaces the usual one", async () => {
  server.script(text("Part", { finishRaw: "model_context_window_exceeded" }));
  const { finish } = await stream(clients.anthropic?.(server.url) ?? expect.unreachable());
  expect(finish?.finishReason).toEqual({ unified: "length", raw: "model_context_window_exceeded" });
});
