// The server itself: script, recording, routes, limits and its end.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { calls, hang, text } from "./reply.ts";
import { type ModelServer, startModelServer } from "./server.ts";

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

const ask = (
  path = "/v1/chat/completions",
  body: object = { model: "m", messages: [{ role: "user", content: "Hi" }] },
): Promise<Response> =>
  fetch(server.url + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Own": "1" },
    body: JSON.stringify(body),
  });

const answerOf = async (response: Response): Promise<unknown> => {
  const body = (await response.json()) as { choices: { message: { content: string } }[] };
  return body.choices[0]?.message.content;
};

describe("script", () => {
  test("replies come in order, then the fallback, which sees the request", async () => {
    server.script(text("one"), text("two"));
    server.always((request, index) => text(`${index}: ${request.model}`));
    expect([await answerOf(await ask()), await answerOf(await ask()), await answerOf(await ask())]).toEqual([
      "one",
      "two",
      "2: m",
    ]);
  });

  test("a function can be the script, also a slow one", async () => {
    await server.close();
    server = await startModelServer({ script: async (_request, index) => text(`answer ${index}`) });
    expect([await answerOf(await ask()), await answerOf(await ask())]).toEqual(["answer 0", "answer 1"]);
  });

  test("a request without a reply is refused and noted", async () => {
    const response = await ask();
    expect(response.status).toBe(400);
    expect(server.rejected).toMatchObject([
      { index: 0, violation: "model-server: no reply is scripted for request 0" },
    ]);
  });

  test("a refused request uses up no reply", async () => {
    server.script(text("one"));
    expect((await ask("/v1/chat/completions", { model: "m", messages: [] })).status).toBe(400);
    expect(await answerOf(await ask())).toBe("one");
    expect(server.requests).toHaveLength(2);
    expect(server.rejected).toEqual([server.requests[0]]);
  });

  test("a lenient server answers anything", async () => {
    await server.close();
    server = await startModelServer({ strict: false, script: [text("one")] });
    expect((await ask("/v1/chat/completions", {})).status).toBe(200);
  });

  test("ids are unique through requests and servers", async () => {
    const other = await startModelServer({ script: [calls([{ name: "view" }])] });
    server.script(calls([{ name: "view" }, { name: "view" }]), calls([{ name: "view" }]));
    const bodies = [await (await ask()).text(), await (await ask()).text()];
    bodies.push(
      await (
        await fetch(`${other.url}/v1/chat/completions`, { method: "POST", body: server.requests[0]?.rawBody ?? "" })
      ).text(),
    );
    const ids = bodies.flatMap((body) => body.match(/call_\w+/g) ?? []);
    expect(new Set(ids).size).toBe(4);
    await other.close();
  });
});

test("a request is recorded as it came", async () => {
  server.script(text("one"));
  await ask("/api/v1/chat/completions?x=1");
  expect(server.requests).toMatchObject([
    {
      wire: "openai-chat",
      path: "/api/v1/chat/completions",
      query: "x=1",
      model: "m",
      stream: false,
      index: 0,
      overLimit: false,
      aborted: false,
    },
  ]);
  const [request] = server.requests;
  expect(request?.headers["x-own"]).toBe("1");
  expect(JSON.parse(request?.rawBody ?? "")).toEqual(request?.body);
});

test("waiting for requests", async () => {
  server.script(hang());
  await expect(server.waitFor(1, 20)).rejects.toThrow("0 of 1 model requests arrived within 20 ms");
  const waiting = server.waitFor(1);
  const left = new AbortController();
  const running = fetch(`${server.url}/v1/chat/completions`, { method: "POST", body: "{}", signal: left.signal }).catch(
    (cause: unknown) => cause,
  );
  await waiting;
  left.abort();
  await running;
});

test("closing ends what hangs, and is not the client leaving", async () => {
  server.script(hang());
  const running = ask().catch((cause: unknown) => cause);
  await server.waitFor(1);
  await server.close();
  expect(await running).toBeInstanceOf(Error);
  expect(server.requests[0]?.aborted).toBe(false);
});

test("time before the first byte and between pieces", async () => {
  server.script(text("abc", { chunk: 1, delayMs: 60, chunkDelayMs: 30 }));
  const start = performance.now();
  const response = await ask("/v1/chat/completions", {
    model: "m",
    stream: true,
    messages: [{ role: "user", content: "Hi" }],
  });
  expect(performance.now() - start).toBeGreaterThan(55);
  await response.text();
  expect(performance.now() - start).toBeGreaterThan(60 + 3 * 30 - 5);
});

describe("a token limit", () => {
  test.each([
    [
      "/v1/chat/completions",
      { model: "m", messages: [{ role: "user", content: "x".repeat(400) }] },
      /maximum context length is 50 tokens/,
    ],
    ["/v1/responses", { model: "m", input: "x".repeat(400) }, /exceeds the context window/],
    [
      "/v1/messages",
      { model: "m", max_tokens: 9, messages: [{ role: "user", content: "x".repeat(400) }] },
      /prompt is too long: \d+ tokens > 50 maximum/,
    ],
    [
      "/v1beta/models/m:generateContent",
      { contents: [{ role: "user", parts: [{ text: "x".repeat(400) }] }] },
      /input token count \(\d+\) exceeds .* \(50\)/,
    ],
  ])("%s", async (path, body, message) => {
    const limited = await startModelServer({ maxTokens: 50 });
    const headers = { "anthropic-version": "2023-06-01" };
    const response = await fetch(limited.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(message);
    expect(limited.requests).toMatchObject([{ overLimit: true }]);
    expect(limited.rejected).toEqual([]);
    await limited.close();
  });
});

describe("requests that ask no model", () => {
  const get = async (path: string): Promise<unknown> => (await fetch(server.url + path)).json();

  test("model list and token counts use up no reply", async () => {
    expect(await get("/v1/models")).toMatchObject({ object: "list", data: [{ id: "scripted", object: "model" }] });
    expect(await (await ask("/v1/messages/count_tokens", { text: "x".repeat(89) })).json()).toEqual({
      input_tokens: 25,
    });
    expect(await (await ask("/v1beta/models/m:countTokens", { text: "x".repeat(89) })).json()).toEqual({
      totalTokens: 25,
    });
    expect(server.requests).toEqual([]);
    expect(server.side.map((request) => request.path)).toEqual([
      "/v1/models",
      "/v1/messages/count_tokens",
      "/v1beta/models/m:countTokens",
    ]);
  });

  test("Ollama's API, on a server with models", async () => {
    expect((await fetch(`${server.url}/api/tags`)).status).toBe(404);
    await server.close();
    server = await startModelServer({ models: ["llama"], ollama: { loadedContext: 8192, numCtx: 4096 } });
    expect(await get("/api/tags")).toMatchObject({ models: [{ name: "llama" }] });
    expect(await get("/api/ps")).toMatchObject({ models: [{ name: "llama", context_length: 8192 }] });
    const shown = await ask("/api/show", { model: "llama" });
    expect(await shown.json()).toMatchObject({
      parameters: expect.stringMatching(/num_ctx +4096/),
      capabilities: ["completion", "tools"],
    });
    expect((await ask("/api/show", { model: "other" })).status).toBe(404);
  });

  test("anything else is 404 in JSON", async () => {
    expect(await get("/v2/unknown")).toMatchObject({ error: { message: "Unknown request URL: GET /v2/unknown." } });
  });
});
