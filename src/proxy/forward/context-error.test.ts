// Managed requests: a refusal for size is known before the client has seen a byte, and told so that the client survives.
import { brotliCompressSync, createGzip, gzipSync, zstdCompressSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import type { WireName } from "../../schema/model.ts";
import type { Family } from "../contract.ts";
import { clientGone } from "./deliver.ts";
import { closeAll, LIMITS, pool, sse, upstream } from "./forward-fixture.ts";
import { send } from "./send.ts";
import {
  completed,
  created,
  delta,
  EVENTS,
  failed,
  post,
  progress,
  recognise,
  through,
  tooLong,
} from "./send-fixture.ts";
import { deliverRefusal } from "./survivable.ts";

afterEach(closeAll);

describe("context errors (X90)", () => {
  const OPENAI =
    "This model's maximum context length is 60000 tokens. However, your messages resulted in 90000 tokens. Please reduce the length.";
  it.each<[WireName, number, string, number | undefined]>([
    ["openai-chat", 400, JSON.stringify({ error: { message: OPENAI, code: "context_length_exceeded" } }), 60_000],
    ["openai-responses", 400, JSON.stringify({ error: tooLong }), undefined],
    [
      "anthropic",
      400,
      '{"type":"error","error":{"message":"prompt is too long: 90000 tokens > 60000 maximum"}}',
      60_000,
    ],
    ["anthropic", 413, '{"type":"error","error":{"type":"request_too_large"}}', undefined],
    [
      "gemini",
      400,
      '{"error":{"message":"The input token count (90000) exceeds the maximum number of tokens allowed (60000)."}}',
      60_000,
    ],
    ["openai-chat", 413, "<html>", undefined],
  ])("%s %i is recognised, and the answer can still be delivered", async (wire, status, body, limit) => {
    const origin = await upstream((_req, res) => void res.writeHead(status, { "x-request-id": "r1" }).end(body));
    const { got, sent } = await through(origin, { wire, recognise });
    expect(sent).toMatchObject({ type: "context-error", refused: { status, body } });
    if (sent.type === "context-error") expect(sent.limit.reportedLimit).toBe(limit);
    expect([got.status, got.body.toString(), got.raw.slice(0, 2)]).toEqual([status, body, ["x-request-id", "r1"]]);
  });

  it.each(["gzip", "br", "zstd"])("a body in %s is read, and passes as it came", async (encoding) => {
    const pack = { gzip: gzipSync, br: brotliCompressSync, zstd: zstdCompressSync }[encoding] ?? gzipSync;
    const packed = pack(JSON.stringify({ error: tooLong }));
    const origin = await upstream((_req, res) => void res.writeHead(400, { "content-encoding": encoding }).end(packed));
    const { got, sent } = await through(origin, { recognise });
    expect(sent.type).toBe("context-error");
    expect(got.body.equals(packed)).toBe(true);
  });

  it.each([
    [429, '{"error":{"message":"Rate limit reached: maximum context length is 60000 tokens per min"}}'],
    [529, '{"error":{"type":"overloaded_error"}}'],
    [400, '{"error":{"message":"bad tool"}}'],
    [401, "{}"],
  ])("XB16 %i %s passes on", async (status, body) => {
    const origin = await upstream((_req, res) => void res.writeHead(status, { "retry-after": "3" }).end(body));
    const { got, sent } = await through(origin, { recognise });
    expect(sent.type).toBe("answer");
    expect([got.status, got.body.toString(), got.raw.slice(0, 2)]).toEqual([status, body, ["retry-after", "3"]]);
  });

  it("an error of more than 1 MiB passes on, byte for byte", async () => {
    const body = Buffer.from(`{"error":"context_length_exceeded ${"x".repeat(3_000_000)}"}`);
    const origin = await upstream((_req, res) => void res.writeHead(400).end(body));
    const { got, sent } = await through(origin, { recognise });
    expect(sent.type).toBe("answer");
    expect(got.body.equals(body)).toBe(true);
  });

  it("without `recognise` nothing is held and nothing is taken for a context error", async () => {
    const origin = await upstream((_req, res) => void res.writeHead(400).end(JSON.stringify({ error: tooLong })));
    expect((await through(origin, {})).sent.type).toBe("answer");
  });

  it.each([
    ["response.failed", sse(created, progress, failed)],
    ["an error event", sse(created, { type: "error", ...tooLong }, failed)],
    ["events with names", `event: response.created\n${sse(created)}event: response.failed\n${sse(failed)}`],
  ])("%s before any output is a context error; the stream can still be delivered", async (_name, stream) => {
    const origin = await upstream((_req, res) => void res.writeHead(200, EVENTS).end(stream));
    const { got, sent } = await through(origin, { recognise });
    expect(sent.type).toBe("context-error");
    expect([got.status, got.body.toString(), got.broken]).toEqual([200, stream, undefined]);
  });

  it("response.failed within a gzip stream is seen as well", async () => {
    const origin = await upstream((_req, res) => {
      res.writeHead(200, { ...EVENTS, "content-encoding": "gzip" });
      const gzip = createGzip();
      gzip.pipe(res);
      gzip.write(sse(created));
      gzip.flush(() => gzip.write(sse(failed)) && gzip.flush());
    });
    const dispatcher = pool();
    const target = { dispatcher, origin, path: "/", method: "POST", headers: [] };
    const abort = new AbortController();
    const options = { wire: "openai-responses", limits: LIMITS, strict: true, collect: false } as const;
    const sent = await send(Buffer.from("{}"), target, { ...options, recognise, signal: abort.signal });
    expect(sent.type).toBe("context-error");
    abort.abort();
  });

  it("response.failed after output passes", async () => {
    const stream = sse(created, delta, failed);
    const origin = await upstream((_req, res) => void res.writeHead(200, EVENTS).end(stream));
    const { got, sent } = await through(origin, { recognise });
    expect([sent.type, got.body.toString()]).toEqual(["answer", stream]);
  });

  it("opening events are held for a while, other wires' not at all", async () => {
    // It says no more until both have been let through: who held for ever would never be.
    const rest = Promise.withResolvers<void>();
    const origin = await upstream(async (_req, res) => {
      res.writeHead(200, EVENTS).write(sse(created));
      await rest.promise;
      res.end(sse(delta, completed));
    });
    const dispatcher = pool();
    const order: WireName[] = [];
    const waited = async (wire: WireName) => {
      const options = { wire, limits: LIMITS, strict: true, collect: false, recognise };
      const signal = new AbortController().signal;
      const target = { dispatcher, origin, path: "/", method: "POST", headers: [] };
      await send(Buffer.from("{}"), target, { ...options, signal });
      order.push(wire);
    };
    await Promise.all([waited("openai-responses"), waited("openai-chat")]);
    rest.resolve();
    expect(order).toEqual(["openai-chat", "openai-responses"]);
  });
});

describe("refused for good (X92)", () => {
  it.each<[Family, number]>([
    ["codex", 400],
    ["copilot", 413],
    ["claude", 200],
  ])("%s gets %i for response.failed", async (family, status) => {
    const stream = sse(created, failed);
    const origin = await upstream((_req, res) => void res.writeHead(200, EVENTS).end(stream));
    const dispatcher = pool();
    const front = await upstream(async (_req, res) => {
      const target = { dispatcher, origin, path: "/", method: "POST", headers: [] };
      const options = { wire: "openai-responses", limits: LIMITS, strict: true, collect: false, recognise } as const;
      const sent = await send(Buffer.from("{}"), target, { ...options, signal: clientGone(res) });
      if (sent.type !== "context-error") throw new Error(sent.type);
      await deliverRefusal(sent, res, { family, wire: "openai-responses", headers: ["X-Everlong-Action", "retry"] });
    });
    const got = await post(front);
    expect([got.status, got.broken]).toEqual([status, undefined]);
    expect(got.raw).toContain("X-Everlong-Action");
    if (status === 200) expect(got.body.toString()).toBe(stream);
    else expect(JSON.parse(got.body.toString()).error.code).toBe("context_length_exceeded");
  });
});
