// N33's bad inputs: a lane whose every request differs from the last, many lanes alive, one huge item.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { type InProcess, openInProcess } from "./in-process.ts";

const SOAK = process.env["EVERLONG_SOAK"] !== undefined;
const ANSWER = '{"choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}';

let gateway: InProcess;
let latest: Buffer;
beforeEach(async () => {
  const server = createServer(async (request, response) => {
    latest = await buffer(request);
    response.writeHead(200, { "content-type": "application/json" }).end(ANSWER);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  gateway = await openInProcess({ url }, { EVERLONG_PROXY_WINDOWS: "*: 50000000" });
  onTestFinished(async () => {
    await gateway.close();
    server.closeAllConnections();
    server.close();
  });
});

type Message = { role: string; content: string };
async function send(session: string, messages: readonly Message[]): Promise<Response> {
  const body = JSON.stringify({ model: "gpt-5", messages });
  const headers = { "content-type": "application/json", "user-agent": "opencode/1.18.0", "x-session-id": session };
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", headers, body });
  expect([answer.status, await answer.text()]).toEqual([200, ANSWER]);
  return answer;
}
const said = (n: number): string => `Look at part ${n} of the parser, and at ${(n * 7919) % 9973} more of them.`;
const user = (content: string): Message => ({ role: "user", content });
const stored = async (): Promise<unknown> =>
  ((await (await gateway.api("/api/proxy/stats")).json()) as { stored: number }).stored;

it("N33 X3 a lane whose every request differs from the last: each goes out as it came, and each item is stored once", async () => {
  for (let n = 0; n < 25; n++) {
    const messages = Array.from({ length: 12 }, (_, at) =>
      at % 2 === 0
        ? user(`${said(n * 100 + at)} ${"x ".repeat(800)}`)
        : { role: "assistant", content: `Did ${n}.${at}` },
    );
    await send("restless", messages);
    expect(JSON.parse(latest.toString()).messages).toEqual(messages);
  }
  await expect.poll(stored).toBe(25 * 12);
});

it("N33 X25 many lanes alive at once: each is known again with its next request", async () => {
  const lanes = SOAK ? 10_000 : 250;
  const first = new Map<number, string | null>();
  const each = async (work: (n: number) => Promise<void>): Promise<void> => {
    let next = 0;
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        while (next < lanes) await work(next++);
      }),
    );
  };
  await each(async (n) => {
    first.set(n, (await send(`alive-${n}`, [user(said(n))])).headers.get("x-everlong-lane"));
  });
  expect(new Set(first.values()).size).toBe(lanes);
  await each(async (n) => {
    const answer = await send(`alive-${n}`, [user(said(n)), { role: "assistant", content: "ok" }, user("Go on.")]);
    expect(answer.headers.get("x-everlong-lane"), `lane ${n}`).toBe(first.get(n));
  });
  await expect.poll(stored).toBe(lanes * 3);
}, 600_000);

it("X120 one huge item: it goes out as it came while others are served, and is stored whole", async () => {
  const text = `The first line names needle-4711.\n${"a line of output that says nothing much\n".repeat(SOAK ? 1_250_000 : 150_000)}`;
  const huge = send("huge", [user("Read it."), { role: "assistant", content: text }, user("And now?")]);
  const others = Promise.all(Array.from({ length: 10 }, (_, n) => send(`beside-${n}`, [user(said(n))])));
  await Promise.all([huge, others]);
  await send("huge", [user("Read it."), { role: "assistant", content: text }, user("And now?")]);
  expect(JSON.parse(latest.toString()).messages[1].content).toBe(text);
  await expect.poll(stored, { timeout: 300_000 }).toBe(13);
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ query: "needle-4711", session: "huge" });
  expect(await (await gateway.api("/api/proxy/search", { method: "POST", headers, body })).text()).toContain(
    "needle-4711",
  );
}, 600_000);
