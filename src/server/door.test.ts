// Token, health, page, drain: a real server with an echo behind it.
import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { findGateway, whoListens } from "./find.ts";
import { openStage, type Stage } from "./server-fixture.ts";

const stages: Stage[] = [];
const open = async (...args: Parameters<typeof openStage>): Promise<Stage> => {
  const stage = await openStage(...args);
  stages.push(stage);
  return stage;
};
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.end();
});
const body = '{"messages":[]}';
const post = (stage: Stage, headers: Record<string, string> = {}, path = "/v1/chat/completions") =>
  fetch(`${stage.gateway.address}${path}`, { method: "POST", body, headers });

describe("token", () => {
  it("B16 GS7 every route and verb below /api, /graphiti and /mcp needs it, unknown ones give the same answer", async () => {
    const stage = await open();
    const answers = new Set<string>();
    for (const path of ["/api", "/api/proxy/sessions", "/api/no/such", "/graphiti/none", "/mcp"]) {
      for (const method of ["GET", "POST", "DELETE", "PATCH"]) {
        const answer = await fetch(`${stage.gateway.address}${path}`, { method });
        expect(answer.status, `${method} ${path}`).toBe(401);
        answers.add(await answer.text());
      }
    }
    expect(answers.size).toBe(2);
    expect(answers).toContain('{"detail":"Not authenticated"}');
  });
  it("XB26, B18 in the query it is no token, even when right", async () => {
    const stage = await open();
    const answer = await fetch(`${stage.gateway.address}/api/proxy/stats?token=${stage.token}&key=${stage.token}`);
    expect([answer.status, answer.headers.get("x-everlong-error")]).toEqual([401, "unauthorized"]);
    expect(await answer.json()).toMatchObject({ error: { code: "unauthorized", hint: expect.any(String) } });
  });
  it("B17 SEC4 a token that is SQL is a wrong one; the 21st failure of a minute is 429, a right token still passes", async () => {
    const stage = await open();
    const answers = [];
    for (let i = 0; i < 22; i++) answers.push((await stage.api("/api/none", { token: "' OR pg_sleep(8)--" })).status);
    expect(answers).toEqual([...Array(20).fill(401), 429, 429]);
    expect((await stage.api("/api/none")).status).toBe(404);
  });
  it("SEC2 is made for its owner alone, once", async () => {
    const stage = await open();
    const path = join(stage.home, "gateway.token");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(Buffer.from(readFileSync(path, "utf8"), "base64url")).toHaveLength(32);
  });
  it("X105 on loopback the proxy needs none, and knows one in place of the API key", async () => {
    const stage = await open();
    const shown = async (headers: Record<string, string>) => {
      expect((await post(stage, headers)).status).toBe(200);
      return stage.callers.at(-1)?.token;
    };
    expect(await shown({})).toBe(false);
    expect(await shown({ authorization: "Bearer sk-of-the-client" })).toBe(false);
    expect(await shown({ authorization: `Bearer ${stage.token}` })).toBe(true);
    expect(await shown({ "x-api-key": stage.token })).toBe(true);
    expect(await shown({ "x-goog-api-key": stage.token })).toBe(true);
    expect(await shown({ "api-key": stage.token })).toBe(true);
    expect(await shown({ "x-everlong-token": stage.token, authorization: "Bearer sk-of-the-client" })).toBe(true);
  });
  it("X105 with proxy.requireToken=on it is needed, 401 in the format's own shape", async () => {
    const stage = await open({ requireToken: true });
    const anthropic = await post(stage, { "x-api-key": "sk-ant" }, "/v1/messages");
    expect(anthropic.status).toBe(401);
    expect(await anthropic.json()).toMatchObject({ type: "error", error: { type: "authentication_error" } });
    expect(anthropic.headers.get("x-everlong-error")).toBe("unauthorized");
    const openai = await post(stage);
    expect(await openai.json()).toMatchObject({ error: { code: "unauthorized" } });
    expect(stage.callers).toEqual([]);
    expect((await post(stage, { "x-api-key": stage.token }, "/v1/messages")).status).toBe(200);
  });
  it("SEC1 off loopback it starts only with names, and needs the token", async () => {
    await expect(openStage({ host: "0.0.0.0" })).rejects.toThrow("gateway.allowedHosts");
    const stage = await open({ host: "0.0.0.0", allowedHosts: ["box.example"] });
    expect((await post(stage)).status).toBe(401);
    expect((await post(stage, { "x-everlong-token": stage.token })).status).toBe(200);
    const named = await stage.raw("GET /healthz HTTP/1.1\r\nHost: box.example\r\n\r\n");
    expect(named).toMatch(/^HTTP\/1.1 200/);
  });
});

describe("health and page", () => {
  it("SEC8 without a token one word, with it the findings, with a wrong one nothing", async () => {
    const checks = [{ name: "store", status: "degraded" as const, finding: "read-only" }];
    const stage = await open({ health: () => ({ checks, counters: { softFailures: 2 } }) });
    const plain = await fetch(`${stage.gateway.address}/healthz`);
    expect([plain.status, await plain.json()]).toEqual([200, { status: "degraded" }]);
    const full = await (await stage.api("/healthz")).json();
    expect(full).toMatchObject({ status: "degraded", version: "1.2.3", pid: process.pid, checks });
    expect((await stage.api("/healthz", { token: "wrong" })).status).toBe(401);
  });
  it("SEC8 503 when it is down", async () => {
    const stage = await open({
      health: () => ({ checks: [{ name: "store", status: "down", finding: "gone" }], counters: {} }),
    });
    expect((await fetch(`${stage.gateway.address}/healthz`)).status).toBe(503);
  });
  it("X9 HEAD / is 200; SEC5 security headers and a CSP", async () => {
    const stage = await open();
    const answer = await fetch(`${stage.gateway.address}/`, { method: "HEAD" });
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "content-security-policy": expect.stringContaining("default-src 'self'"),
    });
    expect((await fetch(`${stage.gateway.address}/`, { method: "POST" })).status).toBe(405);
    expect((await fetch(`${stage.gateway.address}/nothing`)).status).toBe(404);
  });
});

