// The change journal: what it costs a memory, and how fast store.db comes back from logs and journal.
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/base/clock.ts";
import { ok } from "../src/base/result.ts";
import { homePaths } from "../src/host/paths.ts";
import type { RecordDraft } from "../src/memory/record/contract.ts";
import { embeddedStrategy } from "../src/memory/record/embedded/strategy.ts";
import { newMemoryId } from "../src/memory/record/id.ts";
import { type FilteredText, secretFilter } from "../src/memory/secret/filter.ts";
import { openCaughtUp, openStore } from "../src/runtime/store.ts";
import { migrate } from "../src/store/migrate.ts";
import { storeMigrations } from "../src/store/migrations.ts";
import { type Database, openDatabase, sqlite } from "../src/store/sqlite.ts";
import { alternate, print, timed } from "./measure.ts";

const WRITES = 300;
const { signal } = new AbortController();
const redact = secretFilter("bench");
const clean = (text: string): FilteredText => text as FilteredText;
const author = { kind: "user", id: "local", name: "local" } as const;

const draft = (n: number): RecordDraft => ({
  id: newMemoryId(),
  subject: clean("builds"),
  fact: clean(`${randomBytes(12).toString("hex")} writes into ${randomBytes(6).toString("hex")} ${n}.`),
  reason: clean("Every task ends with a build, so this is needed often."),
  citations: [{ raw: clean("package.json:10"), kind: "file", path: "package.json", state: "unchecked" }],
  scope: "repository",
  place: { repository: "acme/app", user: "local" },
  source: { client: "bench", origins: [], trust: 1 },
  author,
  status: "active",
});

async function storeMany(db: Database, from: number, count: number): Promise<void> {
  const strategy = embeddedStrategy({
    open: async () => ok(db),
    hashKey: "k",
    user: "local",
    clock: systemClock,
    redact,
  });
  for (let n = from; n < from + count; n++) await strategy.store(draft(n), signal);
}

function value<T>(result: { ok: true; value: T } | { ok: false; error: { what: string } }): T {
  if (!result.ok) throw new Error(result.error.what);
  return result.value;
}

const WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma".split(
  " ",
);

/** A session of about so many bytes. */
function writeSession(folder: string, id: string, bytes: number, seed: number): void {
  mkdirSync(folder, { recursive: true });
  const lines: string[] = [];
  let size = 0;
  let parentId: string | null = null;
  const put = (type: string, data: unknown): void => {
    const event = `${id.slice(0, 24)}${String(lines.length).padStart(12, "0")}`;
    const line = JSON.stringify({ id: event, type, timestamp: "2026-01-01T00:00:00.000Z", parentId, data });
    lines.push(line);
    size += line.length + 1;
    parentId = event;
  };
  put("session.start", {
    ...{ sessionId: id, version: 1, producer: "everlong", everlongVersion: "0", startTime: "2026-01-01T00:00:00.000Z" },
    ...{ model: "m", modelReason: "", mode: "interactive", context: { cwd: "/w" } },
  });
  const prose = (length: number, from: number): string =>
    Array.from({ length }, (_, i) => WORDS[(i * (1 + (from % 7)) + from + seed) % WORDS.length]).join(" ");
  for (let turn = 1; size < bytes; turn++) {
    const turnId = `turn${turn}`;
    put("turn.start", { turnId, cause: "user" });
    const message = { messageId: turnId, turnId, ref: `t${turn}`, source: "user", mode: "interactive" };
    put("user.message", { ...message, content: `Question ${turn} of ${seed}: ${prose(40, turn)}` });
    for (let step = 1; step <= 4; step++) {
      const toolCallId = `call${turn}-${step}`;
      const args = { path: `src/part-${turn}/file-${step}.ts`, range: [step, step + 80] };
      const answer = { messageId: `a${turn}-${step}`, turnId, step, model: "m", finishReason: "tool_calls" };
      const toolRequests = [{ toolCallId, name: "view", arguments: args }];
      put("assistant.message", { ...answer, content: prose(25, turn + step), toolRequests });
      put("assistant.usage", {
        ...{ model: "m", turnId, step, interaction: "main", durationMs: 900 },
        ...{ inputTokens: 12_000, outputTokens: 200, cacheReadTokens: 11_000, cacheWriteTokens: 0 },
      });
      put("tool.execution_start", { toolCallId, toolName: "view", arguments: args, turnId });
      const lines = Array.from(
        { length: 80 },
        (_, i) => `${i + step}\texport const value${i} = "${prose(5, i + turn)}";`,
      );
      const content = lines.join("\n");
      const result = { content, bytes: content.length, lines: 80 };
      put("tool.execution_complete", {
        toolCallId,
        toolName: "view",
        success: true,
        resultType: "success",
        result,
        turnId,
      });
    }
    put("turn.end", { turnId, status: "done", steps: 4 });
  }
  writeFileSync(join(folder, "events.jsonl"), `${lines.join("\n")}\n`);
}

