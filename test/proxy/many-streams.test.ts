// X122, L1, L4: many at once: every stream is whole and kept, and what is not managed passes as it came.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { startGateway } from "./gateway.ts";

const SOAK = process.env["EVERLONG_SOAK"] !== undefined;
const STREAMS = SOAK ? 500 : 100;
const MANAGED = { "content-type": "application/json", "user-agent": "opencode/1.18.0" };
const END = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
const event = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;

async function startUpstream(answer: (req: IncomingMessage, res: ServerResponse, body: Buffer) => unknown) {
  const server = createServer(async (req, res) => {
    const body = await buffer(req);
    res.writeHead(200, { "content-type": "text/event-stream" });
    await answer(req, res, body);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const bodyOf = (session: string): string =>
  JSON.stringify({ model: "gpt-5", stream: true, messages: [{ role: "user", content: `Say ${session}` }] });

const ask = (url: string, session: string, headers: Record<string, string> = MANAGED): Promise<Response> =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { ...headers, "x-session-id": session },
    body: bodyOf(session),
  });

it("X122 L4 many streams at once: each comes whole, byte for byte, and every one of them is kept", async () => {
  const upstream = await startUpstream(async (_req, res, body) => {
    const { messages } = JSON.parse(body.toString()) as { messages: { content: string }[] };
    for (let n = 0; n < 5; n++) {
      res.write(event(`${messages.at(-1)?.content} ${n} `));
      await wait(5);
    }
    res.end(END);
  });
  const gateway = await startGateway(upstream);
  const expected = (session: string): string =>
    Array.from({ length: 5 }, (_, n) => event(`Say ${session} ${n} `)).join("") + END;
  const answers = await Promise.all(
    Array.from({ length: STREAMS }, async (_, n) => {
      const answer = await ask(gateway.url, `stream-${n}`);
      return [n, await answer.text()] as const;
    }),
  );
  for (const [n, text] of answers) expect(text, `stream ${n}`).toBe(expected(`stream-${n}`));
  // One that had to wait its turn is kept like any other: nothing was skipped.
  await expect.poll(async () => (await gateway.api("/api/proxy/stats")).json()).toMatchObject({ stored: STREAMS });
  expect((await gateway.stop()).code).toBe(0);
});

it("L1 X118 many unmanaged requests over sixteen connections: the very bytes both ways, and no folder for any of them", async () => {
  const seen: string[] = [];
  const upstream = await startUpstream((_req, res, body) => {
    seen.push(body.toString());
    res.end(body);
  });
  const gateway = await startGateway(upstream);
  const rounds = SOAK ? 200 : 20;
  const lane = async (lane: number): Promise<void> => {
    for (let n = 0; n < rounds; n++) {
      const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", "user-agent": "bench/1.0" },
        body: bodyOf(`plain-${lane}-${n}`),
      });
      expect([answer.status, await answer.text()]).toEqual([200, bodyOf(`plain-${lane}-${n}`)]);
    }
  };
  await Promise.all(Array.from({ length: 16 }, (_, n) => lane(n)));
  expect(new Set(seen).size).toBe(16 * rounds);
  const stats = async () => (await gateway.api("/api/proxy/stats")).json();
  await expect.poll(stats).toMatchObject({ requests: 0, stored: 0, unmanaged: { unknown_client: 16 * rounds } });
  expect(gateway.file("plain-0-0", "session.json")).toBe("");
});

it("L2 X119 histories of 100 KB with nothing to do: the very bytes go on, and of each request only what is new is stored", async () => {
  const seen: string[] = [];
  const upstream = await startUpstream((_req, res, body) => {
    seen.push(body.toString());
    res.end(event("Read.") + END);
  });
  const gateway = await startGateway(upstream);
  const [lanes, rounds] = SOAK ? [16, 40] : [4, 4];
  const history = (lane: number, turns: number): string => {
    const turn = (n: number) => [
      { role: "user", content: `Lane ${lane}, part ${n}: ${"a line of notes. ".repeat(300)}` },
      { role: "assistant", content: "Read." },
    ];
    const messages = Array.from({ length: turns }, (_, n) => turn(n)).flat();
    return JSON.stringify({
      model: "gpt-5",
      stream: true,
      messages: [...messages, { role: "user", content: "Go on." }],
    });
  };
  const sent = await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      const bodies = Array.from({ length: rounds }, (_, n) => history(lane, 20 + n));
      for (const body of bodies) {
        const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
          method: "POST",
          headers: { ...MANAGED, "x-session-id": `lane-${lane}` },
          body,
        });
        expect([answer.status, answer.headers.get("x-everlong-action"), await answer.text()]).toEqual([
          ...[200, "pass"],
          event("Read.") + END,
        ]);
      }
      return bodies;
    }),
  );
  expect(seen.toSorted()).toEqual(sent.flat().toSorted());
  const stats = async () => (await gateway.api("/api/proxy/stats")).json();
  await expect.poll(stats).toMatchObject({ requests: lanes * rounds, stored: lanes * (19 + rounds + 2) });
});
