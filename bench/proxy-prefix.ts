// X124: 300 turns through several cuts, the gateway killed and started again on the way: how much of each request is the one before.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { Conversation, post, removeHome, say, startGateway } from "./proxy-load.ts";

function sharedShare(before: Buffer, after: Buffer): number {
  const most = Math.min(before.length, after.length);
  let at = 0;
  while (at < most && before[at] === after[at]) at++;
  return at / before.length;
}

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

export async function prefixes(): Promise<void> {
  let latest = Buffer.alloc(0);
  const server = createServer(async (request, response) => {
    latest = await buffer(request);
    response.writeHead(200, { "content-type": "application/json" });
    response.end('{"choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { EVERLONG_PROXY_WINDOWS: "*: 160000" };
  let gateway = await startGateway(url, env);
  const { home } = gateway;
  const talk = new Conversation("prefix").prompt();
  const ours: number[] = [];
  const sliding: number[] = [];
  const restarted: number[] = [];
  let breaks = 0;
  let epochs = 0;
  let before: { ours: Buffer; sliding: Buffer; epoch: unknown } | undefined;
  for (let n = 0; n < 300; n++) {
    const isRestart = n > 0 && n % 60 === 30;
    if (isRestart) {
      await gateway.stop("SIGKILL");
      gateway = await startGateway(url, env, home);
    }
    const { headers } = await post(gateway, talk.turn(2500).body(), talk.headers);
    const epoch = headers["x-everlong-epoch"];
    const kept = (JSON.parse(latest.toString()) as { messages: unknown[] }).messages.length;
    const window = JSON.stringify({ model: "bench", messages: [talk.messages[0], ...talk.messages.slice(1 - kept)] });
    const now = { ours: latest, sliding: Buffer.from(window), epoch };
    if (before) {
      const share = sharedShare(before.ours, now.ours);
      ours.push(share);
      sliding.push(sharedShare(before.sliding, now.sliding));
      if (isRestart) restarted.push(share);
      // Our own blocks at the tail stay; only the array's end and what stands behind it moves.
      if (share < 0.9) breaks++;
      if (epoch !== before.epoch) epochs++;
    }
    before = now;
  }
  await gateway.stop();
  removeHome(gateway);
  server.close();
  say(
    `X124 bytes shared with the request before, 300 turns, ${epochs} cuts; a sliding window shares ${mean(sliding).toFixed(3)}`,
    mean(ours),
    "",
    ">= 0.95",
    mean(ours) >= 0.95 && epochs >= 5,
  );
  say(`X124 prefix breaks, ${epochs} epoch ends`, breaks, "", `= ${epochs}`, breaks === epochs);
  say(
    `X124 least share across ${restarted.length} kills`,
    Math.min(...restarted),
    "",
    ">= 0.95",
    Math.min(...restarted) >= 0.95,
  );
}
