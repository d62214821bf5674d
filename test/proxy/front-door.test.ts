// X105, X106, XB26: who may call at all, under which name, from which page, by which path.
import { describe, expect, it } from "vitest";
import { startGateway } from "./gateway.ts";
import { call, speak, startRawUpstream, valuesOf } from "./raw.ts";
import { CLIENT_NAMES, CLIENTS, type ClientName, ODD_BODIES } from "./wire-samples.ts";

const UNAUTHORISED: Record<ClientName, object> = {
  chat: { error: { type: "authentication_error", code: "unauthorized" } },
  responses: { error: { type: "authentication_error" } },
  claude: { type: "error", error: { type: "authentication_error" } },
  gemini: { error: { code: 401, status: "UNAUTHENTICATED" } },
};

describe("the token", () => {
  it("X105 proxy.requireToken: 401 in the format's shape without it; in its header or in place of a key it opens and goes nowhere", async () => {
    const upstream = await startRawUpstream((_, res) => res.end("{}"));
    const gateway = await startGateway(upstream, { env: { EVERLONG_PROXY_REQUIRE_TOKEN: "on" } });
    for (const name of CLIENT_NAMES) {
      const { path, headers } = CLIENTS[name];
      const refused = await call(gateway.url + path, { headers, body: ODD_BODIES[name] });
      expect([refused.status, refused.header("x-everlong-error")], name).toEqual([401, "unauthorized"]);
      expect(refused.json).toMatchObject(UNAUTHORISED[name]);
    }
    const query = await call(`${gateway.url}${CLIENTS.chat.path}?key=${gateway.token}`, {
      headers: CLIENTS.chat.headers,
      body: "{}",
    });
    const wrong = await call(gateway.url + CLIENTS.chat.path, {
      headers: { ...CLIENTS.chat.headers, "X-Everlong-Token": "x" },
      body: "{}",
    });
    expect([query.status, wrong.status, upstream.seen.length]).toEqual([401, 401, 0]);
    const { Authorization: _, ...plain } = CLIENTS.chat.headers;
    for (const given of [
      { "X-Everlong-Token": gateway.token },
      { Authorization: `Bearer ${gateway.token}` },
      { "x-api-key": gateway.token },
      { "x-goog-api-key": gateway.token },
      { "api-key": gateway.token },
    ]) {
      const answer = await call(gateway.url + CLIENTS.chat.path, {
        headers: { ...plain, ...given },
        body: ODD_BODIES.chat,
      });
      expect(answer.status, Object.keys(given)[0]).toBe(200);
      expect(upstream.seen.at(-1)?.headers.join()).not.toContain(gateway.token);
      expect(answer.headers.join()).not.toContain(gateway.token);
    }
  });

  it("X105 XB26 /api always needs it; never from the query; JSON only", async () => {
    const upstream = await startRawUpstream((_, res) => res.end("{}"));
    const gateway = await startGateway(upstream);
    const get = (path: string, headers = {}) => call(gateway.url + path, { method: "GET", headers });
    const bearer = { Authorization: `Bearer ${gateway.token}` };
    expect((await get("/api/proxy/stats", bearer)).status).toBe(200);
    expect((await get("/api/proxy/stats")).status).toBe(401);
    expect((await get(`/api/proxy/stats?token=${gateway.token}&key=${gateway.token}`)).status).toBe(401);
    expect((await get("/api/nowhere")).status, "nobody learns what exists").toBe(401);
    const form = { ...bearer, "content-type": "text/plain" };
    const posted = await call(`${gateway.url}/api/proxy/search`, { headers: form, body: '{"query":"x"}' });
    expect(posted.status).toBe(415);
    // On loopback a model call needs none.
    expect((await call(gateway.url + CLIENTS.chat.path, { headers: CLIENTS.chat.headers, body: "{}" })).status).toBe(
      200,
    );
  });
});

