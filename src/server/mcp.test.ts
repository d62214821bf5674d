// /mcp of the gateway: how many clients it keeps, and what the next one is told.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { openMcp } from "./mcp.ts";

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

it("O149 with a stream of every client open the next one is refused with 503; one that hangs up makes room", async () => {
  const door = openMcp({ tools: [], version: "0", report: () => undefined, monotonic: () => performance.now() });
  const http = createServer((req, res) => void door.handle(req, res));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  const streams: AbortController[] = [];
  // A response that nobody holds is collected, and its stream closed with it.
  const responses: Response[] = [];
  onTestFinished(async () => {
    for (const stream of streams) stream.abort();
    await door.close();
    http.close();
  });
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  async function enter(): Promise<{ status: number; session: string }> {
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(initialize) });
    await answer.text();
    return { status: answer.status, session: answer.headers.get("mcp-session-id") ?? "" };
  }
  async function stay(): Promise<number> {
    const { status, session } = await enter();
    const stream = new AbortController();
    const got = await fetch(url, { headers: { ...headers, "mcp-session-id": session }, signal: stream.signal });
    streams.push(stream);
    responses.push(got);
    return status === 200 ? got.status : status;
  }
  for (let n = 0; n < 200; n++) expect(await stay()).toBe(200);
  expect((await enter()).status).toBe(503);
  streams.pop()?.abort();
  await expect.poll(async () => (await enter()).status).toBe(200);
});
