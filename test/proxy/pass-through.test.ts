// XE1: what needs nothing goes on byte for byte, both ways, in every format, encoding and route.
import { existsSync, readdirSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { startGateway } from "./gateway.ts";
import { call, endToEnd, type Seen, startRawUpstream, valuesOf } from "./raw.ts";
import { CLIENT_NAMES, CLIENTS, ODD_BODIES, STREAMS } from "./wire-samples.ts";

const ENCODINGS = {
  identity: (text: string) => Buffer.from(text),
  gzip: (text: string) => gzipSync(text),
  deflate: (text: string) => deflateSync(text),
  br: (text: string) => brotliCompressSync(text),
  zstd: (text: string) => zstdCompressSync(text),
};

/** Odd in case, order, repetition and reason; Node's own server keeps all of it. */
const ODD_HEADERS = [
  "X-Odd",
  "b; a",
  "Set-Cookie",
  "a=1",
  "set-cookie",
  "b=2",
  "x-RateLimit-Remaining",
  "7",
  "X-Odd",
  "c",
];

/** The sender's own connection says the length in its own place. */
const withoutLength = (seen: Seen | undefined): [string, string][] =>
  endToEnd(seen?.headers ?? []).filter(([name]) => name.toLowerCase() !== "content-length");

describe("managed, below the mark", () => {
  it("XE1 X3 X4 XI3 P23 four formats in five encodings: the very bytes go up, the very bytes come back", async () => {
    const upstream = await startRawUpstream(({ headers }, res) => {
      const name = headers[headers.indexOf("x-test-client") + 1] as (typeof CLIENT_NAMES)[number];
      const bytes = Buffer.from(STREAMS[name]);
      res.writeHead(200, "All Right", ["Content-Type", "text/event-stream; charset=utf-8", ...ODD_HEADERS]);
      // In the middle of a character, and of a line end.
      for (let at = 0; at < bytes.length; at += 37) res.write(bytes.subarray(at, at + 37));
      res.end();
    });
    const gateway = await startGateway(upstream);
    for (const name of CLIENT_NAMES)
      for (const [encoding, encode] of Object.entries(ENCODINGS)) {
        const { path, headers } = CLIENTS[name];
        const sent = { ...headers, "content-encoding": encoding, "x-test-client": name };
        const body = encode(ODD_BODIES[name]);
        const answer = await call(gateway.url + path, { headers: sent, body });
        const seen = upstream.seen.at(-1);
        expect(answer.header("x-everlong-action"), `${name} ${encoding}`).toBe("pass");
        expect(answer.header("x-everlong-kind")).toBe("main");
        expect(seen?.body.equals(body), `${name} ${encoding}`).toBe(true);
        expect(seen?.url).toBe(path);
        expect(withoutLength(seen)).toEqual(Object.entries(sent));
        expect(valuesOf(seen?.headers ?? [], "content-length")).toEqual([String(body.length)]);
        expect(answer).toMatchObject({ status: 200, statusText: "All Right", end: "clean" });
        expect(answer.body.toString()).toBe(STREAMS[name]);
        expect(endToEnd(answer.headers, { ours: false })).toEqual([
          ["Content-Type", "text/event-stream; charset=utf-8"],
          ...endToEnd(ODD_HEADERS),
        ]);
      }
    expect(upstream.seen).toHaveLength(20);
  });

  it("X4 X86 answers that are not streamed: errors, encodings, lengths and retry-after as they came", async () => {
    const answers = [
      { status: 200, headers: ["content-encoding", "gzip"], body: gzipSync('{"choices":[]}') },
      { status: 200, headers: ["content-encoding", "unheard-of"], body: Buffer.from([0, 255, 1, 254]) },
      { status: 429, headers: ["retry-after", "17"], body: Buffer.from('{"error":{"message":"too many tokens"}}') },
      { status: 529, headers: ["Retry-After", "3"], body: Buffer.from("overloaded") },
      { status: 401, headers: ["www-authenticate", "Bearer"], body: Buffer.from("{}") },
      { status: 500, headers: [], body: Buffer.from("<html>") },
      { status: 204, headers: [], body: Buffer.alloc(0) },
    ];
    let turn = 0;
    const upstream = await startRawUpstream((_, res) => {
      const { status, headers, body } = answers[turn++] ?? { status: 500, headers: [], body: Buffer.alloc(0) };
      res.writeHead(status, [...headers, ...(status === 204 ? [] : ["Content-Length", String(body.length)])]).end(body);
    });
    const gateway = await startGateway(upstream);
    for (const { status, headers, body } of answers) {
      const answer = await call(gateway.url + CLIENTS.chat.path, {
        headers: CLIENTS.chat.headers,
        body: ODD_BODIES.chat,
      });
      expect(answer.status).toBe(status);
      expect(answer.body.equals(body), String(status)).toBe(true);
      expect(endToEnd(answer.headers, { ours: false })).toEqual([
        ...endToEnd(headers),
        ...(status === 204 ? [] : [["Content-Length", String(body.length)]]),
      ]);
    }
    expect(upstream.seen, "nothing is tried again").toHaveLength(answers.length);
  });

  it("X8 ours and those of the connection are stripped, all others go on, betas and X-Session-Id too", async () => {
    const upstream = await startRawUpstream((_, res) => res.end("{}"));
    const gateway = await startGateway(upstream);
    const ours = {
      "X-CLIProxyAPI-Session": "abc",
      "X-Everlong-Session": "abc",
      "X-ProxyPilot-Anything": "1",
      "X-Repo-Path": "/nowhere",
      "X-Workspace-Root": "/nowhere",
      "x-project-root": "/nowhere",
      "X-Everlong-Repo": "me/repo",
      "X-CLIProxyAPI-Todo": "",
    };
    const hop = { Connection: "keep-alive, X-Hop", "X-Hop": "1", TE: "trailers", "Proxy-Authorization": "Basic eA==" };
    const kept = {
      "X-Session-Id": "theirs",
      "OpenAI-Beta": "x=1",
      "x-stainless-lang": "js",
      "X-Empty": "",
      Cookie: "a=b",
    };
    const sent = { ...CLIENTS.chat.headers, ...ours, ...hop, ...kept };
    const answer = await call(gateway.url + CLIENTS.chat.path, { headers: sent, body: ODD_BODIES.chat });
    expect(answer.header("x-everlong-session")).toBe("abc");
    expect(withoutLength(upstream.seen[0])).toEqual(Object.entries({ ...CLIENTS.chat.headers, ...kept }));
  });
});

describe("unmanaged", () => {
  it("XE1 X2 models, files, multipart, embeddings and unknown routes and methods pass as they are", async () => {
    const upstream = await startRawUpstream(({ url }, res) => res.writeHead(url.includes("gone") ? 404 : 200).end(url));
    const gateway = await startGateway(upstream);
    const codex = CLIENTS.responses.headers;
    const part = Buffer.from([0, 1, 2, 255, 13, 10, 128]);
    const multipart = { ...codex, "content-type": 'multipart/form-data; boundary="x y"' };
    const cases = [
      { method: "GET", path: "/v1/models?limit=1.0&q=%2F%20", up: "/v1/models?limit=1.0&q=%2F%20", headers: codex },
      { method: "POST", path: "/v1/files", up: "/v1/files", headers: multipart, body: part },
      { method: "POST", path: "/v1/embeddings", up: "/v1/embeddings", headers: codex, body: "not json" },
      { method: "DELETE", path: "/v1/gone/a%2Fb", up: "/v1/gone/a%2Fb", headers: codex },
      { method: "PATCH", path: "/v1beta/cachedContents/x", up: "/v1beta/cachedContents/x", headers: codex, body: "{}" },
      { method: "GET", path: "/v1/threads/X/messages", up: "/v1/threads/X/messages", headers: codex },
      { method: "POST", path: "/v1/threads/X/messages", up: "/v1/threads/X/messages", headers: codex, body: "{}" },
      {
        method: "POST",
        path: "/v1/chat/completions",
        up: "/v1/chat/completions",
        headers: { ...codex, "content-type": "text/plain" },
        body: ODD_BODIES.chat,
      },
      { method: "GET", path: "/v1/responses/resp_1", up: "/v1/responses/resp_1", headers: codex },
    ];
    for (const { method, path, up, headers, ...rest } of cases) {
      const answer = await call(gateway.url + path, { method, headers, ...rest });
      const seen = upstream.seen.at(-1);
      expect({ method: seen?.method, url: seen?.url, status: answer.status }).toEqual({
        method,
        url: up,
        status: path.includes("gone") ? 404 : 200,
      });
      expect(seen?.body.equals(Buffer.from(rest.body ?? "")), path).toBe(true);
      expect(answer.body.toString()).toBe(up);
    }
    expect(existsSync(join(gateway.dir, "sessions"))).toBe(false);
  });

  it("X2 X4 nothing is buffered: each half of an upload and of an answer arrives before the next is sent", async () => {
    const steps: string[] = [];
    const gate = Promise.withResolvers<void>();
    const upstream = await startRawUpstream(
      (_, res, req) => {
        req.on("data", (chunk: Buffer) => {
          steps.push(`up ${chunk}`);
          if (String(chunk) === "first") write("second");
          else {
            res.writeHead(200, { "content-type": "application/octet-stream" }).write("third");
            void gate.promise.then(() => res.end("fourth"));
          }
        });
      },
      { whole: false },
    );
    const gateway = await startGateway(upstream);
    const { promise, resolve } = Promise.withResolvers<void>();
    const upload = request(
      `${gateway.url}/v1/files`,
      { method: "POST", headers: { "content-type": "audio/wav" } },
      (res) => {
        res.on("data", (chunk: Buffer) => {
          steps.push(`down ${chunk}`);
          gate.resolve();
        });
        res.on("end", () => resolve());
      },
    );
    const write = (text: string): void => void upload.end(text);
    upload.write("first");
    await promise;
    expect(steps).toEqual(["up first", "up second", "down third", "down fourth"]);
  });

  it("XE1 X12 X14 a browser's client leaves no directory, and is counted with its reason", async () => {
    const upstream = await startRawUpstream((_, res) => res.end("{}"));
    const gateway = await startGateway(upstream);
    const headers = { "content-type": "application/json", "User-Agent": "Mozilla/5.0 (Linux; Android 15) Chrome/140" };
    const ask = (extra: Record<string, string> = {}) =>
      call(gateway.url + CLIENTS.chat.path, { headers: { ...headers, ...extra }, body: ODD_BODIES.chat });
    expect((await ask()).header("x-everlong-action")).toBe("skip:unknown_client");
    expect((await ask({ "X-Everlong-Bypass": "1" })).header("x-everlong-action")).toBe("skip:bypass");
    expect((await ask({ "X-CLIProxyAPI-Internal": "x" })).header("x-everlong-action")).toBe("skip:internal");
    expect((await ask({ "User-Agent": "everlong/1.0", "x-initiator": "agent" })).header("x-everlong-action")).toBe(
      "skip:own_agent",
    );
    expect(upstream.seen.every(({ body }) => body.toString() === ODD_BODIES.chat)).toBe(true);
    expect(existsSync(join(gateway.dir, "sessions"))).toBe(false);
    const stats = async () => (await gateway.api("/api/proxy/stats")).json();
    const unmanaged = { unknown_client: 1, bypass: 1, internal: 1, own_agent: 1 };
    await expect.poll(stats).toMatchObject({ requests: 0, unmanaged }); // counted after the answer has ended
    await ask({ "X-Session-Id": "not ours" });
    await ask({ "X-Everlong-Session": "ours" });
    expect(readdirSync(join(gateway.dir, "sessions"))).toEqual(["ours"]);
  });

  it("X9 a WebSocket is answered 426, HEAD / 200; h2c is an ordinary request", async () => {
    const upstream = await startRawUpstream((_, res) => res.end("{}"));
    const gateway = await startGateway(upstream);
    const upgrade = {
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Key": "eA==",
      "Sec-WebSocket-Version": "13",
    };
    const refused = await call(`${gateway.url}/v1/responses`, {
      method: "GET",
      headers: { ...CLIENTS.responses.headers, ...upgrade },
    });
    expect([refused.status, upstream.seen.length]).toEqual([426, 0]);
    expect((await call(`${gateway.url}/`, { method: "HEAD" })).status).toBe(200);
    const h2c = {
      ...CLIENTS.responses.headers,
      Connection: "Upgrade, HTTP2-Settings",
      Upgrade: "h2c",
      "HTTP2-Settings": "AAM",
    };
    const served = await call(gateway.url + CLIENTS.responses.path, { headers: h2c, body: ODD_BODIES.responses });
    expect([served.status, upstream.seen.length]).toEqual([200, 1]);
    expect(upstream.seen[0]?.headers.map((h) => h.toLowerCase())).not.toContain("http2-settings");
  });
});