describe("gateway.json (X111, B69)", () => {
  it("names a gateway that proves itself, and goes with it", async () => {
    const stage = await open();
    const path = join(stage.home, "gateway.json");
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({
      pid: process.pid,
      address: stage.gateway.address,
      version: "1.2.3",
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await findGateway(stage.home)).toEqual({ address: stage.gateway.address, token: stage.token });
    expect(await whoListens(stage.gateway.address, "another token")).toBe("everlong");
    await stage.gateway.close();
    expect(existsSync(path)).toBe(false);
    expect(await whoListens(stage.gateway.address, stage.token)).toBe("nobody");
  });
  it("a port that is somebody else's by now never gets the token", async () => {
    const { createServer } = await import("node:http");
    const seen: unknown[] = [];
    const liar = createServer((req, res) => {
      seen.push(req.headers);
      res.end('{"status":"ok"}');
    }).listen(0, "127.0.0.1");
    await once(liar, "listening");
    const { port } = liar.address() as { port: number };
    const stage = await open();
    const { writeGatewayFile } = await import("./gateway-file.ts");
    await writeGatewayFile(stage.home, { pid: 1, address: `http://127.0.0.1:${port}`, version: "1", startedAt: "" });
    expect(await findGateway(stage.home)).toBeUndefined();
    expect(JSON.stringify(seen)).not.toContain(stage.token);
    liar.close();
  });
  it("B69, F82 a port that is taken is a failure that says so", async () => {
    const stage = await open();
    await expect(openStage({ port: stage.port })).rejects.toThrow("cannot listen");
  });
});

describe("requests in flight", () => {
  it("OP9 a stream finishes within the drain time, new requests are refused", async () => {
    const stage = await open({
      handle: async (_, res) => {
        res.writeHead(200).write("begun ");
        await sleep(200);
        res.end("done");
      },
    });
    const answer = await post(stage);
    const closing = stage.gateway.close();
    expect(await answer.text()).toBe("begun done");
    await closing;
    await expect(post(stage)).rejects.toThrow();
  });
  it("OP9 what takes longer is reset, never ended cleanly", async () => {
    const stage = await open({ drainMs: 100, handle: (_, res) => void res.writeHead(200).write("half") });
    const answer = await post(stage);
    const text = answer.text();
    text.catch(() => undefined);
    await stage.gateway.close();
    await expect(text).rejects.toThrow();
  });
  it("X89 while it drains, a request on an open connection is 503 shutting_down", async () => {
    let release = () => {};
    const stage = await open({
      handle: (_, res) => new Promise((resolve) => (release = () => resolve(void res.end("x")))),
    });
    const socket = connect(stage.port, "127.0.0.1");
    let got = "";
    socket.on("data", (chunk) => (got += chunk));
    const request = `GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
    socket.write(request);
    while (stage.callers.length === 0) await sleep(5);
    const closing = stage.gateway.close();
    socket.write(request);
    await sleep(50);
    release();
    await closing;
    expect(got).toMatch(/^HTTP\/1.1 200.*HTTP\/1.1 503.*shutting_down.*retry-after: 1/is);
    socket.destroy();
  });
  it("P22, B76 a bug in the handler fails that request and is reported, the server lives", async () => {
    const stage = await open({ handle: () => Promise.reject(new Error("bug")) });
    const answer = await post(stage);
    expect([answer.status, answer.headers.get("x-everlong-error")]).toEqual([500, "internal"]);
    expect(await answer.text()).not.toContain("bug");
    expect(stage.reports).toHaveLength(1);
    expect((await fetch(`${stage.gateway.address}/healthz`)).status).toBe(200);
  });
  it("SEC4 a refused body is not waited for, and the answer is seen", async () => {
    const stage = await open();
    const answer = await fetch(`${stage.gateway.address}/api/proxy/search`, {
      method: "POST",
      body: Buffer.alloc(3_000_000),
    });
    expect(answer.status).toBe(401);
  });
});

describe("large bodies that are refused", () => {
  it("X107, B22 the answer is seen though the body is not read", async () => {
    const stage = await open();
    const large = { method: "POST", body: Buffer.alloc(30_000_000, 0x20) };
    expect((await stage.api("/api/proxy/search", large)).status).toBe(413);
    expect((await stage.api("/api/proxy/search", { ...large, headers: { "content-type": "text/plain" } })).status).toBe(
      415,
    );
    expect((await fetch(`${stage.gateway.address}/healthz`)).status).toBe(200);
  });
  it("who goes on sending is cut off", async () => {
    const stage = await open();
    const socket = connect(stage.port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write("POST /api/x HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n\r\n");
    const drip = setInterval(() => socket.write("a"), 50);
    socket.resume();
    await new Promise((resolve) => socket.once("close", resolve));
    clearInterval(drip);
    expect(socket.bytesWritten).toBeLessThan(1_000_000);
  });
});
