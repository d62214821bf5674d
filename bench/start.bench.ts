// F115: --version, --help and serve against an empty Node, and the first model request of -p.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { alternate, print, timed } from "./measure.ts";

const bin = join(process.cwd(), "bin", "everlong.js");

let pid = 0;
function run(args: string[], env: Record<string, string> = {}): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { stdio: "ignore", env: { ...process.env, ...env } });
    pid = child.pid ?? 0;
    child.on("close", () => resolve());
  });
}

/** Until `serve` has said where it listens. */
async function listening(env: Record<string, string>): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, [bin, "serve", "--port", "0", "--json"], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, ...env },
  });
  await new Promise((resolve) => child.stdout?.once("data", resolve));
  const took = performance.now() - start;
  const ended = new Promise((resolve) => child.once("close", resolve));
  child.kill("SIGTERM");
  await ended;
  return took;
}

/** Processor time of the main thread, and the most memory so far: what a busy machine cannot falsify. */
const soFar = (): { ms: number; mb: number } => ({
  ms: Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6,
  mb: Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024,
});
const middle = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

const ANSWER = [
  '{"choices":[{"index":0,"delta":{"role":"assistant","content":"hi"}}]}',
  '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
  "[DONE]",
];

export async function bench(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "everlong-bench-"));
  let arrived = 0;
  const costs: { ms: number; mb: number }[] = [];
  const server = createServer((request, response) => {
    arrived = performance.now();
    if (process.platform === "linux") costs.push(soFar());
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(ANSWER.map((a) => `data: ${a}\n\n`).join(""));
    });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  const env = {
    EVERLONG_HOME: home,
    EVERLONG_BASE_URL: `http://127.0.0.1:${port}`,
    EVERLONG_MODEL: "m",
    EVERLONG_API_KEY: "k",
  };
  const empty = () => timed(() => run(["-e", "0"]));
  const firstRequest = async () => {
    const start = performance.now();
    await run([bin, "-p", "hi"], env);
    return arrived - start;
  };
  await firstRequest(); // warm the compile cache
  print("--version", await alternate(9, empty, () => timed(() => run([bin, "--version"]))), "<= 1.5");
  print("--help", await alternate(9, empty, () => timed(() => run([bin, "--help"], env))), "<= 2");
  print("serve listening", await alternate(5, empty, () => listening(env)), "<= 10");
  const first = await alternate(9, empty, firstRequest);
  print("first request of -p", first, `node -e 0 + 150 ms; here + ${(first.product - first.baseline).toFixed(0)} ms`);
  const [ms, mb] = [middle(costs.map((cost) => cost.ms)), middle(costs.map((cost) => cost.mb))];
  console.log(
    `  by then ${ms.toFixed(0)} ms of processor time (main thread) and at most ${mb.toFixed(0)} MB (target 90 MB)`,
  );
  server.close();
  rmSync(home, { recursive: true, force: true });
}
