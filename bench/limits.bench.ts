// Memory of answers of many megabytes, and a resume of 200,000 events against reading and parsing their log, in processor time.
import { spawn } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startLongAnswer, watchMemory } from "../test/tool/long-answer.ts";
import { print } from "./measure.ts";

const MB = 1_000_000;
const EVENTS = 200_000;
const SESSION = "0199a000-0000-7000-8000-000000000001";
const TICK_MS = 10;

type Cost = { cpuMs: number; rssMb: number; code: number | null };

/** Runs a program to its end; its processor time is that of its threads too. */
async function run(args: string[], env: Record<string, string> = {}): Promise<Cost> {
  const child = spawn(process.execPath, args, {
    stdio: "ignore",
    cwd: tmpdir(),
    env: { PATH: process.env["PATH"], ...env },
  });
  const rss = watchMemory(child);
  let cpuMs = 0;
  const timer = setInterval(() => {
    try {
      const fields = readFileSync(`/proc/${child.pid}/stat`, "latin1").split(") ")[1]?.split(" ") ?? [];
      cpuMs = (Number(fields[11]) + Number(fields[12])) * TICK_MS;
    } catch {
      clearInterval(timer); // it has ended
    }
  }, 20);
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  clearInterval(timer);
  return { cpuMs, rssMb: rss(), code };
}

const bin = join(process.cwd(), "bin", "everlong.js");
const envFor = (home: string, url: string) => ({
  EVERLONG_HOME: home,
  EVERLONG_BASE_URL: url,
  EVERLONG_MODEL: "m",
  EVERLONG_API_KEY: "k",
  EVERLONG_COMPACTION: "off",
});

async function memory(kind: "text" | "arguments", bytes: number): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "everlong-bench-"));
  const server = await startLongAnswer(kind, bytes);
  const { rssMb } = await run([bin, "-p", "go", "--allow-all"], envFor(home, server.url));
  console.log(`${bytes / MB} MB of ${kind}: RSS ${rssMb} MB (target < 500)`);
  server.close();
  rmSync(home, { recursive: true, force: true });
}

function writeLog(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, "events.jsonl");
  const fd = openSync(path, "w", 0o600);
  let count = 0;
  let parentId: string | null = null;
  const put = (type: string, data: unknown) => {
    const id = `00000000-0000-4000-8000-${String(++count).padStart(12, "0")}`;
    writeSync(fd, `${JSON.stringify({ id, type, timestamp: "2026-01-01T00:00:00.000Z", parentId, data })}\n`);
    parentId = id;
  };
  const start = { sessionId: SESSION, version: 1, producer: "everlong", everlongVersion: "0", startTime: "2026" };
  put("session.start", {
    ...start,
    model: "custom/m",
    modelReason: "",
    mode: "interactive",
    context: { cwd: tmpdir() },
  });
  for (let turn = 1; count < EVENTS; turn++) {
    const [turnId, toolCallId] = [`turn${turn}`, `call${turn}`];
    const given = { path: `src/${turn}.ts` };
    put("turn.start", { turnId, cause: "user" });
    const said = { messageId: turnId, turnId, ref: `t${turn}`, source: "user", mode: "interactive" };
    put("user.message", { ...said, content: `please look at file number ${turn}` });
    const spoken = { turnId, model: "m" };
    const toolRequests = [{ toolCallId, name: "view", arguments: given }];
    put("assistant.message", {
      ...spoken,
      messageId: `a${turn}`,
      step: 1,
      content: "",
      toolRequests,
      finishReason: "tool_calls",
    });
    put("tool.execution_start", { toolCallId, toolName: "view", arguments: given, turnId });
    const result = { content: `a line of text ${turn}\n`.repeat(40), bytes: 800, lines: 40 };
    put("tool.execution_complete", {
      toolCallId,
      toolName: "view",
      success: true,
      resultType: "success",
      result,
      durationMs: 3,
    });
    put("assistant.message", {
      ...spoken,
      messageId: `b${turn}`,
      step: 2,
      content: "It holds forty lines.",
      toolRequests: [],
      finishReason: "stop",
    });
    put("turn.end", { turnId, status: "done", steps: 2, durationMs: 10 });
  }
  closeSync(fd);
  return path;
}

export async function bench(): Promise<void> {
  await memory("text", 100 * MB);
  await memory("arguments", 50 * MB);
  const home = mkdtempSync(join(tmpdir(), "everlong-bench-"));
  const log = writeLog(join(home, "sessions", SESSION));
  const server = await startLongAnswer("text", 10);
  const resume = () => run([bin, "--resume", SESSION, "-p", "go on"], envFor(home, server.url));
  const parse = `for (const l of require("fs").readFileSync(${JSON.stringify(log)}, "utf8").split("\\n")) if (l) JSON.parse(l)`;
  const first = await resume(); // the index is made of it once
  const rounds: { bare: Cost; ours: Cost }[] = [];
  for (let i = 0; i < 3; i++) rounds.push({ bare: await run(["-e", parse]), ours: await resume() });
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[1] ?? 0;
  const size = `${EVENTS} events, ${Math.round(statSync(log).size / MB)} MB`;
  print(
    `N17 L8 resume of ${size}, processor time`,
    { baseline: median(rounds.map(({ bare }) => bare.cpuMs)), product: median(rounds.map(({ ours }) => ours.cpuMs)) },
    "<= 3",
  );
  console.log(
    `its RSS ${median(rounds.map(({ ours }) => ours.rssMb))} MB; the first resume, with indexing: ${first.cpuMs} ms`,
  );
  server.close();
  rmSync(home, { recursive: true, force: true });
}
