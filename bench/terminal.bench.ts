// The terminal: first frame after a start, bytes of an idle screen, and how soon a key is seen while an answer streams.
import { spawn as spawnProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type IPty, spawn } from "@lydell/node-pty";
import { alternate, print, timed } from "./measure.ts";

const bin = join(process.cwd(), "bin", "everlong.js");
const IDLE_MS = 2000;
const KEYS = 100;
const OURS = [process.execPath, bin];
/** What any program at a terminal costs: each byte comes back as it is. */
const ECHO = [
  process.execPath,
  "-e",
  "process.stdin.setRawMode(true).pipe(process.stdout); process.stdout.write('ready')",
];
/** Other agents, where their packages are installed: `EVERLONG_PEERS_DIR` is a folder with `node_modules`. */
const PEERS = [
  { name: "claude", first: /❯|Welcome|theme/ },
  { name: "pi", first: /interrupt/ },
];

const piece = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

/** 3,000 lines, a few at a time. */
async function stream(response: ServerResponse): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (let line = 0; line < 3000; line += 5) {
    response.write(piece({ content: Array.from({ length: 5 }, (_, at) => `- item ${line + at}\n`).join("") }));
    await wait(20);
  }
  response.end(`${piece({}, "stop")}data: [DONE]\n\n`);
}

type Opened = { pty: IPty; sees(text: string | RegExp): Promise<number>; bytes(): number };

function open(env: Record<string, string>, folder: string, [program, ...args]: readonly string[] = OURS): Opened {
  const pty = spawn(program ?? "", args, {
    name: "xterm-256color",
    cols: 80,
    rows: 24,
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, LANG: "C.UTF-8", OLLAMA_HOST: "http://127.0.0.1:9", ...env },
  });
  let raw = "";
  let look = (): void => undefined;
  pty.onData((data) => {
    raw += data;
    look();
  });
  return {
    pty,
    bytes: () => raw.length,
    sees: (text) => {
      const from = raw.length;
      return new Promise((resolve) => {
        look = () => {
          const start = typeof text === "string" ? Math.max(0, from - text.length) : from;
          if (typeof text === "string" ? raw.indexOf(text, start) >= 0 : text.test(raw.slice(start)))
            resolve(performance.now());
        };
        look();
      });
    },
  };
}

const end = async ({ pty }: { pty: IPty }): Promise<void> => {
  const gone = new Promise((resolve) => pty.onExit(resolve));
  pty.kill("SIGKILL");
  await gone;
};

const memoryOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

/** Of the main thread, which reads keys and draws. */
const processorMs = (pid: number): number => Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;

async function echoes(screen: Opened, from: number): Promise<number[]> {
  const times: number[] = [];
  for (let key = 0; key < KEYS; key++) {
    const mark = String.fromCodePoint(from + key);
    const seen = screen.sees(mark);
    const start = performance.now();
    screen.pty.write(mark);
    times.push((await seen) - start);
    await wait(40);
  }
  return times.sort((a, b) => a - b);
}

function report(name: string, times: readonly number[], target = "no limit"): void {
  const at = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(1);
  console.log(`${name}: median ${at(0.5)} ms, p95 ${at(0.95)} ms (${target})`);
}

export async function bench(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "everlong-bench-"));
  const server = createServer((request, response) => {
    request.resume().on("end", () => void stream(response));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  const env = {
    EVERLONG_HOME: join(folder, "home"),
    EVERLONG_BASE_URL: `http://127.0.0.1:${port}`,
    EVERLONG_MODEL: "m",
    EVERLONG_API_KEY: "k",
    EVERLONG_CONSOLIDATE_ON_EXIT: "false",
    PI_OFFLINE: "1",
  };
  const empty = () =>
    timed(
      () =>
        new Promise((resolve) => spawnProcess(process.execPath, ["-e", "0"], { stdio: "ignore" }).on("close", resolve)),
    );
  const until =
    (text: string | RegExp, program: readonly string[] = OURS) =>
    async () => {
      const start = performance.now();
      const screen = open(env, folder, program);
      const at = await screen.sees(text);
      await end(screen);
      return at - start;
    };
  await until("session ")(); // warm the compile cache
  print("first frame", await alternate(9, empty, until("❯")), "<= 8");
  const peers = process.env["EVERLONG_PEERS_DIR"];
  for (const { name, first } of PEERS) {
    const path = join(peers ?? "", "node_modules", ".bin", name);
    if (peers && existsSync(path))
      print(`first frame of ${name}`, await alternate(5, empty, until(first, [path])), "above ours");
  }
  print("session open on the screen", await alternate(9, empty, until("session ")), "no limit");

  const screen = open(env, folder);
  await screen.sees("session ");
  await wait(1500);
  const before = screen.bytes();
  await wait(IDLE_MS);
  console.log(`idle screen: ${screen.bytes() - before} bytes in ${IDLE_MS} ms (0)`);

  const rss = memoryOf(screen.pty.pid);
  const plain = open(env, folder, ECHO);
  await plain.sees("ready");
  await wait(500);
  const share = rss / memoryOf(plain.pty.pid);
  console.log(`idle memory: ${rss.toFixed(0)} MB, ${share.toFixed(2)} times an empty Node (<= 3)`);

  const busy = processorMs(screen.pty.pid);
  const quiet = await echoes(screen, 0x4e00);
  console.log(`key on an idle screen: ${((processorMs(screen.pty.pid) - busy) / KEYS).toFixed(2)} ms of the processor`);
  report("key echo on an idle screen", quiet);
  screen.pty.write("\u0015go\r");
  await screen.sees("item 20");
  report("key echo while 3,000 lines stream", await echoes(screen, 0x5000), "<= 16 on a quiet machine");
  report("bare echo of an empty Node", await echoes(plain, 0x4e00));
  await end(plain);
  await end(screen);
  server.close();
  rmSync(folder, { recursive: true, force: true });
}
