// Recall over many passages against a plain FTS5 query of all words with bm25; the rate of ingest beside it.
// Asked for by name it runs at a million, the size that the target speaks of; EVERLONG_BENCH_ROWS sets another.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { orOfWords } from "../src/memory/recall/eval/baseline.ts";
import type { Item } from "../src/memory/recall/item.ts";
import { search } from "../src/memory/recall/search.ts";
import type { RecallScope } from "../src/memory/recall/store/scope.ts";
import { RecallWriter } from "../src/memory/recall/store/write.ts";
import { recallSchema } from "../src/store/schema/recall.ts";

const ROWS = Number(process.env["EVERLONG_BENCH_ROWS"] ?? (process.argv.includes("recall") ? 1_000_000 : 150_000));
const BATCH = 10_000;
const SESSION = 200;
const REPOSITORIES = 40;
const QUERIES = 40;
const COMMON =
  "the to and of a in is it you that for on with this we have be as are not was at but can do so if what will my an from or how when which all about there one just more time like get no up out now need then into should see use file code make also work after test because only some error could where why did".split(
    " ",
  );

let seed = 42;
const random = (): number => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
};
/** Words as people use them: a few very often, most hardly ever. */
const word = (): string => {
  const rank = Math.floor(Math.exp(random() * Math.log(80_000)));
  return COMMON[rank - 1] ?? nameOf(rank);
};
const nameOf = (n: number): string => {
  const parts = ["ba", "ke", "lo", "mi", "nu", "ra", "se", "to", "vi", "za", "cor", "den", "fal", "gri", "hom", "pel"];
  let text = "";
  for (let left = n; left > 0; left = Math.floor(left / parts.length)) text += parts[left % parts.length];
  return text;
};
const turn = (): string => Array.from({ length: 8 + Math.floor(random() * 24) }, word).join(" ");
/** A question: words that everybody uses, and a few of what it is about. */
const question = (i: number): string => {
  const about =
    i % 10 === 0 ? [] : Array.from({ length: 2 + (i % 3) }, () => nameOf(100 + Math.floor(random() ** 2 * 30_000)));
  const asked = ["what did", "how do", "when was", "why is"][i % 4];
  return `${asked} we ${word()} the ${word()} ${about.join(" ")} for ${word()}`;
};

const placeOf = (session: number): Item["place"] => ({
  session: `session-${session}`,
  repository: `repository-${session % REPOSITORIES}`,
  level: "session",
});

function items(from: number, count: number): Item[] {
  let place = placeOf(0);
  return Array.from({ length: count }, (_, i) => {
    const n = from + i;
    const session = Math.floor(n / SESSION);
    if (n % SESSION === 0 || i === 0) place = placeOf(session);
    return {
      id: `item-${n}`,
      kind: "turn",
      text: turn(),
      role: n % 2 === 0 ? "user" : "assistant",
      time: 1_700_000_000_000 + n * 60_000,
      seq: n % SESSION,
      turn: Math.floor((n % SESSION) / 2) + 1,
      index: (n % 2) + 1,
      place,
    };
  });
}

const at = (times: number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0;
const clocked = (work: () => unknown): number => {
  const start = performance.now();
  work();
  return performance.now() - start;
};

export function bench(): void {
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
      `ingest of ${ROWS} short turns: ${rate(oursMs)} a second (target >= 10000), plain FTS5 ${rate(plainMs)} a second`,
    );
    const find = plain.prepare("SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY bm25(plain) LIMIT 10");
    compare("recall over everything", { type: "all" }, ours, (q) => find.all(orOfWords(q) ?? ""));
    compare("recall in one repository", { type: "repository", repository: "repository-7" }, ours, (q) =>
      find.all(orOfWords(q) ?? ""),
    );
    const common = ["what can we do about this one", "how do you use the test file in this code"];
    const worst = common.map((text) => clocked(() => ask(ours, text, { type: "all" })));
    console.log(`queries of common words only: ${worst.map((ms) => `${ms.toFixed(1)} ms`).join(", ")} (target <= 150)`);
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
  search(db, { text, within: { scopes: [scope] }, now: 1_700_000_000_000 + ROWS * 60_000 });

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
  ] as const) {
    const [mine, theirs] = [at(a, share), at(b, share)];
    const target = label === "p95" ? " (target <= 0.20 at 1000000)" : "";
    console.log(
      `${name}, ${label}: ${mine.toFixed(1)} ms, plain FTS5 ${theirs.toFixed(1)} ms, ratio ${(mine / theirs).toFixed(2)}${target}`,
    );
  }
}