const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl"))
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

async function writes(home: string): Promise<void> {
  const bare = value(await openDatabase(join(home, "bare.db")));
  value(await migrate(bare, storeMigrations));
  const journalled = value(await openStore(homePaths(home)));
  let from = 0;
  const run = (db: Database) => {
    from += WRITES;
    return timed(() => storeMany(db, from, WRITES));
  };
  await run(bare);
  await run(journalled);
  print(
    `${WRITES} memories stored`,
    await alternate(
      5,
      () => run(bare),
      () => run(journalled),
    ),
    "<= 1.5 x without the journal",
  );
  journalled.close();
  const opened = await alternate(
    9,
    () => timed(async () => value(await openDatabase(join(home, "bare.db"))).close()),
    () => timed(async () => value(await openStore(homePaths(home))).close()),
  );
  print("opening store.db", opened, "at most 3 ms more than without the journal");
  bare.close();
}

async function rebuild(home: string, megabytes: number): Promise<void> {
  const paths = homePaths(home);
  for (let n = 0; n < megabytes / 4; n++) {
    const id = `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
    writeSession(paths.session(id).dir, id, 4 * 1024 * 1024, n);
  }
  const bytes = sizeOf(paths.sessions) + sizeOf(paths.journal);
  for (const end of ["", "-wal", "-shm"]) rmSync(paths.store + end, { force: true });
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 20);
  const before = process.cpuUsage();
  const ms = await timed(async () => value(await openCaughtUp(paths, { redact })).close());
  const { user, system } = process.cpuUsage(before);
  clearInterval(timer);
  const megabytesIn = bytes / 1024 / 1024;
  const baseline = await timed(() => bareInsert(paths));
  print(
    `L9 rebuilding store.db from ${megabytesIn.toFixed(0)} MB`,
    { product: ms, baseline },
    "a bare FTS5 insert of the same texts is 1",
  );
  console.log(
    `${(megabytesIn / (ms / 1000)).toFixed(1)} MB/s, ${(megabytesIn / ((user + system) / 1e6)).toFixed(1)} MB a second of processor time (target >= 8), ` +
      `RSS ${(most / 1024 / 1024).toFixed(0)} MB (target < 512)`,
  );
}

/** What was said and shown, into one plain full-text table. */
function bareInsert(paths: ReturnType<typeof homePaths>): void {
  const db = new (sqlite().DatabaseSync)(`${paths.store}.bare`);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE VIRTUAL TABLE said USING fts5 (content)");
  const insert = db.prepare("INSERT INTO said VALUES (?)");
  type Said = { data: { content?: string; result?: { content: string } } };
  for (const id of readdirSync(paths.sessions)) {
    db.exec("BEGIN");
    for (const line of readFileSync(paths.session(id).events, "utf8").split("\n")) {
      const { data } = line === "" ? { data: {} } : (JSON.parse(line) as Said);
      const content = "content" in data ? data.content : "result" in data ? data.result?.content : undefined;
      if (content) insert.run(content);
    }
    db.exec("COMMIT");
  }
  db.close();
}

/** EVERLONG_BENCH_MB says how much is rebuilt. */
export async function bench(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "everlong-bench-journal-"));
  try {
    await writes(home);
    await rebuild(home, Number(process.env["EVERLONG_BENCH_MB"] ?? 40));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
