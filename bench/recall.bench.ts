// Recall over many passages against a plain FTS5 query of all words with bm25; the rate of ingest beside it.
// Asked for by name it runs at a million, the size that the target speaks of; EVERLONG_BENCH_ROWS sets another.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { baselineEngine, orOfWords } from "../src/memory/recall/eval/baseline.ts";
import { search } from "../src/memory/recall/search.ts";
import type { RecallScope } from "../src/memory/recall/store/scope.ts";
import { RecallWriter } from "../src/memory/recall/store/write.ts";
import { relatedWords } from "../src/memory/recall/text/related-words.ts";
import { recallSchema } from "../src/store/schema/recall.ts";
import { ratios } from "./recall/sets.ts";
import { COMMON, items, placeOf, question, word } from "./recall/turns.ts";

const ROWS = Number(process.env["EVERLONG_BENCH_ROWS"] ?? (process.argv.includes("recall") ? 1_000_000 : 150_000));
const BATCH = 10_000;
const QUERIES = 40;

const at = (times: number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0;
const clocked = (work: () => unknown): number => {
  const start = performance.now();
  work();
  return performance.now() - start;
};

export async function bench(): Promise<void> {
  await ratios();
  const dir = mkdtempSync(join(tmpdir(), "everlong-bench-"));
  const [ours, plain] = ["ours.db", "plain.db"].map((name) => {
    const db = new DatabaseSync(join(dir, name));
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32768");
    return db;
  }) as [DatabaseSync, DatabaseSync];
  try {
    ours.exec(recallSchema);
    plain.exec("CREATE VIRTUAL TABLE plain USING fts5 (content, tokenize = 'unicode61')");
    const [oursMs, plainMs] = ingest(ours, plain);
    console.log(
      `L5 ingest of ${ROWS} short turns: ${rate(oursMs)} a second (target >= 10000), plain FTS5 ${rate(plainMs)} a second`,
    );
    const find = plain.prepare("SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY bm25(plain) LIMIT 10");
    compare("R30 L6 recall over everything", { type: "all" }, ours, (q) => find.all(orOfWords(q) ?? ""));
    compare("recall in one repository", { type: "repository", repository: "repository-7" }, ours, (q) =>
      find.all(orOfWords(q) ?? ""),
    );
    const common = ["about code could error file need", "test file code make use work", COMMON.slice(-32).join(" ")];
    const worst = common.map((text) => clocked(() => ask(ours, text, { type: "all" })));
    console.log(
      `R30 six very common words, six others, 32: ${worst.map((ms) => `${ms.toFixed(1)} ms`).join(", ")} (target <= 150)`,
    );
    size(ours, join(dir, "ours.db"));
    shortSession();
    longTurns();
  } finally {
    ours.close();
    plain.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

const rate = (ms: number): string => ((ROWS / ms) * 1000).toFixed(0);

function ingest(ours: DatabaseSync, plain: DatabaseSync): [number, number] {
  const writer = new RecallWriter(ours);
  const insert = plain.prepare("INSERT INTO plain (content) VALUES (?)");
  let [oursMs, plainMs] = [0, 0];
  for (let n = 0; n < ROWS; n += BATCH) {
    const batch = items(n, Math.min(BATCH, ROWS - n));
    oursMs += clocked(() => {
      ours.exec("BEGIN");
      writer.add(batch);
      ours.exec("COMMIT");
    });
    plainMs += clocked(() => {
      plain.exec("BEGIN");
      for (const item of batch) insert.run(item.text);
      plain.exec("COMMIT");
    });
  }
  return [oursMs, plainMs];
}

const ask = (db: DatabaseSync, text: string, scope: RecallScope) =>
  search(db, { text, within: { scopes: [scope] }, now: 1_700_000_000_000 + ROWS * 60_000 }, relatedWords);

/** What the index costs on disk beside the texts, how long a store takes to open, and what a process holds that asks it. */
function size(db: DatabaseSync, path: string): void {
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const texts = Number(db.prepare("SELECT sum(length(text)) AS n FROM recall_passage").get()?.["n"]);
  const index = statSync(path).size - texts;
  console.log(`R30 index: ${(index / texts).toFixed(2)} times the bytes of the texts (target <= 2)`);
  const openMs = clocked(() => {
    const other = new DatabaseSync(path);
    other.prepare("SELECT passages FROM recall_scope WHERE type = 'all'").get();
    other.close();
  });
  console.log(`R30 open: ${openMs.toFixed(1)} ms (target <= 50)`);
  const held = join("bench", "recall", "held.ts");
  const rss = execFileSync(process.execPath, ["--no-warnings", held, path, String(ROWS)], { encoding: "utf8" });
  console.log(`R30 RSS of a process that only asks: ${Number(rss).toFixed(0)} MB (target <= 300)`);
}

type LabelledTurns = { documents: { text: string; role: string }[]; questions: { text: string }[] };

/** Questions about real conversations in a store of 600 turns. */
function shortSession(): void {
  const sets = ["two-friends", "letters-from-lisbon", "cheerleaders", "helper-chats", "ledgerly", "app-tutor"].map(
    (name): LabelledTurns => JSON.parse(readFileSync(join("test", "eval", `${name}.json`), "utf8")),
  );
  const turns = sets.flatMap((set) => set.documents).slice(0, 600);
  const questions = sets.flatMap((set) => set.questions.map((q) => q.text));
  const place = placeOf(0);
  const [db, plain] = [new DatabaseSync(":memory:"), baselineEngine()];
  db.exec(recallSchema);
  new RecallWriter(db).add(
    turns.map(({ text, role }, seq) => ({ id: `${seq}`, kind: "turn", text, role, seq, place })),
  );
  plain.add(turns.map(({ text }, id) => ({ id: `${id}`, text })));
  const within = { scopes: [{ type: "all" } as const] };
  const rounds = [0, 1].map(() =>
    questions.map((text) => [
      clocked(() => search(db, { text, within }, relatedWords)),
      clocked(() => plain.search(text, 10)),
    ]),
  );
  const [mine, theirs] = [0, 1].map((side) => rounds[1]?.map((pair) => pair[side] ?? 0) ?? []) as [number[], number[]];
  const ratio = at(mine, 0.5) / at(theirs, 0.5);
  console.log(
    `${turns.length} turns, p50: ${at(mine, 0.5).toFixed(2)} ms, plain FTS5 ${at(theirs, 0.5).toFixed(2)} ms, ratio ${ratio.toFixed(1)} (target <= 4)`,
  );
  console.log(`${turns.length} turns, R31 p95: ${at(mine, 0.95).toFixed(2)} ms (target <= 5)`);
  db.close();
  plain.close();
}

/** Bulk ingest of items of 1 KB. */
function longTurns(): void {
  const db = new DatabaseSync(":memory:");
  db.exec(recallSchema);
  const long = items(0, 5_000).map((item) => ({
    ...item,
    text: Array.from({ length: 170 }, word).join(" ").slice(0, 1024),
  }));
  const ms = clocked(() => {
    db.exec("BEGIN");
    new RecallWriter(db).add(long);
    db.exec("COMMIT");
  });
  console.log(`R31 ingest of items of 1 KB: ${((long.length / ms) * 1000).toFixed(0)} a second (target >= 3000)`);
  const { bytes } = db
    .prepare("SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size")
    .get() as {
    bytes: number;
  };
  const texts = long.reduce((sum, { text }) => sum + text.length, 0);
  console.log(`index of items of 1 KB: ${((bytes - texts) / texts).toFixed(2)} times their bytes (target <= 2)`);
  db.close();
}

function compare(name: string, scope: RecallScope, ours: DatabaseSync, baseline: (q: string) => unknown): void {
  const questions = Array.from({ length: QUERIES }, (_, i) => question(i));
  const [a, b]: [number[], number[]] = [[], []];
  for (const q of questions) {
    b.push(clocked(() => baseline(q)));
    a.push(clocked(() => ask(ours, q, scope)));
  }
  for (const [label, share] of [
    ["p50", 0.5],
    ["p95", 0.95],
    ["p99", 0.99],
  ] as const) {
    const [mine, theirs] = [at(a, share), at(b, share)];
    const target = { p50: "<= 20 ms", p95: "<= 50 ms and 0.20 of it", p99: "<= 300 ms" }[label];
    console.log(
      `${name}, ${label}: ${mine.toFixed(1)} ms, plain FTS5 ${theirs.toFixed(1)} ms, ratio ${(mine / theirs).toFixed(2)} (target at 1000000: ${target})`,
    );
  }
}
