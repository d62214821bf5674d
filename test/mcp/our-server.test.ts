// Everlong as an MCP server: the same tools and answers on stdio and on the gateway, within the client's repository only.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { gitInit } from "../agent/scene.ts";
import { text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { startGateway, type TestGateway } from "../proxy/gateway.ts";
import { newPlace, type Place, placeFor, run, sessionsOf } from "../tool/everlong.ts";
import { overHttp, overStdio } from "./client.ts";

/** A session in this repository, and one in another. */
async function remembered(): Promise<{ place: Place; other: string; here: string; there: string }> {
  const server = await startModelServer({ script: () => text("Noted, the zebra port is 7411.") });
  onTestFinished(() => server.close());
  const place = placeFor(server, { EVERLONG_EMBEDDER: "none", EVERLONG_RECALL_TIMEOUT_MS: "20000" });
  gitInit(place);
  const other = join(dirname(place.home), "other");
  mkdirSync(other);
  execFileSync("git", ["init", "-q", "-b", "main"], { cwd: other });
  expect((await run(place, ["-p", "The zebra service listens on port 7411."])).code).toBe(0);
  const here = sessionsOf(place)[0] ?? "";
  const elsewhere = await run(place, ["-p", "The giraffe password policy is strict."], { cwd: other });
  expect(elsewhere.code).toBe(0);
  const there = sessionsOf(place).find((id) => id !== here) ?? "";
  return { place, other, here, there };
}

async function gatewayOf(place: Place, env: Record<string, string> = {}): Promise<TestGateway> {
  return startGateway({ url: "" }, { place: { ...place, env: { ...place.env, ...env } } });
}

const READ = ["recall", "search_sessions"];

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};
const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };

describe("our own MCP server", () => {
  it("OE15 O149 O150 O151 recalls and finds sessions of the client's repository, alike on stdio and on /mcp", async () => {
    const { place, other, here, there } = await remembered();
    const gateway = await gatewayOf(place);
    const [stdio, http] = [
      await overStdio(place, { root: place.folder }),
      await overHttp(gateway, { root: place.folder }),
    ];
    for (const served of [stdio, http]) {
      expect(await served.tools()).toEqual([...READ, "store_memory", "vote_memory", "context_board"]);
      const found = await served.call("recall", { query: "zebra port" });
      expect(found).toContain(`${here}:t1.1`);
      expect(found).not.toContain("giraffe");
      expect(await served.call("recall", { query: `${here}:t1.1` })).toBe("The zebra service listens on port 7411.");
      expect(await served.call("search_sessions", { query: "zebra" })).toMatch(new RegExp(`^${here}  `));
      // Neither words, nor a ref, nor an argument reaches another repository.
      expect(await served.call("recall", { query: "giraffe" })).toMatch(/^No matches/);
      expect(await served.call("recall", { query: `${there}:t1.1` })).toMatch(/^error: Session not found/);
      expect(await served.call("search_sessions", { query: "giraffe" })).toMatch(/^No session was found/);
      expect(await served.call("recall", { query: "giraffe", repository: other })).toMatch(/^error: Wrong arguments/);
      expect(await served.call("recall", { query: "zebra", limit: 51 })).toMatch(/^error: Wrong arguments/);
    }
    expect(await http.call("recall", { query: "zebra port" })).toBe(
      await stdio.call("recall", { query: "zebra port" }),
    );
  });

  it("O151 without roots: the process's folder on stdio, only what belongs to the user over HTTP", async () => {
    const { place } = await remembered();
    const gateway = await gatewayOf(place);
    expect(await (await overStdio(place)).call("recall", { query: "zebra" })).toContain("7411");
    const http = await overHttp(gateway);
    expect(await http.call("recall", { query: "zebra" })).toBe("No matches in your own memories.");
    expect(await http.call("recall", { query: "t1.1" })).toMatch(/^error: /);
  });

  it("O152 with memory off there are no tools; --read-only has those that read", async () => {
    const place = newPlace();
    expect(await (await overStdio(place, { args: ["--read-only"] })).tools()).toEqual([...READ, "context_board"]);
    const off = { EVERLONG_RECALL: "off" };
    expect(await (await overStdio(place, { env: off, args: ["--read-only"] })).tools()).toEqual(["context_board"]);
    expect(await (await overStdio(place, { env: { EVERLONG_MEMORY: "off" } })).tools()).toEqual([]);
  });

  it("O149 stdout is pure protocol, whatever there is to warn of; it ends with its client and at a signal", async () => {
    const place = newPlace({ EVERLONG_MAX_STEPS: "many" });
    for (const end of ["stdin", "SIGTERM"] as const) {
      const child = spawn(process.execPath, [join(import.meta.dirname, "../../bin/everlong.js"), "mcp"], {
        cwd: place.folder,
        env: { PATH: process.env["PATH"] ?? "", HOME: dirname(place.home), EVERLONG_HOME: place.home, ...place.env },
      });
      let [out, err] = ["", ""];
      child.stdout.on("data", (chunk) => {
        out += chunk;
      });
      child.stderr.on("data", (chunk) => {
        err += chunk;
      });
      const exit = once(child, "exit");
      child.stdin.write("this is not JSON\n");
      child.stdin.write(`${JSON.stringify(initialize)}\n`);
      while (!out.includes('"id":1')) await once(child.stdout, "data");
      if (end === "stdin") child.stdin.end();
      else child.kill(end);
      expect((await exit)[0]).toBe(0);
      for (const line of out.trim().split("\n")) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
      expect(err).toContain("EVERLONG_MAX_STEPS");
    }
  });
});

