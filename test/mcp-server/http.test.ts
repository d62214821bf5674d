// Servers over streamable HTTP: headers, sessions, keys, streams that die, and what never answers.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { afterEach, describe, expect, it } from "vitest";
import { bench, eventually, named, words } from "./fixture.ts";
import { type Fault, type HttpRequest, type HttpServer, startHttp } from "./http.ts";
import { plainServer } from "./plain.ts";

let server: HttpServer;
afterEach(() => server?.close());
const serve = async (fault?: (request: HttpRequest) => Fault, entry: object = {}) => {
  server = await startHttp(() => plainServer(), fault);
  return bench(() => ({ far: { url: server.url, ...entry } }));
};

describe("streamable HTTP", () => {
  it("O128 O136 the same tools and answers, with the headers that were configured", async () => {
    const b = await serve(undefined, { headers: { "X-Key": "k1" } });
    const { tools } = await b.begin();
    expect(words(await b.call(named(tools, "echo"), { text: "over there" }))).toBe("over there");
    expect(words(await b.call(named(tools, "slow"), { steps: 2, stepMs: 50 }))).toBe("slow and done");
    expect(b.progress[0]).toBe("1/2 step 1");
    expect(server.requests.every(({ headers }) => headers["x-key"] === "k1")).toBe(true);
    await b.host.end();
  });

  it("O140 401 is needs-auth and says which header to set; other refusals and a closed port have failed", async () => {
    const b = await serve(() => 401);
    await b.begin();
    expect(b.host.servers()[0]).toMatchObject({ status: "needs-auth", reason: expect.stringMatching(/Authorization/) });
    await server.close();
    const gone = bench(() => ({ far: { url: server.url } }));
    await gone.begin();
    expect(gone.host.servers()[0]).toMatchObject({ status: "failed", reason: expect.stringMatching(/ECONNREFUSED/) });
    const broken = await serve(() => 500);
    await broken.begin();
    expect(broken.host.servers()[0]?.status).toBe("failed");
  });

  it("OB19 a stream that dies in a call is an error at once, not a time-out", async () => {
    const b = await serve(({ method }) => (method === "tools/call" ? "cut" : undefined));
    const { tools } = await b.begin();
    expect(words(await b.call(named(tools, "slow"), {}))).toMatch(/^failed: MCP server "far", tool "slow": the stream/);
    await b.host.end();
  });

  it("OB17 a call that hangs ends at its time-out", async () => {
    const b = await serve(({ method }) => (method === "tools/call" ? "hang" : undefined), { timeout: 300 });
    const { tools } = await b.begin();
    expect(words(await b.call(named(tools, "slow"), {}))).toMatch(/^timeout/);
    await b.host.end();
  });

  it("O139 a session that the server has forgotten is opened anew, and a call that only reads is tried again", async () => {
    const b = await serve();
    const { tools } = await b.begin();
    server.forget();
    expect(words(await b.call(named(tools, "echo"), { text: "still there" }))).toBe("still there");
    expect(b.statuses).toEqual(["far starting", "far connected", "far starting", "far connected"]);
    await b.host.end();
  });

  it("the server is told when we leave", async () => {
    const b = await serve();
    await b.begin();
    const sessions = () => server.requests.filter(({ headers, method }) => headers["mcp-session-id"] && !method).length;
    await eventually(() => sessions() > 0);
    const before = server.requests.length;
    await b.host.end();
    expect(server.requests.length).toBe(before + 1);
  });
});

it("O128 the older transport works too", async () => {
  let line: SSEServerTransport | undefined;
  const old = createServer((req, res) => {
    if (req.method === "POST") return void line?.handlePostMessage(req, res);
    line = new SSEServerTransport("/messages", res);
    void plainServer().connect(line as Parameters<ReturnType<typeof plainServer>["connect"]>[0]);
  });
  await new Promise<void>((resolve) => old.listen(0, "127.0.0.1", resolve));
  try {
    const url = `http://127.0.0.1:${(old.address() as AddressInfo).port}/sse`;
    const b = bench(() => ({ old: { type: "sse", url } }));
    expect(words(await b.call(named((await b.begin()).tools, "echo"), { text: "hi" }))).toBe("hi");
    await b.host.end();
  } finally {
    old.closeAllConnections();
    old.close();
  }
});
