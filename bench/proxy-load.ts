// What the proxy's benchmark sends and how it measures: processes, conversations, latencies, shares.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "undici";

export type Part = { url: string; pool: Pool; pid: number; stop(signal?: NodeJS.Signals): Promise<void> };
export type Gateway = Part & { home: string };

const root = process.cwd();

async function started(child: ChildProcess, read: (line: string) => string): Promise<Part> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let said = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    if (said.includes("\n")) return; // read on: a full pipe would hold up who writes
    said += chunk.toString();
    if (said.includes("\n")) resolve(said.slice(0, said.indexOf("\n")));
  });
  const url = read(await promise);
  const pool = new Pool(url, { connections: 600, bodyTimeout: 0, headersTimeout: 0 });
  return {
    url,
    pool,
    pid: child.pid ?? 0,
    async stop(signal = "SIGTERM") {
      await pool.destroy();
      if (child.exitCode !== null) return;
      const gone = once(child, "close");
      child.stdin?.end();
      child.kill(signal);
      await gone;
    },
  };
}

export const startPart = (name: "upstream" | "relay" | "insert", origin = ""): Promise<Part> =>
  started(
    spawn(process.execPath, [join(root, "bench", "proxy-parts.mjs"), name, origin], {
      stdio: ["pipe", "pipe", "inherit"],
    }),
    (line) => line,
  );

export async function startGateway(
  upstream: string,
  env: Record<string, string> = {},
  home = mkdtempSync(join(tmpdir(), "everlong-bench-")),
): Promise<Gateway> {
  const flags = process.env["EVERLONG_BENCH_NODE_FLAGS"]?.split(" ") ?? [];
  const args = [...flags, join(root, "bin", "everlong.js"), "serve", "--port", "0"];
  const child = spawn(process.execPath, args, {
    stdio: ["pipe", "pipe", "inherit", "pipe"],
    env: {
      EVERLONG_PARENT_PIPE: "3", // gone when this process is
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      EVERLONG_HOME: join(home, "home"),
      OLLAMA_HOST: "http://127.0.0.1:9",
      EVERLONG_EMBEDDER: "none",
      EVERLONG_UPSTREAM_OPENAI: upstream,
      ...env,
    },
  });
  return { ...(await started(child, (line) => line.split(" ").at(-1) ?? "")), home };
}

export const removeHome = ({ home }: Gateway): void => rmSync(home, { recursive: true, force: true });

export function rssMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
}

/** Of the main thread: what a busy machine cannot falsify. */
export function processorMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
}

/** Of all its threads. */
export function wholeProcessorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

export const MANAGED = { "user-agent": "opencode/1.18.0" };
export const UNMANAGED = { "user-agent": "bench/1.0" };

export type Told = { ms: number; headers: Record<string, string | string[] | undefined> };

let errors = 0;
export const failedRequests = (): number => errors;

export async function post({ pool }: Part, body: string | Buffer, headers: Record<string, string>): Promise<Told> {
  const from = performance.now();
  const answer = await pool.request({
    path: "/v1/chat/completions",
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer sk-bench", ...headers },
    body,
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200 || text.length === 0) errors++;
  return { ms: performance.now() - from, headers: answer.headers };
}

let seed = 7;
const random = (): number => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
};
const SYLLABLES = "ar be co du el fin gra hol im jur ka lo mer nit op pra qui ros su tal un ver wo xan yel zor".split(
  " ",
);
const WORDS = Array.from({ length: 4000 }, () =>
  Array.from({ length: 1 + Math.floor(random() * 4) }, () => SYLLABLES[Math.floor(random() * SYLLABLES.length)]).join(
    "",
  ),
);

/** Text with words, names, numbers and lines, as tools print it. */
export function prose(chars: number): string {
  let text = "";
  while (text.length < chars) {
    const word = WORDS[Math.floor(random() ** 2 * WORDS.length)] ?? "";
    const roll = random();
    text +=
      roll < 0.04 ? `\n${word}_${Math.floor(random() * 999)} = ` : roll < 0.06 ? `src/${word}.ts:12 ` : `${word} `;
  }
  return text.slice(0, chars);
}

type Message = Record<string, unknown>;
const TOOLS = [
  {
    type: "function",
    function: { name: "read", parameters: { type: "object", properties: { path: { type: "string" } } } },
  },
];

/** A history that grows by a prompt, a call, its result and an answer at a time. */
export class Conversation {
  readonly messages: Message[] = [{ role: "system", content: "You are a coding agent." }];
  readonly session: string;
  #calls = 0;

  constructor(session: string) {
    this.session = session;
  }

  /** A model takes its time; what the gateway does meanwhile costs nobody anything. */
  get headers(): Record<string, string> {
    return { ...MANAGED, "x-session-id": this.session, "x-bench-wait": "10" };
  }

  prompt(): this {
    this.messages.push({ role: "user", content: `Go on with ${prose(80)}` });
    return this;
  }

  turn(chars: number): this {
    this.round(chars).messages.push({ role: "assistant", content: prose(120) });
    return this.prompt();
  }

  /** A call and its result: nobody has asked anything new. */
  round(chars: number): this {
    const id = `call_${this.session}_${this.#calls++}`;
    const call = { id, type: "function", function: { name: "read", arguments: `{"path":"${id}.ts"}` } };
    this.messages.push(
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: id, content: prose(chars) },
    );
    return this;
  }

  /** Turns until the body has about that many bytes. */
  grow(bytes: number, chars: number): this {
    if (this.messages.length === 1) this.prompt();
    for (let size = this.body().length; size < bytes; size += chars + 700) this.turn(chars);
    return this;
  }

  body(): string {
    return JSON.stringify({ model: "bench", messages: this.messages, tools: TOOLS });
  }
}

export const quantile = (values: readonly number[], q: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))] ?? 0;
export const p50 = (values: readonly number[]): number => quantile(values, 0.5);
export const p99 = (values: readonly number[]): number => quantile(values, 0.99);

const ENOUGH_MS = 100;

/** What plain JSON work on a body costs, in processor time of this thread, which a busy machine does not change. */
export function jsonMs(body: string): number {
  const spent = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  JSON.stringify(JSON.parse(body));
  const from = spent();
  let rounds = 0;
  do {
    JSON.stringify(JSON.parse(body));
    rounds++;
  } while (spent() - from < ENOUGH_MS);
  return (spent() - from) / rounds;
}

export function say(what: string, value: number, unit: string, target: string, met: boolean): void {
  const shown = Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2);
  console.log(`${met ? "ok  " : "MISS"} ${what}: ${shown}${unit} (target ${target})`);
}
