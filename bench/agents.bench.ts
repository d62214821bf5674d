// Subagents through the built CLI: what starting one adds to a plain model call, and 256 at once with every one announced.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";

const bin = join(process.cwd(), "bin", "everlong.js");
type Message = { role: string; content: string };
type Call = { name: string; args: object };
type Answer = { text?: string; calls?: Call[] };
/** `prompt`: the first user message of the conversation. */
type Script = (prompt: string, messages: Message[]) => Answer | Promise<Answer>;

const AGENT = /^JOB (\d+)/;

function send(response: ServerResponse, { text = "", calls = [] }: Answer, id: number): void {
  const toolCalls = calls.map((call, index) => ({
    index,
    id: `call_${id}_${index}`,
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.args) },
  }));
  const delta = { role: "assistant", content: text, ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}) };
  const end = { choices: [{ index: 0, delta: {}, finish_reason: toolCalls.length > 0 ? "tool_calls" : "stop" }] };
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(
    [JSON.stringify({ choices: [{ index: 0, delta }] }), JSON.stringify(end), "[DONE]"]
      .map((line) => `data: ${line}\n\n`)
      .join(""),
  );
}

async function withModel<T>(script: Script, use: (url: string, log: Seen[]) => Promise<T>): Promise<T> {
  const log: Seen[] = [];
  let count = 0;
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const seen: Seen = { prompt: "", arrived: performance.now(), answered: 0 };
    const { messages = [] } = JSON.parse((await readText(request)) || "{}") as { messages?: Message[] };
    seen.prompt = messages.find((m) => m.role === "user")?.content ?? "";
    log.push(seen);
    const answer = await script(seen.prompt, messages);
    seen.answered = performance.now();
    send(response, answer, ++count);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, log);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

type Seen = { prompt: string; arrived: number; answered: number };

async function run(url: string, env: Record<string, string>, watch: (pid: number) => void = () => undefined) {
  const home = mkdtempSync(join(tmpdir(), "everlong-bench-"));
  const child = spawn(process.execPath, [bin, "-p", "go", "--silent"], {
    stdio: ["ignore", "ignore", "inherit"],
    cwd: home,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      EVERLONG_HOME: join(home, "home"),
      EVERLONG_BASE_URL: url,
      EVERLONG_MODEL: "m",
      EVERLONG_API_KEY: "k",
      ...env,
    },
  });
  watch(child.pid ?? 0);
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  const folder = join(home, "home", "sessions");
  const [id = ""] = readdirSync(folder);
  const events = readFileSync(join(folder, id, "events.jsonl"), "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { type: string; data: Record<string, unknown> });
  rmSync(home, { recursive: true, force: true });
  return { code, events };
}

const task = (n: number, mode: string): Call => ({
  name: "task",
  args: { description: "bench", prompt: `JOB ${n}`, agent_type: "general-purpose", name: `job-${n}`, mode },
});

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** From the answer that asks for it to the first request of the agent, against the same for a tool that does nothing. */
async function startCost(): Promise<void> {
  const ROUNDS = 30;
  let step = 0;
  const script: Script = (prompt) => {
    if (AGENT.test(prompt)) return { text: "done" };
    step++;
    if (step > 2 * ROUNDS) return { text: "end" };
    const idle: Call = { name: "report_intent", args: { intent: `step ${step}` } };
    return { calls: [step % 2 === 0 ? idle : task(step, "sync")] };
  };
  await withModel(script, async (url, log) => {
    await run(url, { EVERLONG_SUBAGENT_MAX_PER_PROMPT: "1000" });
    const agents: number[] = [];
    const plain: number[] = [];
    for (const [i, seen] of log.entries()) {
      const before = log[i - 1];
      if (!before || AGENT.test(before.prompt)) continue;
      (AGENT.test(seen.prompt) ? agents : plain).push(seen.arrived - before.answered);
    }
    const added = median(agents.slice(5)) - median(plain.slice(5));
    console.log(
      `start of a subagent: ${median(agents.slice(5)).toFixed(1)} ms to its first request, a plain step ${median(plain.slice(5)).toFixed(1)} ms, added ${added.toFixed(1)} ms (target <= 5 ms)`,
    );
  });
}

const AT_ONCE = Number(process.env["EVERLONG_BENCH_AGENTS"] ?? 256);
const rss = (pid: number): number => {
  const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kb ?? 0) / 1024;
};

/** Waves of 256 background agents that all run at the same time; memory after each wave, and who was announced. */
async function manyAtOnce(): Promise<void> {
  const WAVES = Number(process.env["EVERLONG_BENCH_WAVES"] ?? 4);
  let pid = 0;
  let running = 0;
  let most = 0;
  let gate = Promise.withResolvers<void>();
  const memory: number[] = [];
  let started = 0;
  let answered = 0;
  let wave = 0;
  const script: Script = async (prompt) => {
    if (AGENT.test(prompt)) {
      most = Math.max(most, ++running);
      if (running === AT_ONCE) gate.resolve();
      await gate.promise;
      running--;
      answered++;
      return { text: `answer ${prompt}` };
    }
    if (wave === WAVES) return { text: "end" };
    if (started < (wave + 1) * AT_ONCE) {
      const calls = Array.from({ length: AT_ONCE / 2 }, () => task(++started, "background"));
      return { calls };
    }
    if (answered < started) return { text: "waiting" };
    memory.push(rss(pid));
    wave++;
    gate = Promise.withResolvers();
    if (wave === WAVES) return { text: "end" };
    return { calls: [{ name: "report_intent", args: { intent: `wave ${wave}` } }] };
  };
  await withModel(script, async (url) => {
    const begun = performance.now();
    const { code, events } = await run(
      url,
      {
        EVERLONG_SUBAGENT_MAX_CONCURRENT: String(AT_ONCE),
        EVERLONG_SUBAGENT_MAX_PER_PROMPT: "100000",
        EVERLONG_MAX_PARALLEL_TOOLS: "128",
        MULTI_TURN_AGENTS: "false",
        NODE_OPTIONS: "--max-old-space-size=160", // what is kept for ever would not fit
        EVERLONG_COMPACTION: "off", // its calls would take answers of the script
      },
      (one) => {
        pid = one;
      },
    );
    const told = new Set(
      events.flatMap((e) => (e.type === "system.notification" ? ((e.data["agentIds"] as string[]) ?? []) : [])),
    );
    const ended = events.filter((e) => e.type === "subagent.completed").length;
    console.log(
      `${AT_ONCE} at once, ${wave} waves in ${((performance.now() - begun) / 1000).toFixed(1)} s, exit ${code}: most at once ${most}, completed ${ended}, announced ${told.size}, lost ${ended - told.size} (target 0)`,
    );
    console.log(`RSS after each wave: ${memory.map((mb) => mb.toFixed(0)).join(", ")} MB (target: flat)`);
  });
}

export async function bench(): Promise<void> {
  if (!process.env["EVERLONG_BENCH_AGENTS"]) await startCost();
  await manyAtOnce();
}
