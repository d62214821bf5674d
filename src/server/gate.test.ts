// The gate, seen from outside: raw bytes to a real server, each bad input with its answer.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStage, type Stage } from "./server-fixture.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.end());

type Head = { line?: string; headers?: readonly string[]; body?: string };

function request({ line = "GET /healthz", headers, body = "" }: Head): string {
  const lines = headers ?? [`Host: 127.0.0.1:${stage.port}`];
  return `${line} HTTP/1.1\r\n${lines.map((h) => `${h}\r\n`).join("")}\r\n${body}`;
}
const status = (answer: string): number => Number(answer.slice(9, 12));
const code = (answer: string): string | undefined => /\r\nx-everlong-error: (\S+)/i.exec(answer)?.[1];
const ask = async (head: Head): Promise<[number, string | undefined, string]> => {
  const answer = await stage.raw(request(head));
  return [status(answer), code(answer), answer];
};
const own = (): string => `Host: 127.0.0.1:${stage.port}`;

describe("Host (X106, B11, B12, B14, XB26)", () => {
  const bad: [string, string[], number, string][] = [
    ["B11 a foreign name", ["Host: evil.com"], 403, "forbidden_host"],
    ["B14 a name that begins like ours", ["Host: localhost.evil.com"], 403, "forbidden_host"],
    ["B14 an address that begins like ours", ["Host: 127.0.0.1.evil.com"], 403, "forbidden_host"],
    ["a private address we are not bound to", ["Host: 192.168.1.1"], 403, "forbidden_host"],
    ["B12 none", [], 400, "bad_host"],
    ["B12 two", ["Host: 127.0.0.1", "Host: 127.0.0.1"], 400, "bad_host"],
    ["B12 two in another case", ["Host: 127.0.0.1", "hOST: evil.com"], 400, "bad_host"],
    ["B12 a path in it", ["Host: 127.0.0.1/?"], 400, "bad_host"],
    ["B12 a fragment in it", ["Host: 127.0.0.1/#"], 400, "bad_host"],
    ["B12 userinfo", ["Host: a@127.0.0.1"], 400, "bad_host"],
    ["empty", ["Host: "], 400, "bad_host"],
    ["a list", ["Host: 127.0.0.1, evil.com"], 400, "bad_host"],
    ["a port that is none", ["Host: 127.0.0.1:99999"], 400, "bad_host"],
  ];
  it.each(bad)("%s, on every route", async (_, headers, expected, expectedCode) => {
    for (const line of [
      "GET /",
      "GET /healthz",
      "GET /api/proxy/sessions",
      "POST /v1/chat/completions",
      "GET /nothing",
    ]) {
      expect((await ask({ line, headers: [...headers, "Connection: close"] })).slice(0, 2), line).toEqual([
        expected,
        expectedCode,
      ]);
    }
  });

  it("its own names pass", async () => {
    for (const name of [
      "127.0.0.1",
      `127.0.0.1:${stage.port}`,
      "localhost:1",
      "LOCALHOST",
      "127.9.9.9",
      "[::1]:4747",
    ]) {
      expect((await ask({ headers: [`Host: ${name}`] }))[0], name).toBe(200);
    }
  });
});

describe("Origin (X106, B13, B26, XB26)", () => {
  const foreign: [string, string, string[]][] = [
    ["B13 foreign", "GET /healthz", ["Origin: https://evil.com"]],
    ["B13 null", "POST /v1/chat/completions", ["Origin: null"]],
    ["B13 cross-site without an Origin", "GET /", ["Sec-Fetch-Site: cross-site"]],
    ["B13 a preflight", "OPTIONS /v1/chat/completions", ["Access-Control-Request-Method: POST"]],
    ["another port of this machine", "GET /", ["Origin: http://127.0.0.1:1"]],
    ["a scheme of its own", "GET /", ["Origin: file://127.0.0.1"]],
    ["two of them", "GET /", ["Origin: http://127.0.0.1", "Origin: https://evil.com"]],
    ["B26 an event stream", "GET /api/events", ["Origin: https://evil.com"]],
    ["B26 a WebSocket", "GET /v1/responses", ["Origin: https://evil.com", "Upgrade: websocket", "Connection: Upgrade"]],
  ];
  it.each(foreign)("%s is 403 without a CORS header", async (_, line, headers) => {
    const [got, why, answer] = await ask({ line, headers: [own(), ...headers] });
    expect([got, why]).toEqual([403, "forbidden_origin"]);
    expect(answer.toLowerCase()).not.toContain("access-control-");
  });

  it("our own origin passes", async () => {
    expect((await ask({ headers: [own(), `Origin: http://127.0.0.1:${stage.port}`] }))[0]).toBe(200);
    expect((await ask({ headers: [own(), "Sec-Fetch-Site: same-origin"] }))[0]).toBe(200);
  });
});

