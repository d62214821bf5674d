// Memory: the prompt's lines out of 10,000 records, and one record that eight processes change at the same time.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";
import { systemClock } from "../src/base/clock.ts";
import { ok } from "../src/base/result.ts";
import { editRecord } from "../src/memory/record/change.ts";
import { chooseLines } from "../src/memory/record/choose-lines.ts";
import type { MemoryRecord } from "../src/memory/record/contract.ts";
import { recordById, recordsById } from "../src/memory/record/embedded/row.ts";
import { activeStandings } from "../src/memory/record/embedded/standing.ts";
import { embeddedStrategy } from "../src/memory/record/embedded/strategy.ts";
import { newMemoryId } from "../src/memory/record/id.ts";
import { storeRecord } from "../src/memory/record/store.ts";
import type { WriteParts } from "../src/memory/record/write-contract.ts";
import { secretFilter, secretRedactor } from "../src/memory/secret/filter.ts";
import { runUnit } from "../src/store/embedded-store.ts";
import { migrate } from "../src/store/migrate.ts";
import { storeMigrations } from "../src/store/migrations.ts";
import { type Database, openDatabase } from "../src/store/sqlite.ts";
import { alternate, print, timed } from "./measure.ts";

const RECORDS = 10_000;
const PROCESSES = 8;
const CHANGES = 1000;
const place = { repository: "acme/app", user: "local" };
const { signal } = new AbortController();
const redact = secretFilter("bench");

async function open(path: string): Promise<Database> {
  const db = await openDatabase(path);
  if (!db.ok) throw new Error(db.error.what);
  const done = await migrate(db.value, storeMigrations);
  if (!done.ok) throw new Error(done.error.what);
  return db.value;
}

function writeParts(db: Database): WriteParts {
  const strategy = embeddedStrategy({
    open: async () => ok(db),
    hashKey: "bench",
    user: "local",
    clock: systemClock,
    redact,
  });
  return {
    client: () => ({ type: "ready", strategy }),
    redactor: secretRedactor("bench"),
    newId: () => newMemoryId(),
    settings: () => ({ userScope: true, maxStores: RECORDS }),
    clock: systemClock,
  };
}

const by = { actor: { kind: "user", id: "local", name: "local" } } as const;
const request = (fact: string) => ({
  input: { subject: "count", fact, citations: ["src/a.ts:1"], reason: "bench" },
  place,
  source: { client: "bench" },
  author: by.actor,
  origins: () => [{ kind: "user" } as const],
});

/** A process of its own: reads the number in the fact, writes the next; when another was quicker, reads again. */
async function count(path: string, id: string, times: number): Promise<void> {
  const db = await open(path);
  const parts = writeParts(db);
  const edit = async ({ fact, version }: MemoryRecord) => {
    const input = { fact: `number ${Number(/\d+/.exec(fact)?.[0]) + 1}` };
    return editRecord(parts, { id, input, by: { ...by, version } }, signal);
  };
  for (let i = 0; i < times; i++) {
    const record = runUnit(db, recordById(id, "local"));
    if (!record) throw new Error(`${id} is gone`);
    let done = await edit(record);
    while (done.type === "conflict") done = await edit(done.current);
    if (done.type !== "edited") throw new Error(JSON.stringify(done));
  }
  db.close();
}

const [, , mode, path = "", id = "", times = "0"] = process.argv;
if (isMainThread && mode === "count-in-store") await count(path, id, Number(times));

const child = (store: string, record: string, each: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const args = ["--no-warnings", fileURLToPath(import.meta.url), "count-in-store", store, record, String(each)];
    spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] }).once("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(`a process ended with ${code}`)),
    );
  });

async function contended(processes: number, each: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "everlong-bench-"));
  try {
    const store = join(folder, "store.db");
    const db = await open(store);
    const first = await storeRecord(writeParts(db), request("number 0"), signal);
    if (first.type !== "stored") throw new Error(first.type);
    const ms = await timed(() =>
      Promise.all(Array.from({ length: processes }, () => child(store, first.record.id, each))),
    );
    const fact = db.prepare("SELECT fact, version FROM memories").get();
    const exact = `number ${processes * each}`;
    if (fact?.["fact"] !== exact) throw new Error(`${fact?.["fact"]} instead of ${exact}`);
    db.close();
    return ms;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function bench(): Promise<void> {
  const db = await open(join(mkdtempSync(join(tmpdir(), "everlong-bench-")), "store.db"));
  fill(db);
  const read = () => runUnit(db, activeStandings(place, ["repository", "user"]));
  const all = read();
  const whole = (ids: readonly string[]) => runUnit(db, recordsById(ids, "local"));
  const view = {
    nowMs: Date.now(),
    tree: { check: () => "verified" as const, isNear: (file: string) => file < "src/5" },
  };
  const lines = () => chooseLines({ all, whole }, { maxTokens: 1800, maxRecords: 60 }, view, redact);
  for (let i = 0; i < 5; i++) lines();
  const sort = () => timed(() => all.map(({ id: one }) => one).sort());
  print(
    `lines of the prompt from ${all.length} records (target 10 ms)`,
    await alternate(15, sort, () => timed(lines)),
    "<= 10 ms",
  );
  const rows = () => timed(() => db.prepare("SELECT * FROM memories").all());
  print("reading how they stand, against bare rows", await alternate(5, rows, () => timed(read)), "<= 1");
  db.close();
  const ms = await contended(PROCESSES, CHANGES);
  const alone = await contended(1, CHANGES);
  print(
    `${PROCESSES} processes x ${CHANGES} read-modify-writes, exact`,
    { product: ms, baseline: alone * PROCESSES },
    "<= 3",
  );
}

function fill(db: Database): void {
  const now = new Date().toISOString();
  const put = db.prepare(
    `INSERT INTO memories (id, scope, repository, user, subject, fact, fact_hash, reason, status, verification, source, author, trust, created_at, updated_at)
     VALUES (?, ?, ?, 'local', ?, ?, ?, 'why', 'active', 'verified', '{"client":"bench","origins":[{"kind":"assistant"}]}', '{"kind":"agent","id":"s","name":"main"}', ?, ?, ?)`,
  );
  const cite = db.prepare(
    "INSERT INTO memory_citations (memory, position, raw, kind, path, start_line, end_line, state) VALUES (?, 0, ?, 'file', ?, 3, 3, 'verified')",
  );
  db.exec("BEGIN");
  for (let i = 0; i < RECORDS; i++) {
    const one = newMemoryId(Date.now() - i * 60_000);
    const isUser = i % 5 === 0;
    const fact = `fact ${i}: the module ${i % 97} is built by the step ${i % 31} and tested by the suite ${i % 13}`;
    const day = new Date(Date.now() - (i % 400) * 86_400_000).toISOString();
    put.run(
      one,
      isUser ? "user" : "repository",
      isUser ? null : place.repository,
      `subject ${i % 50}`,
      fact,
      String(i),
      0.4 + (i % 7) / 10,
      day,
      now,
    );
    cite.run(one, `src/${i % 10}/a.ts:3`, `src/${i % 10}/a.ts`);
  }
  db.exec("COMMIT");
}
