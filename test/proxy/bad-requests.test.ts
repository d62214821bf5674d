// XB10, XB11, XB15–XB17, X107: what clients and upstreams should not send; the upstream judges, nothing crashes or leaks.
import { connect } from "node:net";
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { contextLimit, text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { startGateway } from "./gateway.ts";
import { call, speak, startRawUpstream } from "./raw.ts";
import { CLIENT_NAMES, CLIENTS, type ClientName, ODD_BODIES } from "./wire-samples.ts";

const HISTORY: Record<ClientName, string> = {
  chat: "messages",
  responses: "input",
  claude: "messages",
  gemini: "contents",
};

describe("bodies", () => {
  it("B23 B25 XB10 XB11 X110 broken, deep, huge, odd and wrong-shaped JSON passes unchanged; the upstream's answer comes back", async () => {
    const upstream = await startRawUpstream((_, res) => res.writeHead(400, { "x-judge": "upstream" }).end("no"));
    const gateway = await startGateway(upstream);
    const bodies = (key: string): (string | Buffer)[] => [
      "",
      "not json",
      "{",
      `{"${key}":[`,
      "null",
      "[]",
      '"text"',
      "{}",
      `{"${key}":null}`,
      `{"${key}":{}}`,
      `{"${key}":[1,"a",null,[]]}`,
      `{"${key}":[{}]}`,
      `{"${key}":[{"role":7,"content":{"a":[]},"parts":"x","type":[]}]}`,
      `{"${key}":[{"role":"user","content":"a"}],"${key}":[{"role":"user","content":"b"}]}`,
      `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`,
      `{"${key}":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
      `{${Array.from({ length: 1_000_000 }, (_, n) => `"k${n}":0`).join(",")}}`,
      `{"${key}":[{"role":"user","content":"\\ud800 lone \\udfff"}],"__proto__":{"polluted":1},"constructor":{"prototype":{"x":1}}}`,
      `{"${key}":[{"role":"user","content":"a\u2028b","__proto__":{"role":"system"}}],"n":1e400,"m":-0,"big":9007199254740993,"twice":1,"twice":2}`,
      Buffer.concat([Buffer.from(`{"${key}":"`), Buffer.from([0xff, 0xfe, 0xc0, 0xaf]), Buffer.from('"}')]),
      Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(`{"${key}":[]}`)]),
      `{"${key}":[]} trailing`,
    ];
    for (const name of CLIENT_NAMES)
      for (const body of bodies(HISTORY[name])) {
        const { path, headers } = CLIENTS[name];
        const what = `${name} ${body.toString().slice(0, 60)}`;
        const answer = await call(gateway.url + path, { headers, body });
        expect(upstream.seen.at(-1)?.body.equals(Buffer.from(body)), what).toBe(true);
        expect([answer.status, answer.header("x-judge"), answer.body.toString()], what).toEqual([
          400,
          "upstream",
          "no",
        ]);
        expect(answer.header("x-everlong-action"), what).toMatch(/^(pass|skip:unparsable)$/);
      }
    const deep = { method: "POST", headers: { "content-type": "application/json" }, body: `${"[".repeat(100_000)}` };
    for (const path of ["/api/recall", "/mcp"]) {
      const refused = await gateway.api(path, deep);
      expect([refused.status, refused.headers.get("x-everlong-error")], path).toEqual([400, "json_too_deep"]);
    }
    // The gateway is the same process, and well.
    expect(process.kill(gateway.pid, 0)).toBe(true);
    expect((await gateway.api("/healthz")).status).toBe(200);
    const done = await gateway.stop();
    expect([done.code, done.stderr]).toEqual([0, ""]);
    expect(done.stdout).not.toContain("soft_failure");
  });

  it("XB12 X107 over the limit: 413 in the format's shape, codex 400; nothing is sent on, inflation stops", async () => {
    const upstream = await startRawUpstream((_, res) => res.end("{}"));
    const limit = 100_000;
    const gateway = await startGateway(upstream, { env: { EVERLONG_PROXY_MAX_BODY_BYTES: String(limit) } });
    const zeros = Buffer.alloc(64 * 1024 * 1024);
    const bombs = { gzip: gzipSync(zeros), br: brotliCompressSync(zeros), zstd: zstdCompressSync(zeros) };
    const tooLarge = [
      { encoding: "identity", body: Buffer.alloc(limit + 1, "x") },
      ...Object.entries(bombs).map(([encoding, body]) => ({ encoding, body })),
    ];
    for (const { encoding, body } of tooLarge)
      for (const name of CLIENT_NAMES) {
        const { path, headers } = CLIENTS[name];
        const answer = await call(gateway.url + path, { headers: { ...headers, "content-encoding": encoding }, body });
        expect([answer.status, answer.header("x-everlong-error")], `${name} ${encoding}`).toEqual([
          name === "responses" ? 400 : 413,
          "too_large",
        ]);
        expect(answer.json).toHaveProperty("error");
      }
    expect(upstream.seen).toEqual([]);
    const rss = Number(/VmHWM:\s+(\d+)/.exec(await statusOf(gateway.pid))?.[1]) / 1024;
    expect(rss, "MB at most").toBeLessThan(400);
    // Said in the headers: refused before a byte of it has come. Without a length: as soon as it is too much.
    const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nUser-Agent: opencode/1\r\n`;
    expect(await speak(gateway.url, `${head}Content-Length: 9999999\r\n\r\n{`)).toMatch(/^HTTP\/1\.1 413 /);
    const chunk = `2000\r\n${"y".repeat(0x2000)}\r\n`;
    expect(await speak(gateway.url, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(20)}`)).toMatch(
      /^HTTP\/1\.1 413 /,
    );
    const fits = await call(gateway.url + CLIENTS.chat.path, { headers: CLIENTS.chat.headers, body: ODD_BODIES.chat });
    expect([fits.status, upstream.seen.length]).toEqual([200, 1]);
    // What is not managed is not measured.
    const file = Buffer.alloc(limit * 5, "z");
    const upload = await call(`${gateway.url}/v1/files`, { headers: { "content-type": "audio/wav" }, body: file });
    expect([upload.status, upstream.seen[1]?.body.equals(file)]).toEqual([200, true]);
  });

  it("X107 a body under 1 KiB a second after 10 s: 408; others are served meanwhile", async () => {
    const upstream = await startRawUpstream((_, res) => res.end("{}"));
    const gateway = await startGateway(upstream);
    const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
    const answered = new Promise<string>((resolve) =>
      socket.once("data", (chunk) => resolve(chunk.toString("latin1"))),
    );
    socket.write(
      "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nUser-Agent: claude-cli/2\r\nContent-Length: 99999\r\n\r\n",
    );
    const drip = setInterval(() => socket.write(" "), 100);
    let served = 0;
    const others = setInterval(() => {
      void call(gateway.url + CLIENTS.chat.path, { headers: CLIENTS.chat.headers, body: ODD_BODIES.chat }).then(
        (answer) => {
          if (answer.status === 200) served++;
        },
      );
    }, 1000);
    const answer = await answered;
    clearInterval(drip);
    clearInterval(others);
    socket.destroy();
    expect(answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*x-everlong-error: too_slow[\s\S]*"type":"error"/);
    expect(served).toBeGreaterThanOrEqual(5);
  });
});

