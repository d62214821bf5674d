// X124: 300 turns through several cuts: nearly all of each request is the one before, so that the provider's cache holds.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { openInProcess } from "./in-process.ts";

const TURNS = 300;
/** So many messages a window that slides would show. */
const WINDOW = 100;
const WORDS = "the lexer reads the next token and the parser builds a node from it while the writer waits for both";
const ANSWER = '{"choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}';

function shared(before: Buffer, after: Buffer): number {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at++;
  return at / before.length;
}
const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

it("X124 XI4 300 turns through 5 cuts share 0.95 of their bytes with the request before; only an epoch's end breaks the prefix", async () => {
  let latest = Buffer.alloc(0);
  const server = createServer(async (request, response) => {
    latest = await buffer(request);
    response.writeHead(200, { "content-type": "application/json" }).end(ANSWER);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  const gateway = await openInProcess(
    { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    {
      EVERLONG_PROXY_WINDOWS: "*: 26000",
      EVERLONG_PROXY_RECALL_TIMEOUT_MS: "20000",
      EVERLONG_PROXY_RECALL_MAX_CHARS: "600",
      CLIPROXY_SEMANTIC_ENABLED: "0",
    },
  );
  onTestFinished(() => gateway.close());
  const messages: { role: string; content: string }[] = [{ role: "system", content: "You are a coding agent." }];
  const shares: number[] = [];
  const sliding: number[] = [];
  const broken: number[] = [];
  const ended: number[] = [];
  let before: { sent: Buffer; window: Buffer; epoch: string | null } | undefined;
  for (let turn = 0; turn < TURNS; turn++) {
    messages.push({ role: "user", content: `Step ${turn}: ${WORDS} ${turn * 7919} ${WORDS} ${WORDS}` });
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": "opencode/1.18.0", "x-session-id": "prefix" },
      body: JSON.stringify({ model: "gpt-5", messages }),
    });
    await response.text();
    messages.push({
      role: "assistant",
      content: `Step ${turn} is through: ${WORDS} ${turn * 104_729} ${WORDS} ${WORDS}`,
    });
    const epoch = response.headers.get("x-everlong-epoch");
    const window = Buffer.from(JSON.stringify([messages[0], ...messages.slice(-WINDOW)]));
    if (before) {
      const share = shared(before.sent, latest);
      shares.push(share);
      sliding.push(shared(before.window, window));
      if (share < 0.9) broken.push(turn);
      if (epoch !== before.epoch) ended.push(turn);
    }
    before = { sent: latest, window, epoch };
  }
  expect(ended.length, "cuts").toBeGreaterThanOrEqual(5);
  expect(broken).toEqual(ended);
  expect(mean(shares)).toBeGreaterThanOrEqual(0.95);
  expect(mean(sliding), "what a window that slides would share").toBeLessThan(mean(shares) - 0.2);
}, 120_000);
