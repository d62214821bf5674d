// Managed requests: answers pass as they came, and a torso never looks whole.
import { request } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { closeAll, get, rawUpstream, sending, sse, upstream } from "./forward-fixture.ts";
import type { SendOutcome } from "./send.ts";
import { completed, created, delta, EVENTS, JSON_TYPE, post, recognise, through } from "./send-fixture.ts";

afterEach(closeAll);

describe("the end of a stream (X87)", () => {
  const OK = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
  const torso = sse(created, delta);

  it.each([
    ["all at once", torso],
    ["held opening only", sse(created)],
    ["nothing", ""],
  ])("XB18 a clean end without terminal event resets the client: %s", async (_name, stream) => {
    const origin = await upstream((_req, res) => void res.writeHead(200, EVENTS).end(stream));
    const { url, delivered } = await sending(origin, { recognise });
    const got = await post(url).catch((error: NodeJS.ErrnoException) => ({ broken: error.code }));
    expect(got.broken).toBe("ECONNRESET");
    expect(await delivered[0]).toMatchObject({ outcome: "incomplete", failure: "no_terminal_event" });
  });

  it("XB18 half-close counts as such an end, and what came before it was delivered", async () => {
    const origin = await rawUpstream(async (socket) => {
      socket.write(OK + torso);
      await sleep(50);
      socket.end();
    });
    const { got } = await through(origin, {});
    expect([got.body.toString(), got.broken]).toEqual([torso, "ECONNRESET"]);
  });

  it("proxy.strictStreams=off mirrors it", async () => {
    const origin = await upstream((_req, res) => void res.writeHead(200, EVENTS).end(torso));
    const { got, observed } = await through(origin, { strict: false });
    expect([got.body.toString(), got.broken, observed.terminal]).toEqual([torso, undefined, false]);
  });

  it("a compressed stream is judged by what it holds, whole or cut", async () => {
    const whole = gzipSync(sse(created, delta, completed));
    const bytes = {
      whole,
      torn: gzipSync(torso),
      cut: whole.subarray(0, whole.length - 30),
      rubbish: Buffer.from("no"),
    };
    const origin = await upstream((req, res) => {
      const body = bytes[req.url?.slice(1) as keyof typeof bytes];
      res.writeHead(200, { ...EVENTS, "content-encoding": "gzip" }).end(body);
    });
    const { url } = await sending(origin, {});
    const broken = async (name: string) => (await get(`${url}/${name}`, { method: "POST" })).broken;
    expect(await Promise.all(["whole", "torn", "cut", "rubbish"].map(broken))).toEqual([
      undefined,
      "ECONNRESET",
      "ECONNRESET",
      undefined,
    ]);
  });

  it("only event streams with status 2xx are judged", async () => {
    const origin = await upstream((req, res) => {
      if (req.url === "/json") res.writeHead(200, JSON_TYPE).end('{"id":1}');
      else res.writeHead(500, EVENTS).end("data: {}\n\n");
    });
    const { url } = await sending(origin, { wire: "openai-chat" });
    for (const path of ["/json", "/error"]) expect((await get(url + path, { method: "POST" })).broken).toBeUndefined();
  });

  it("a broken upstream within a watched stream resets the client and is recorded", async () => {
    const origin = await rawUpstream(async (socket) => {
      socket.write(OK + torso);
      await sleep(50);
      socket.resetAndDestroy();
    });
    const { got, observed, delivered } = await through(origin, {});
    expect([got.body.toString(), got.broken]).toEqual([torso, "ECONNRESET"]);
    expect(delivered).toMatchObject({ outcome: "incomplete", failure: "upstream_broken" });
    expect(observed.terminal).toBe(false);
  });
});

describe("clients that leave or do not read", () => {
  it.each([
    ["before the head", ""],
    ["while the opening is held", sse(created)],
    ["within the stream", sse(created, delta)],
  ])("X88 %s: the upstream's call ends", async (_name, start) => {
    const closed = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const origin = await rawUpstream((socket) => {
      socket.on("end", () => closed.resolve());
      if (start !== "") socket.write(`HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n${start}`);
      asked.resolve();
    });
    const { url, delivered } = await sending(origin, { recognise });
    const client = connect(Number(new URL(url).port), "127.0.0.1", () => {
      client.write("POST / HTTP/1.1\r\nHost: me\r\nContent-Length: 2\r\n\r\n{}");
    });
    await asked.promise;
    await sleep(100);
    client.destroy();
    await closed.promise;
    expect(await delivered[0]).toMatchObject({ outcome: "incomplete", failure: "client_gone" });
  });

  it("XE9 a stopped reader pauses the upstream of a watched stream too", async () => {
    const piece = sse({ ...delta, delta: "x".repeat(65_000) });
    let written = 0;
    const origin = await upstream(async (_req, res) => {
      res.writeHead(200, EVENTS);
      for (; written < 400; written++) if (!res.write(piece)) await new Promise((next) => res.once("drain", next));
      res.end(sse(completed));
    });
    const { url, delivered } = await sending(origin, { recognise, limits: { firstByteMs: 30_000, silenceMs: 1000 } });
    const bytes = await new Promise<number>((resolve, reject) => {
      request(url, { method: "POST", agent: false }, async (res) => {
        res.pause();
        await sleep(1500);
        expect(written).toBeLessThan(200);
        let got = 0;
        for await (const chunk of res as AsyncIterable<Buffer>) got += chunk.length;
        resolve(got);
      })
        .on("error", reject)
        .end("{}");
    });
    expect(await delivered[0]).toEqual({ outcome: "complete", status: 200, bytes });
  });
});

describe("passing on", () => {
  it("XI3 the very bytes go out and come back; our headers are added, usage is seen, records on demand", async () => {
    const body = '{"messages": [ {"a":1.0,\t"b":"\\u0041"} ] }';
    const answer = '{"choices":[{"finish_reason":"stop"}], "usage":{"prompt_tokens":10.0,"completion_tokens":2}}';
    let sentBody = "";
    const origin = await upstream(async (req, res) => {
      for await (const chunk of req) sentBody += chunk;
      res.writeHead(200, JSON_TYPE).end(answer);
    });
    let sent: SendOutcome | undefined;
    const { url } = await sending(origin, { wire: "openai-chat", collect: true }, (seen) => {
      sent = seen;
    });
    const got = await post(url, body);
    expect([sentBody, got.body.toString()]).toEqual([body, answer]);
    expect(got.raw).toContain("X-Everlong-Action");
    const observed = sent?.type === "answer" ? await sent.observed() : undefined;
    expect(observed).toEqual({ terminal: undefined, usage: { input: 10, output: 2 }, records: [JSON.parse(answer)] });
  });

  it("B70 a record of more than 8 MiB passes; nothing is said about what it held", async () => {
    const stream = sse({ choices: [{ delta: { content: "x".repeat(9_000_000) }, finish_reason: "stop" }] });
    const origin = await upstream((_req, res) => void res.writeHead(200, EVENTS).end(stream));
    const { got, observed } = await through(origin, { wire: "openai-chat" });
    expect([got.body.toString() === stream, got.broken, observed.terminal]).toEqual([true, undefined, undefined]);
  });

  it("X89 an upstream that cannot be reached is a value, and answered in the format", async () => {
    const { got, sent } = await through("http://127.0.0.1:1", { wire: "gemini" });
    expect(sent).toMatchObject({ type: "failure", failure: { code: "upstream_unreachable" } });
    expect([got.status, JSON.parse(got.body.toString()).error]).toMatchObject([
      502,
      { code: 502, status: "UNAVAILABLE" },
    ]);
  });
});