describe("/mcp of the gateway", () => {
  const post = (gateway: TestGateway, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${gateway.url}/mcp`, {
      method: "POST",
      headers: { ...json, ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });

  it("O149 has the gateway's authentication, Host and Origin checks", async () => {
    const gateway = await gatewayOf(newPlace());
    const token = { authorization: `Bearer ${gateway.token}` };
    expect((await post(gateway, initialize)).status).toBe(401);
    expect((await post(gateway, initialize, { authorization: "Bearer wrong" })).status).toBe(401);
    expect((await post(gateway, initialize, { ...token, origin: "https://evil.example" })).status).toBe(403);
    expect((await post(gateway, initialize, { ...token, "sec-fetch-site": "cross-site" })).status).toBe(403);
    const answer = await post(gateway, initialize, token);
    expect(answer.status).toBe(200);
    const session = answer.headers.get("mcp-session-id") ?? "";
    expect(await answer.text()).toContain('"name":"everlong"');
    const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };
    // The id of a session is no password.
    expect((await post(gateway, list, { "mcp-session-id": session })).status).toBe(401);
    const listed = await post(gateway, list, { ...token, "mcp-session-id": session });
    expect(await listed.text()).toContain('"recall"');
  });

  it("O149 a bad body, a foreign session, another method: refused with words, and it goes on", async () => {
    const gateway = await gatewayOf(newPlace());
    const token = { authorization: `Bearer ${gateway.token}` };
    expect((await post(gateway, "{", token)).status).toBe(400);
    expect((await post(gateway, `"${"x".repeat(300_000)}"`, token)).status).toBe(413);
    expect((await post(gateway, "x", { ...token, "content-type": "text/plain" })).status).toBe(415);
    expect((await post(gateway, { jsonrpc: "2.0", id: 2, method: "tools/list" }, token)).status).toBe(400);
    expect((await post(gateway, initialize, { ...token, "mcp-session-id": "nobody" })).status).toBe(404);
    expect((await fetch(`${gateway.url}/mcp`, { method: "PUT", headers: token })).status).toBe(405);
    expect((await post(gateway, initialize, token)).status).toBe(200);
  });

  it("O149 SEC3 gateway.auth=loopback-open lets callers of this machine in to /mcp alone, and warns; other checks stay, and a project cannot say it", async () => {
    const gateway = await gatewayOf(newPlace(), { EVERLONG_GATEWAY_AUTH: "loopback-open" });
    expect((await post(gateway, initialize)).status).toBe(200);
    expect((await post(gateway, initialize, { authorization: "Bearer wrong" })).status).toBe(401);
    expect((await post(gateway, initialize, { origin: "https://evil.example" })).status).toBe(403);
    expect((await post(gateway, initialize, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await fetch(`${gateway.url}/api/recall/stats`)).status).toBe(401);
    expect((await gateway.stop()).stderr).toContain(
      "any program on this machine can use /graphiti and /mcp without the token",
    );
    const place = newPlace();
    mkdirSync(join(place.folder, ".everlong"));
    writeFileSync(join(place.folder, ".everlong", "settings.json"), '{ "gateway.auth": "loopback-open" }');
    expect((await post(await gatewayOf(place), initialize)).status).toBe(401);
  });

  it("O149 a client's open stream does not hold up the gateway's end", async () => {
    const gateway = await gatewayOf(newPlace(), { EVERLONG_GATEWAY_DRAIN_SECONDS: "45" });
    const token = { authorization: `Bearer ${gateway.token}` };
    const session = (await post(gateway, initialize, token)).headers.get("mcp-session-id") ?? "";
    const headers = { ...token, accept: "text/event-stream", "mcp-session-id": session };
    const stream = await fetch(`${gateway.url}/mcp`, { headers });
    expect(stream.status).toBe(200);
    const read = stream.text();
    expect((await gateway.stop()).code).toBe(0);
    await read;
  });
});