async function statusOf(pid: number): Promise<string> {
  const { readFile } = await import("node:fs/promises");
  return readFile(`/proc/${pid}/status`, "utf8");
}

describe("upstreams", () => {
  it("XB15 X91 an upstream that refuses every size: 3 attempts, its error, and the session goes on", async () => {
    const server = await startModelServer({ script: () => contextLimit(90_000, 60_000), strict: false });
    const gateway = await startGateway(server, { env: { EVERLONG_PROXY_WINDOWS: "gpt-4o: 128000" } });
    const long = (n: number) => [
      { role: "user", content: `task ${n} ${"words and more words ".repeat(800)}` },
      { role: "assistant", content: `done ${n} ${"with many a word ".repeat(800)}` },
    ];
    const messages = [...Array.from({ length: 12 }, (_, n) => long(n)).flat(), { role: "user", content: "go on" }];
    const body = JSON.stringify({ model: "gpt-4o", messages });
    const ask = () =>
      call(gateway.url + CLIENTS.chat.path, { headers: { ...CLIENTS.chat.headers, "X-Everlong-Session": "s" }, body });
    const refused = await ask();
    expect(refused.status).toBe(400);
    expect(refused.json).toMatchObject({ error: { code: "context_length_exceeded" } });
    expect(server.requests).toHaveLength(3);
    const sizes = server.requests.map(({ rawBody }) => rawBody.length);
    expect(sizes[0]).toBe(body.length);
    expect(sizes[1]).toBeLessThan(sizes[0] ?? 0);
    expect(sizes[2]).toBeLessThan(sizes[1] ?? 0);
    server.always(() => text("at last"));
    const answer = await ask();
    expect([answer.status, answer.header("x-everlong-session")]).toEqual([200, "s"]);
    await server.close();
  });

  it("XB16 X86 a 429 that speaks of tokens is passed on: no trim, no retry", async () => {
    const limited =
      '{"error":{"message":"Request too large for gpt-4o: Limit 30000 tokens, Requested 91000. Please reduce the prompt.","type":"tokens","code":"rate_limit_exceeded"}}';
    const upstream = await startRawUpstream((_, res) => res.writeHead(429, { "retry-after": "9" }).end(limited));
    const gateway = await startGateway(upstream);
    for (const name of CLIENT_NAMES) {
      const { path, headers } = CLIENTS[name];
      const answer = await call(gateway.url + path, { headers, body: ODD_BODIES[name] });
      expect([answer.status, answer.header("retry-after"), answer.body.toString()], name).toEqual([429, "9", limited]);
    }
    expect(upstream.seen).toHaveLength(CLIENT_NAMES.length);
    expect(await (await gateway.api("/api/proxy/windows")).json()).toMatchObject({ items: [] });
  });

  it("B27 B29 XB17 X108 X109 a redirect, a metadata address, an address in body or header: 502, refused, ignored, 404", async () => {
    const elsewhere = await startRawUpstream((_, res) => res.end("stolen"));
    const upstream = await startRawUpstream(({ url }, res) =>
      url.includes("models")
        ? void res.end("[]")
        : void res.writeHead(307, { location: `${elsewhere.url}/v1/x` }).end(),
    );
    const gateway = await startGateway(upstream, {
      env: {
        EVERLONG_UPSTREAM_META: "http://169.254.169.254/latest",
        EVERLONG_UPSTREAM_NUMBER: "http://2852039166/latest",
        EVERLONG_UPSTREAM_MAPPED: "http://[::ffff:a9fe:a9fe]/",
        EVERLONG_UPSTREAM_PLAIN: "http://93.184.216.34/v1",
        EVERLONG_UPSTREAM_USERINFO: "https://user:pass@example.com/v1",
      },
    });
    const api = {
      api_base: elsewhere.url,
      base_url: elsewhere.url,
      model: `${elsewhere.url}/x`,
      extra: { api_base: elsewhere.url },
      user_config: { api_base: elsewhere.url, api_key: "sk-theirs" },
    };
    const body = JSON.stringify({ ...api, messages: [{ role: "user", content: "hi" }] });
    const { path, headers } = CLIENTS.chat;
    for (const managed of [headers, { ...headers, "X-Everlong-Bypass": "1" }]) {
      const redirected = await call(gateway.url + path, { headers: managed, body });
      expect([redirected.status, redirected.header("x-everlong-error")]).toEqual([502, "upstream_redirect"]);
      expect(redirected.header("location")).toBeUndefined();
    }
    expect(upstream.seen.map((seen) => seen.body.toString())).toEqual([body, body]);
    for (const name of ["meta", "number", "mapped", "plain", "userinfo"]) {
      const refused = await call(`${gateway.url}/up/${name}/chat/completions`, { headers, body });
      expect([refused.status, refused.header("x-everlong-error")], name).toEqual([502, "upstream_unreachable"]);
      expect(refused.body.toString(), name).not.toContain("pass@");
    }
    for (const name of ["http://evil", "nobody", "__proto__", "constructor", ""]) {
      const unknown = await call(gateway.url + path, { headers: { ...headers, "X-Everlong-Upstream": name }, body });
      expect([unknown.status, unknown.header("x-everlong-error")], name).toEqual([404, "unknown_upstream"]);
      expect(unknown.body.toString()).toContain("openai, anthropic, gemini, chatgpt");
    }
    expect(elsewhere.seen).toEqual([]);
    expect(upstream.seen).toHaveLength(2);
  });
});
