// The dashboard's lists over HTTP in a home with 100,000 sessions: the slowest twentieth of each, beside a list of ten sessions.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ok } from "../src/base/result.ts";
import { openGateway } from "../src/runtime/gateway/gateway.ts";
import { withStore } from "../src/runtime/with-store.ts";
import { useHome } from "../src/settings/environment.ts";
import { type Database, write } from "../src/store/sqlite.ts";

const SESSIONS = 100_000;
const ROUNDS = 60;
const TARGET = "p95 <= 50 ms";

const LISTS = [
  "/api/sessions",
  "/api/sessions?limit=500",
  "/api/sessions?q=nothing-is-called-this",
  "/api/sessions?folder=/work/project-7",
  "/api/sessions?source=gateway&client=codex",
  "/api/requests",
  "/api/memory/records",
  "/api/memory/boards",
  "/api/tasks",
  "/api/overview?range=30d",
];

export async function bench(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "everlong-bench-"));
  useHome(home);
  try {
    await measure("10 sessions", 10);
    await measure(`${SESSIONS} sessions`, SESSIONS);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function measure(name: string, count: number): Promise<void> {
  const filled = await withStore(async (db) => {
    const outcome = await fill(db, count);
    return outcome.ok ? ok(undefined) : outcome;
  });
  if (!filled.ok) throw new Error(filled.error.what);
  const opened = await openGateway({ "gateway.port": "0" });
  if (!opened.ok) throw new Error(opened.error.what);
  const { address, token, close } = opened.value;
  for (const path of LISTS) {
    const times: number[] = [];
    for (let i = 0; i < ROUNDS; i++) {
      const start = performance.now();
      const answer = await fetch(`${address}${path}`, { headers: { authorization: `Bearer ${token}` } });
      await answer.text();
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
      times.push(performance.now() - start);
    }
    const sorted = times.toSorted((a, b) => a - b);
    const at = (part: number): string => (sorted[Math.ceil(part * sorted.length) - 1] ?? 0).toFixed(1);
    console.log(`${name}, ${path}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms (target ${TARGET})`);
  }
  await close();
}

/** Three quarters are our own, the rest proxied; each has a turn and a model call, and figures for the charts. */
function fill(db: Database, count: number) {
  const now = Date.now();
  const time = (i: number): string => new Date(now - (i * 30 * 86_400_000) / count).toISOString();
  return write(db, () => {
    const session = db.prepare(
      `INSERT OR IGNORE INTO sessions (id, cwd, name, source, model, event_count, created_at, updated_at)
       VALUES (?, ?, ?, 'everlong', 'm', 9, ?, ?)`,
    );
    const turn = db.prepare(
      "INSERT OR IGNORE INTO turns (session_id, turn_index, turn_id, event_id, timestamp) VALUES (?, 1, 't', 'e', ?)",
    );
    const call = db.prepare(
      "INSERT INTO model_calls (session_id, model, input_tokens, output_tokens, interaction, timestamp) VALUES (?, 'm', 900, 90, 'conversation-user', ?)",
    );
    const proxied = db.prepare(
      `INSERT OR IGNORE INTO proxy_session (id, identity, family, signal, prompts, created_at, used_at)
       VALUES (?, 'local', ?, 'header', 3, ?, ?)`,
    );
    const figure = db.prepare(
      "INSERT INTO observation (type, at, asked, sent, input, cached, ms) VALUES ('request', ?, 900, 700, 650, 400, 3.5)",
    );
    for (let i = 0; i < count; i++) {
      const at = time(i);
      if (i % 4 === 3) {
        proxied.run(`p-${i}`, i % 8 === 3 ? "codex" : "claude", at, at);
        figure.run(Date.parse(at));
        continue;
      }
      const id = `00000000-0000-4000-8000-${String(i).padStart(12, "0")}`;
      session.run(id, `/work/project-${i % 50}`, `Session number ${i}`, at, at);
      turn.run(id, at);
      call.run(id, at);
    }
  });
}
