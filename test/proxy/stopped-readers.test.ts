// X123, L4: a client that stops to read holds up its own upstream, costs next to nothing, and nobody else notices.
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it, onTestFinished } from "vitest";
import { openInProcess } from "./in-process.ts";

const STOPPED = process.env["EVERLONG_SOAK"] ? 50 : 10;
const FIRST = 2;
const MB = 1024 * 1024;
const HEADERS = { "content-type": "application/json", "user-agent": "opencode/1.18.0" };
const END = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
const event = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;
const CHUNK = event("x".repeat(16_000));
/** 19 MB a stream: the sockets on the way hold less. */
const CHUNKS = 1200;

const bodyOf = (session: string): string =>
  JSON.stringify({ model: "gpt-5", stream: true, messages: [{ role: "user", content: `Say ${session}` }] });

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** What is in use, not what V8 has not given back yet. */
async function usedMb(): Promise<number> {
  for (let n = 0; n < 3; n++) {
    collect();
    await wait(20); // buffers are freed behind the collector's back
  }
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / MB;
}

it("X123 L4 readers that stop: their upstreams are paused, each costs at most 1 MB, others are served, and all comes in the end", async () => {
  const sent: number[] = [];
  const server = createServer(async (req, res) => {
    const [, number] = /stop-(\d+)/.exec((await buffer(req)).toString()) ?? [];
    res.writeHead(200, { "content-type": "text/event-stream" });
    if (number === undefined) return res.end(event("here") + END);
    for (let n = 0; n < CHUNKS; n++) {
      sent[Number(number)] = n;
      if (!res.write(CHUNK)) await new Promise((resolve) => res.once("drain", resolve));
    }
    return res.end(END);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const gateway = await openInProcess({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  onTestFinished(async () => {
    await gateway.close();
    server.closeAllConnections();
    server.close();
  });
  const other = async (session: string): Promise<string> => {
    const headers = { ...HEADERS, "x-session-id": session };
    return (
      await fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", headers, body: bodyOf(session) })
    ).text();
  };
  const stopped = (from: number, count: number): Promise<IncomingMessage>[] =>
    Array.from({ length: count }, (_, at) => {
      const n = from + at;
      const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
      const headers = { ...HEADERS, "x-session-id": `stop-${n}` };
      const options = { method: "POST", headers };
      request(`${gateway.url}/v1/chat/completions`, options, (res) => resolve(res.pause())).end(bodyOf(`stop-${n}`));
      return promise;
    });
  // Until no upstream can write any more: everything between is full.
  const full = async (count: number): Promise<void> => {
    for (let last = -1, now = 0; last !== now || sent.filter((n) => n > 0).length < count; ) {
      last = now;
      await wait(200);
      now = sent.reduce((sum, n) => sum + n, 0);
    }
  };
  // What the first ones cost besides is code and tables.
  const first = await Promise.all(stopped(0, FIRST));
  await full(FIRST);
  const before = await usedMb();
  const readers = [...first, ...(await Promise.all(stopped(FIRST, STOPPED)))];
  await full(FIRST + STOPPED);
  expect(Math.max(...sent), "no upstream got rid of its answer").toBeLessThan(CHUNKS - 1);
  expect(await other("other"), "others are served").toBe(event("here") + END);
  // The two ends that the test itself has of each connection hold about half of it.
  expect(((await usedMb()) - before) / STOPPED, "MB a stream").toBeLessThan(1.5);
  const bytes = await Promise.all(readers.map(async (reader) => (await buffer(reader)).length));
  expect(new Set(bytes)).toEqual(new Set([CHUNKS * CHUNK.length + END.length]));
}, 120_000);
