// A turn with a Graphiti server that is dead: how much later its request leaves than without one, against the budget of recall.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { alternate } from "./measure.ts";

const bin = join(process.cwd(), "bin", "everlong.js");
const BUDGET_MS = 750;
const ROUNDS = 9;
const ANSWER = [
  '{"choices":[{"index":0,"delta":{"role":"assistant","content":"hi"}}]}',
  '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
  "[DONE]",
];

const listening = async (server: {
  listen(port: number, host: string): unknown;
  once: CallableFunction;
  address(): unknown;
}) => {
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

export async function bench(): Promise<void> {
  const base = mkdtempSync(join(tmpdir(), "everlong-bench-"));
  const folder = join(base, "work");
  mkdirSync(folder);
  let arrived = 0;
  const model = createServer((request, response) => {
    arrived ||= performance.now();
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(ANSWER.map((part) => `data: ${part}\n\n`).join(""));
    });
  });
  const sockets = new Set<{ destroy(): void }>();
  // It takes connections and says nothing, ever.
  const blackHole = createSocketServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
  });
  const [modelUrl, holeUrl] = [await listening(model), await listening(blackHole)];
  const env = (more: Record<string, string>) => ({
    PATH: process.env["PATH"] ?? "",
    HOME: base,
    EVERLONG_HOME: join(base, "home"),
    EVERLONG_BASE_URL: modelUrl,
    EVERLONG_MODEL: "m",
    EVERLONG_API_KEY: "k",
    EVERLONG_EMBEDDER: "none",
    ...more,
  });
  const run = (args: string[], more: Record<string, string> = {}) =>
    new Promise<void>((resolve) => {
      const child = spawn(process.execPath, [bin, ...args], { cwd: folder, stdio: "ignore", env: env(more) });
      child.on("close", () => resolve());
    });
  const dead = (url: string) => ({
    EVERLONG_GRAPHITI_ENABLED: "1",
    EVERLONG_GRAPHITI_ENDPOINT: url,
    EVERLONG_GRAPHITI_RECALL_ENABLED: "1",
    EVERLONG_GRAPHITI_RECALL_SCOPES: "all",
    EVERLONG_GRAPHITI_RECALL_TIMEOUT_MS: String(BUDGET_MS),
  });
  const turn =
    (more: Record<string, string> = {}) =>
    async () => {
      arrived = 0;
      const start = performance.now();
      await run(["-p", "Which port do we use for the shop?"], more);
      return arrived - start;
    };
  await run(["trust"]);
  for (const [name, url] of [
    ["answers nothing", holeUrl],
    ["refuses", "http://127.0.0.1:9"],
  ] as const) {
    await run(["consent", "grant", url], dead(url));
    await turn(dead(url))();
    const { baseline, product } = await alternate(ROUNDS, turn(), turn(dead(url)));
    const delay = product - baseline;
    console.log(
      `turn with a Graphiti server that ${name}: + ${delay.toFixed(0)} ms over ${baseline.toFixed(0)} ms, ` +
        `${(delay / BUDGET_MS).toFixed(2)} of its budget (target <= ${BUDGET_MS + 50} ms)`,
    );
  }
  for (const socket of sockets) socket.destroy();
  blackHole.close();
  model.close();
  rmSync(base, { recursive: true, force: true, maxRetries: 5 });
}
