// Import of generated history: items a second beside indexing the same texts alone, memory, a second run, a gateway beside it.
// EVERLONG_BENCH_BYTES sets the size; asked for by name it is the gigabyte that the target speaks of.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { RecallWriter } from "../src/memory/recall/store/write.ts";
import { recallSchema } from "../src/store/schema/recall.ts";
import { Conversation, p50, post, quantile, say, startGateway, startPart, wholeProcessorMs } from "./proxy-load.ts";

const BYTES = Number(
  process.env["EVERLONG_BENCH_BYTES"] ?? (process.argv.includes("import") ? 1_000_000_000 : 30_000_000),
);
const FILES = 1000;
const ROUNDS = 100;
const WORDS =
  "the to and of a in is it we redis queue broker failover deploy config parser session memory index token build test branch merge commit server client socket thread table column schema migration cache latency".split(
    " ",
  );

let seed = 7;
const random = (): number => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
};
const word = (): string =>
  random() < 0.3
    ? `w${Math.floor(random() * 20_000).toString(36)}`
    : (WORDS[Math.floor(random() * WORDS.length)] ?? "");
const prose = (): string => Array.from({ length: 150 }, word).join(" ");

/** Sessions of Claude Code in one home; gives how many items they have. */
function generate(home: string, bytes: number, files: number): number {
  const folder = join(home, ".claude", "projects", "-bench");
  mkdirSync(folder, { recursive: true });
  let items = 0;
  for (let f = 0; f < files; f++) {
    const file = openSync(join(folder, `s${f}.jsonl`), "w");
    for (let i = 0, size = 0; size < bytes / files; i++, items++) {
      const type = i % 2 ? "assistant" : "user";
      const message = { role: type, content: [{ type: "text", text: prose() }] };
      const place = { cwd: "/nowhere/bench", sessionId: `s${f}`, gitBranch: "main" };
      const timestamp = new Date(1.7e12 + i * 1000).toISOString();
      size += writeSync(file, `${JSON.stringify({ type, uuid: `s${f}-${i}`, message, timestamp, ...place })}\n`);
    }
    closeSync(file);
  }
  return items;
}

type ImportRun = { ms: number; processorMs: number; rssMb: number };

/** The built program; its largest memory is read while it runs. */
function importIn(home: string): Promise<ImportRun> {
  const start = performance.now();
  const env = { ...process.env, HOME: home, EVERLONG_HOME: join(home, "everlong"), OLLAMA_HOST: "http://127.0.0.1:9" };
  const child = spawn(process.execPath, ["bin/everlong.js", "import", "claude"], { env, stdio: "ignore" });
  let rssMb = 0;
  let processorMs = 0;
  const look = (): void => {
    try {
      processorMs = wholeProcessorMs(child.pid ?? 0);
      rssMb =
        Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1] ?? 0) / 1024 || rssMb;
    } catch {
      // the process is gone, or this system has no /proc
    }
  };
  const timer = setInterval(look, 200);
  return new Promise((resolve) =>
    child.on("exit", () => {
      clearInterval(timer);
      resolve({ ms: performance.now() - start, processorMs, rssMb });
    }),
  );
}

/** The same texts into the recall index and nowhere else. */
function indexAlone(count: number, folder: string): number {
  const db = new DatabaseSync(join(folder, "alone.db"));
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${recallSchema}`);
  const place = { session: "s", repository: "r", level: "session" as const };
  const items = Array.from({ length: count }, (_, i) => ({
    ...{ id: `i${i}`, kind: "turn" as const, role: i % 2 ? "assistant" : "user", text: prose() },
    ...{ seq: i, turn: Math.ceil((i + 1) / 2), place },
  }));
  const start = performance.now();
  for (let i = 0; i < items.length; i += 100) {
    db.exec("BEGIN");
    new RecallWriter(db).add(items.slice(i, i + 100));
    db.exec("COMMIT");
  }
  db.close();
  return performance.now() - start;
}

/** Requests of a conversation through a gateway, before, while and after an import fills the same home. */
async function besideGateway(folder: string): Promise<void> {
  const home = join(folder, "beside");
  generate(home, 60_000_000, 20);
  const upstream = await startPart("upstream");
  const gateway = await startGateway(upstream.url, {}, home);
  const conversation = new Conversation("beside").grow(20_000, 400);
  const requests = async (rounds: number): Promise<number[]> => {
    const times: number[] = [];
    for (let n = 0; n < rounds; n++) {
      times.push((await post(gateway, conversation.turn(400).body(), conversation.headers)).ms);
      await sleep(40);
    }
    return times;
  };
  await requests(10);
  const before = await requests(ROUNDS);
  const env = { ...process.env, HOME: home, EVERLONG_HOME: join(home, "home"), OLLAMA_HOST: "http://127.0.0.1:9" };
  const child = spawn(process.execPath, ["bin/everlong.js", "import", "claude"], { env, stdio: "ignore" });
  await sleep(1500);
  const during = await requests(ROUNDS);
  const isStillRunning = child.exitCode === null;
  const ended = once(child, "exit");
  child.kill("SIGINT");
  await ended;
  const after = await requests(ROUNDS);
  const alone = p50([...before, ...after]);
  const ratio = p50(during) / alone;
  say("requests beside an import against alone, p50", ratio, "", "<= 1.10", ratio <= 1.1 && isStillRunning);
  console.log(
    `     alone p50 ${alone.toFixed(2)} p95 ${quantile([...before, ...after], 0.95).toFixed(2)} ms, beside p50 ${p50(during).toFixed(2)} p95 ${quantile(during, 0.95).toFixed(2)} ms`,
  );
  await gateway.stop();
  await upstream.stop();
}

export async function bench(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "everlong-bench-import-"));
  try {
    const one = join(folder, "one");
    const items = generate(one, BYTES, 1);
    const whole = await importIn(one);
    const sample = Math.min(items, 20_000);
    const alone = (sample / indexAlone(sample, folder)) * 1000;
    const rate = (items / whole.ms) * 1000;
    console.log(
      `${(BYTES / 1e6).toFixed(0)} MB in one file: ${rate.toFixed(0)} items a second with the start (target >= 3000 on a quiet machine), ` +
        `${((items / whole.processorMs) * 1000).toFixed(0)} a second of processor time, ` +
        `the index alone ${alone.toFixed(0)}, ratio ${(rate / alone).toFixed(2)}; largest memory ${whole.rssMb.toFixed(0)} MB (target <= 300 at 1 GB)`,
    );
    const many = join(folder, "many");
    generate(many, FILES * 3000, FILES);
    const first = await importIn(many);
    const again = await importIn(many);
    console.log(
      `${FILES} files: ${first.ms.toFixed(0)} ms (${first.processorMs.toFixed(0)} of processor time), ` +
        `once more unchanged ${again.ms.toFixed(0)} ms (${again.processorMs.toFixed(0)} of processor time, target <= 1000)`,
    );
    await besideGateway(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