describe("path (X106, B19)", () => {
  const bad = [
    "//v1/..//admin",
    "/v1/%2e%2e/admin",
    "/v1/..",
    "/v1/./models",
    "/v1/%2E/models",
    "/v1//models",
    "/api/a\\b",
    "/api/a%5Cb",
    "/v1/a%00b",
    "/v1/a%2F..%2Fb",
    "http://evil.com/v1/models",
    "/v1/models#x",
    "*",
  ];
  it.each(bad)("%s is 400", async (path) => {
    expect((await ask({ line: `GET ${path}` })).slice(0, 2)).toEqual([400, "bad_path"]);
  });

  it("B19 the hint names a doubled slash", async () => {
    expect((await ask({ line: "POST /v1//chat/completions" }))[2]).toContain("doubled");
  });

  it("an encoded slash is an ordinary character, and the proxy sees the path as it came", async () => {
    expect((await ask({ line: "GET /v1/models/org%2Fname?a=..%2F" }))[0]).toBe(200);
    expect(stage.callers.at(-1)?.target).toEqual({
      path: "/v1/models/org%2Fname",
      search: "?a=..%2F",
      segments: ["v1", "models", "org%2Fname"],
    });
  });

  it("an encoded first segment is no way around the token", async () => {
    expect((await ask({ line: "GET /%61pi/proxy/sessions" })).slice(0, 2)).toEqual([404, "not_found"]);
  });
});

describe("HTTP itself (X107, B9, B20)", () => {
  it("XB6, B9 headers over 32 KB are 431", async () => {
    const [got, why] = await ask({ headers: [own(), `X-Everlong-Todo: ${"a".repeat(40_000)}`] });
    expect([got, why]).toEqual([431, "headers_too_large"]);
  });
  it("a header of 8,000 characters passes", async () => {
    expect((await ask({ headers: [own(), `X-Everlong-Todo: ${"a".repeat(8000)}`] }))[0]).toBe(200);
  });
  it("X107 Content-Length with Transfer-Encoding is 400 and closes", async () => {
    const [got, why, answer] = await ask({
      line: "POST /v1/chat/completions",
      headers: [own(), "Content-Length: 5", "Transfer-Encoding: chunked"],
      body: "0\r\n\r\nGET /v1/models HTTP/1.1\r\n\r\n",
    });
    expect([got, why]).toEqual([400, "bad_request"]);
    expect(answer).toContain("connection: close");
  });
  it("bytes that are no HTTP are 400", async () => {
    expect(status(await stage.raw("\x16\x03\x01 hello\r\n\r\n"))).toBe(400);
  });
  it("two different lengths are 400", async () => {
    const headers = [own(), "Content-Length: 1", "Content-Length: 2"];
    expect((await ask({ line: "POST /v1/responses", headers, body: "ab" }))[0]).toBe(400);
  });
  it("B21 headers that never end are 408", async () => {
    const slow = await openStage({ headersMs: 200 });
    try {
      const answer = await slow.raw("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A");
      expect([status(answer), code(answer)]).toEqual([408, "headers_timeout"]);
    } finally {
      await slow.end();
    }
  });
  it("X9, B26 a WebSocket is told to use HTTP, h2c is served", async () => {
    const socket = [own(), "Upgrade: websocket", "Connection: Upgrade"];
    expect((await ask({ line: "GET /v1/responses", headers: socket })).slice(0, 2)).toEqual([426, "upgrade_required"]);
    const h2c = [own(), "Upgrade: h2c", "Connection: Upgrade, HTTP2-Settings"];
    expect((await ask({ line: "GET /v1/models", headers: h2c }))[0]).toBe(200);
  });
  it("Expect: 100-continue is answered only behind the gate", async () => {
    const expects = ["Content-Length: 2", "Expect: 100-continue"];
    const refused = await ask({ line: "POST /v1/responses", headers: ["Host: evil.com", ...expects] });
    expect(refused[0]).toBe(403);
    const answer = await stage.raw(request({ line: "POST /v1/responses", headers: [own(), ...expects], body: "{}" }));
    expect(answer).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 /);
  });
});
