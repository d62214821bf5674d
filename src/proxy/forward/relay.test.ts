// Unmanaged requests through real servers: the very bytes both ways.
import { randomBytes } from "node:crypto";
import { type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { closeAll, get, raw, rawUpstream, relaying, upstream } from "./forward-fixture.ts";

afterEach(closeAll);

const HEAD = "HTTP/1.1 200 OK\r\n";

describe("what passes", () => {
  it("XI3 a request goes out with the bytes, header order and case it came with", async () => {
    let head = "";
    const origin = await rawUpstream((socket, seen) => {
      head = seen;
      socket.end(`${HEAD}Content-Length: 0\r\n\r\n`);
    });
    const { url } = await relaying(origin);
    const got = await raw(
      url,
      'POST /v1/files?a=%2Fb&key=x HTTP/1.1\r\nHost: me\r\nX-Odd-Case: 1\r\nx-twice: a\r\nX-Twice: b\r\nConnection: close, x-hop\r\nX-Hop: gone\r\nContent-Type: text/odd\r\nContent-Length: 7\r\n\r\n{"a":1}',
    );
    expect(got).toContain("200 OK");
    expect(head).toMatch(/^POST \/v1\/files\?a=%2Fb&key=x HTTP\/1\.1\r\n/);
    expect(head).toContain("X-Odd-Case: 1\r\nx-twice: a\r\nX-Twice: b\r\nContent-Type: text/odd\r\n");
    expect(head).toMatch(/content-length: 7\r\n\r\n\{"a":1\}$/);
    expect(head).toContain(`host: ${new URL(origin).host}`);
    expect(head).not.toMatch(/x-hop|connection: close/i);
  });

  it("X4 an answer comes back with status, text, header order, case and doubles; only the connection's own are gone", async () => {
    const origin = await rawUpstream((socket) =>
      socket.end(
        "HTTP/1.1 418 I'm A Pot\r\nSet-Cookie: a=1\r\nX-ODD: \xe9\r\nset-cookie: b=2\r\nDate: then\r\nKeep-Alive: timeout=9\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nContent-Length: 3\r\n\r\nabc",
        "latin1",
      ),
    );
    const got = await get((await relaying(origin, { headers: ["X-Everlong-Action", "pass"] })).url);
    expect([got.status, got.statusText, got.body.toString()]).toEqual([418, "I'm A Pot", "abc"]);
    expect(got.raw.slice(0, 12)).toEqual(
      ["Set-Cookie", "a=1", "X-ODD", "\xe9", "set-cookie", "b=2", "Date", "then", "Content-Length", "3"].concat([
        "X-Everlong-Action",
        "pass",
      ]),
    );
    expect(got.raw.join()).not.toContain("timeout=9");
    expect(got.raw.join()).not.toMatch(/x-hop/i);
  });

  it("X4 compressed and chunked answers are not touched", async () => {
    const packed = gzipSync(randomBytes(300_000));
    const origin = await upstream((_req, res) => {
      res.writeHead(200, { "content-encoding": "gzip", "content-type": "text/event-stream" });
      for (let at = 0; at < packed.length; at += 9973) res.write(packed.subarray(at, at + 9973));
      res.end();
    });
    const got = await get((await relaying(origin)).url);
    expect(got.body.equals(packed)).toBe(true);
    expect(got.raw).toContain("content-encoding");
    expect(got.broken).toBeUndefined();
  });

  it("X2 an upload without a length streams through as it comes", async () => {
    const body = randomBytes(3_000_000);
    let first: (() => void) | undefined;
    const begun = new Promise<void>((resolve) => {
      first = resolve;
    });
    const origin = await upstream(async (req, res) => {
      const chunks: Buffer[] = [];
      for await (const chunk of req as AsyncIterable<Buffer>) {
        chunks.push(chunk);
        first?.();
      }
      res.end(JSON.stringify({ same: Buffer.concat(chunks).equals(body), te: req.headers["transfer-encoding"] }));
    });
    const { url } = await relaying(origin);
    const answer = await new Promise<string>((resolve, reject) => {
      const sent = request(url, { method: "PUT", agent: false }, async (res) => {
        let text = "";
        for await (const chunk of res) text += chunk;
        resolve(text);
      });
      sent.on("error", reject);
      sent.write(body.subarray(0, 1000));
      // The rest follows only once the upstream has the beginning: nothing waits for the whole.
      void begun.then(() => sent.end(body.subarray(1000)));
    });
    expect(JSON.parse(answer)).toEqual({ same: true, te: "chunked" });
  });

  it.each([
    ["HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n", 200],
    ["GET", "HTTP/1.1 204 No Content\r\n\r\n", 204],
    ["GET", 'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\nLocation: /else\r\n\r\n', 304],
    ["GET", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200],
  ])("%s without a body: %j", async (method, answer, status) => {
    const got = await get((await relaying(await rawUpstream((socket) => socket.end(answer)))).url, { method });
    expect([got.status, got.body.length, got.broken]).toEqual([status, 0, undefined]);
    if (method === "HEAD") expect(got.raw.slice(0, 2)).toEqual(["Content-Length", "99"]);
  });

  it("X2 a client that waits for 100-continue gets it, and the upstream is not asked to wait", async () => {
    const origin = await upstream((req, res) => {
      req.resume().on("end", () => res.end(String(req.headers.expect)));
    });
    const { url } = await relaying(origin);
    const text = await new Promise<string>((resolve, reject) => {
      const headers = { expect: "100-continue", "content-length": "2" };
      const sent = request(url, { method: "POST", headers, agent: false }, async (res: IncomingMessage) => {
        let got = "";
        for await (const chunk of res) got += chunk;
        resolve(got);
      });
      sent.on("continue", () => sent.end("ok")).on("error", reject);
      sent.flushHeaders();
    });
    expect(text).toBe("undefined");
  });

  it("X4 the head of a stream does not wait for its first byte, and each chunk comes when it is sent", async () => {
    const gate = Promise.withResolvers<void>();
    const origin = await upstream(async (_req, res) => {
      res.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      await gate.promise;
      res.end("data: a\n\n");
    });
    const { url } = await relaying(origin);
    const text = await new Promise<string>((resolve, reject) => {
      request(url, { agent: false }, async (res) => {
        gate.resolve();
        let got = "";
        for await (const chunk of res) got += chunk;
        resolve(got);
      })
        .on("error", reject)
        .end();
    });
    expect(text).toBe("data: a\n\n");
  });

  it.each([401, 403, 404, 429, 500, 529])("X86 %i passes unchanged", async (status) => {
    const origin = await upstream((_req, res) => {
      res.writeHead(status, { "retry-after": "7" }).end('{"error": 1.0}');
    });
    const got = await get((await relaying(origin)).url);
    expect([got.status, got.body.toString(), got.raw.slice(0, 2)]).toEqual([
      status,
      '{"error": 1.0}',
      ["retry-after", "7"],
    ]);
  });

  it("XE9 two hundred streams at once, each with its own bytes", async () => {
    const origin = await upstream(async (req, res) => {
      res.writeHead(200, { "content-type": "text/event-stream" });
      for (let n = 0; n < 5; n++) {
        res.write(`data: ${req.url} ${n}\n\n`);
        await sleep(5);
      }
      res.end();
    });
    const { url, delivered } = await relaying(origin);
    const all = await Promise.all(Array.from({ length: 200 }, (_, n) => get(`${url}/s${n}`)));
    for (const [n, got] of all.entries()) {
      expect(got.body.toString()).toBe([0, 1, 2, 3, 4].map((m) => `data: /s${n} ${m}\n\n`).join(""));
    }
    expect((await Promise.all(delivered)).every(({ outcome }) => outcome === "complete")).toBe(true);
  });
});
