// The terminal: first frame after a start, bytes of an idle screen, and how soon a key is seen while an answer streams.
import { spawn as spawnProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
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

function open(
  env: Record<string, string>,
  folder: string,
): { pty: IPty; sees(text: string): Promise<number>; bytes(): number } {
  const pty = spawn(process.execPath, [bin], {
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
          if (raw.indexOf(text, Math.max(0, from - text.length)) >= 0) resolve(performance.now());
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
  };
  const empty = () =>
    timed(
      () =>
        new Promise((resolve) => spawnProcess(process.execPath, ["-e", "0"], { stdio: "ignore" }).on("close", resolve)),
    );
  const until = (text: string) => async () => {
    const start = performance.now();
    const screen = open(env, folder);
    const at = await screen.sees(text);
    await end(screen);
    return at - start;
  };
  await until("session ")(); // warm the compile cache
  print("first frame", await alternate(9, empty, until("❯")), "<= 8");
  print("session open on the screen", await alternate(9, empty, until("session ")), "no limit");

  const screen = open(env, folder);
  await screen.sees("session ");
  await wait(1500);
  const before = screen.bytes();
  await wait(IDLE_MS);
  console.log(`idle screen: ${screen.bytes() - before} bytes in ${IDLE_MS} ms (0)`);

  screen.pty.write("go\r");
  await screen.sees("item 20");
  const echoes: number[] = [];
  for (let key = 0; key < KEYS; key++) {
    const mark = String.fromCodePoint(0x4e00 + key);
    const seen = screen.sees(mark);
    const start = performance.now();
    screen.pty.write(mark);
    echoes.push((await seen) - start);
    await wait(40);
  }
  echoes.sort((a, b) => a - b);
  const at = (share: number): string => (echoes[Math.floor(KEYS * share)] ?? 0).toFixed(1);
  console.log(`key echo while 3,000 lines stream: median ${at(0.5)} ms, p95 ${at(0.95)} ms (<= 16 on a quiet machine)`);
  await end(screen);
  server.close();
  rmSync(folder, { recursive: true, force: true });
}
