// L10, L11: a gateway at half load for long keeps its memory, its descriptors and its log flat; one with too much to do says so at once.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { startGateway, type TestGateway } from "../proxy/gateway.ts";

/** `npm test` looks at a few seconds only; `EVERLONG_SOAK_MINUTES=10 npm run soak -- test/fault/gateway-soak.test.ts` at as many as it says. */
const MINUTES = process.env["EVERLONG_SOAK"] ? Number(process.env["EVERLONG_SOAK_MINUTES"] ?? 120) : 0.15;
const LANES = 8;
const TURNS = 40;
/** After 20,000 requests and after any number: what is kept does not grow with what came. */
const MOST_RSS_MB = 300;
const MB = 1024 * 1024;
const ANSWER = JSON.stringify({
  choices: [{ index: 0, message: { role: "assistant", content: "Done." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 10, completion_tokens: 2 },
});

type Upstream = { url: string; hold: Set<ServerResponse> | undefined };

async function startUpstream(): Promise<Upstream> {
  const upstream: Upstream = { url: "", hold: undefined };
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      if (upstream.hold) upstream.hold.add(response);
      else answer(response);
    });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  upstream.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return upstream;
}

const answer = (response: ServerResponse): unknown =>
  response.writeHead(200, { "content-type": "application/json" }).end(ANSWER);

const send = (gateway: TestGateway, session: string, messages: readonly object[]): Promise<Response> =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", "user-agent": "opencode/1.18.0", "x-session-id": session },
    body: JSON.stringify({ model: "gpt-5", messages }),
  });

type Sample = { minute: number; rssMb: number; descriptors: number; walMb: number; p99: number };

function look({ pid, place }: TestGateway, start: number, times: readonly number[]): Sample {
  const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  const wal = join(place.home, "store.db-wal");
  return {
    minute: (performance.now() - start) / 60_000,
    rssMb: Math.round(rss),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    walMb: existsSync(wal) ? Math.round((10 * statSync(wal).size) / MB) / 10 : 0,
    p99: Math.round(times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0),
  };
}

/** One conversation after the other, each request with one more turn; it rests as long as it worked, which is half load. */
async function talk(gateway: TestGateway, lane: number, until: number, times: number[]): Promise<void> {
  for (let n = 0; performance.now() < until; n++) {
    const messages: object[] = [{ role: "system", content: "You are a coding agent." }];
    for (let turn = 0; turn < TURNS && performance.now() < until; turn++) {
      const words = Array.from(
        { length: 60 },
        (_, at) => `word${(lane * 7919 + n * 104_729 + turn * 31 + at * at) % 9973}`,
      );
      messages.push({ role: "user", content: `Step ${turn}: ${words.join(" ")}` });
      const start = performance.now();
      const response = await send(gateway, `soak-${lane}-${n}`, messages);
      await response.text();
      expect(response.status).toBe(200);
      const ms = performance.now() - start;
      times.push(ms);
      messages.push({ role: "assistant", content: `Did step ${turn}.` });
      await wait(Math.max(ms, 5));
    }
  }
}

const slope = (samples: readonly Sample[]): number => {
  const [first, last] = [samples[0], samples.at(-1)];
  return first && last && last.minute > first.minute ? (last.rssMb - first.rssMb) / (last.minute - first.minute) : 0;
};

it(
  "L10 X126 L3 N33 at half load memory, descriptors and the log stay bounded, and nothing fails",
  async () => {
    const upstream = await startUpstream();
    const gateway = await startGateway(upstream, { timeoutMs: (MINUTES + 2) * 60_000, nodeFlags: [] });
    const start = performance.now();
    const end = start + MINUTES * 60_000;
    const times: number[] = [];
    const samples: Sample[] = [];
    const lanes = Promise.all(Array.from({ length: LANES }, (_, lane) => talk(gateway, lane, end, times)));
    const every = Math.max(1000, (end - start) / 60);
    while (performance.now() + every < end) {
      await wait(every);
      samples.push(look(gateway, start, times.slice(-500)));
      if (process.env["EVERLONG_SOAK"]) console.log(JSON.stringify({ ...samples.at(-1), requests: times.length }));
    }
    await lanes;
    const settled = samples.filter(({ minute }) => minute >= Math.min(15, MINUTES / 3));
    const descriptors = settled.map((sample) => sample.descriptors);
    expect(Math.max(...samples.map(({ walMb }) => walMb))).toBeLessThanOrEqual(64);
    expect(Math.max(...samples.map(({ rssMb }) => rssMb))).toBeLessThan(MOST_RSS_MB);
    // Connections of clients and to the upstream come and go with what runs at the moment.
    expect(Math.max(...descriptors) - Math.min(...descriptors)).toBeLessThanOrEqual(5 + 2 * LANES);
    if (MINUTES >= 60) expect(slope(settled)).toBeLessThan(1);
    if (process.env["EVERLONG_SOAK"])
      console.log(`L10 ${times.length} requests, RSS slope ${slope(settled).toFixed(2)} MB/min`);
    expect((await gateway.stop()).code).toBe(0);
  },
  (MINUTES + 2) * 60_000,
);

it("L11 P36 what is too much is refused at once with 503 and a time to come back; the rest is answered", async () => {
  const upstream = await startUpstream();
  upstream.hold = new Set();
  const gateway = await startGateway(upstream, { env: { EVERLONG_PROXY_MEMORY: "off" } });
  const accepted = Array.from({ length: 1000 }, (_, n) =>
    send(gateway, `held-${n}`, [{ role: "user", content: "hi" }]),
  );
  await expect.poll(() => upstream.hold?.size, { timeout: 60_000 }).toBe(1000);
  const refused = await send(gateway, "late", [{ role: "user", content: "hi" }]);
  expect([refused.status, refused.headers.get("x-everlong-error")]).toEqual([503, "overloaded"]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  await refused.text();
  const waiting = upstream.hold;
  upstream.hold = undefined;
  for (const response of waiting) answer(response);
  const statuses = await Promise.all(accepted.map(async (one) => (await one).status));
  expect(new Set(statuses)).toEqual(new Set([200]));
});