describe("names, pages, paths", () => {
  it("X106 XB26 Host, Origin and cross-site: 403 or 400 on every route, with no CORS header, and nothing sent on", async () => {
    const upstream = await startRawUpstream((_, res) => res.end("{}"));
    const gateway = await startGateway(upstream);
    const { port } = new URL(gateway.url);
    const bearer = { Authorization: `Bearer ${gateway.token}` };
    const routes = [
      { path: CLIENTS.chat.path, method: "POST", headers: CLIENTS.chat.headers, body: "{}" },
      { path: "/v1/models", method: "GET", headers: CLIENTS.chat.headers },
      { path: "/api/proxy/stats", method: "GET", headers: bearer },
      { path: "/", method: "GET", headers: {} },
      { path: "/healthz", method: "GET", headers: {} },
    ];
    const refused: [number, Record<string, string>][] = [
      [403, { Host: "evil" }],
      [403, { Host: `evil.example:${port}` }],
      [403, { Host: `127.0.0.1.evil.example:${port}` }],
      [400, { Host: "" }],
      [400, { Host: "a b" }],
      [400, { Host: "127.0.0.1:99999" }],
      [403, { Origin: "null" }],
      [403, { Origin: "https://evil.example" }],
      [403, { Origin: `http://127.0.0.1:${Number(port) + 1}` }],
      [403, { "Sec-Fetch-Site": "cross-site" }],
    ];
    for (const { path, method, headers, ...rest } of routes)
      for (const [status, given] of refused) {
        const answer = await call(gateway.url + path, { method, headers: { ...headers, ...given }, ...rest });
        const what = `${path} ${JSON.stringify(given)}`;
        expect(answer.status, what).toBe(status);
        expect(
          answer.headers.filter((name) => /^access-control-/i.test(name)),
          what,
        ).toEqual([]);
      }
    const preflight = { Origin: "https://evil.example", "Access-Control-Request-Method": "POST" };
    expect((await call(gateway.url + CLIENTS.chat.path, { method: "OPTIONS", headers: preflight })).status).toBe(403);
    expect(
      await speak(
        gateway.url,
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nConnection: close\r\n\r\n",
      ),
    ).toMatch(/^HTTP\/1\.1 400 /);
    expect(upstream.seen).toEqual([]);
    for (const given of [
      { Host: `localhost:${port}` },
      { Host: "LOCALHOST" },
      { Host: "[::1]" },
      { Origin: gateway.url },
    ])
      expect(
        (await call(`${gateway.url}/healthz`, { method: "GET", headers: given })).status,
        JSON.stringify(given),
      ).toBe(200);
  });

  it("X106 empty, dot and double-dot segments, raw or encoded, are 400; an encoded slash is an ordinary character", async () => {
    const upstream = await startRawUpstream((_, res) => res.end("{}"));
    const gateway = await startGateway(upstream);
    const get = (path: string): Promise<string> =>
      speak(
        gateway.url,
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: opencode/1\r\nConnection: close\r\n\r\n`,
      );
    for (const path of [
      "/v1/../api/x",
      "/v1/./models",
      "/v1//models",
      "/v1/models/",
      "/v1/%2e%2e/api",
      "/v1/.%2E/x",
      "/v1/%2e",
      "//v1/models",
      "/v1/a%5c..",
      "/up/openai/../chatgpt/x",
      "/v1/a%00",
    ])
      expect(await get(path), path).toMatch(/^HTTP\/1\.1 400 /);
    expect(upstream.seen).toEqual([]);
    expect(await get("/v1/files/a%2Fb%20c?x=../..")).toMatch(/^HTTP\/1\.1 200 /);
    expect(upstream.seen[0]?.url).toBe("/v1/files/a%2Fb%20c?x=../..");
    // No open proxy for whole addresses or tunnels.
    expect(await get("http://evil.example/v1/models")).toMatch(/^HTTP\/1\.1 400 /);
    expect(await speak(gateway.url, "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n")).not.toMatch(
      / 200 /,
    );
    expect(upstream.seen).toHaveLength(1);
  });

  it("X107 XB6 headers over 32 KB are 431, two lengths or a length with chunks 400, and what follows is not another request", async () => {
    const upstream = await startRawUpstream((_, res) => res.end("{}"));
    const gateway = await startGateway(upstream);
    const huge = await call(gateway.url + CLIENTS.chat.path, {
      headers: { ...CLIENTS.chat.headers, "X-Everlong-Todo": "t".repeat(1_000_000) },
      body: "{}",
    });
    expect([huge.status, upstream.seen.length]).toEqual([431, 0]);
    const head = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nUser-Agent: opencode/1\r\n";
    const smuggled = "GET /v1/smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n";
    for (const lengths of [
      "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
      "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
      "Content-Length: 5\r\nContent-Length: 6\r\n",
      "Transfer-Encoding: chunked, identity\r\n",
      "Content-Length: -1\r\n",
      "Content-Length: 0x5\r\n",
    ]) {
      const answer = await speak(gateway.url, `${head}${lengths}\r\n0\r\n\r\n${smuggled}`);
      expect(answer, lengths).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer.match(/HTTP\/1\.1 \d/g), lengths).toHaveLength(1);
    }
    expect(upstream.seen).toEqual([]);
    // A header that came twice goes on twice.
    await call(gateway.url + CLIENTS.chat.path, {
      headers: [...Object.entries(CLIENTS.chat.headers).flat(), "X-Two", "a", "X-Two", "b"],
      body: "{}",
    });
    expect(valuesOf(upstream.seen[0]?.headers ?? [], "x-two")).toEqual(["a", "b"]);
  });
});
