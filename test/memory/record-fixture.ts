// A store of records in memory, and the write path over it with everything else plain.
import { systemClock } from "../../src/base/clock.ts";
import { ok } from "../../src/base/result.ts";
import type { Place, Strategy, StrategyChoice } from "../../src/memory/record/contract.ts";
import { embeddedStrategy } from "../../src/memory/record/embedded/strategy.ts";
import { newMemoryId } from "../../src/memory/record/id.ts";
import type {
  StoreEvent,
  StoreRequest,
  VoteRequest,
  WorkTree,
  WriteParts,
} from "../../src/memory/record/write-contract.ts";
import { secretFilter, secretRedactor } from "../../src/memory/secret/filter.ts";
import { migrate } from "../../src/store/migrate.ts";
import { storeMigrations } from "../../src/store/migrations.ts";
import { type Database, openDatabase } from "../../src/store/sqlite.ts";

export const { signal } = new AbortController();
export const here: Place = { repository: "acme/app", user: "local" };
export const user = { kind: "user", id: "local", name: "local" } as const;

export async function openMemories(path = ":memory:"): Promise<Database> {
  const db =
    path === ":memory:"
      ? ok(new (process.getBuiltinModule("node:sqlite").DatabaseSync)(path))
      : await openDatabase(path);
  if (!db.ok) throw new Error(db.error.what);
  const done = await migrate(db.value, storeMigrations);
  if (!done.ok) throw new Error(done.error.what);
  return db.value;
}

export const embeddedOver = (db: Database, more: { tree?: WorkTree; now?: () => string } = {}): Strategy =>
  embeddedStrategy({
    open: async () => ok(db),
    hashKey: "test",
    user: "local",
    clock: { ...systemClock, ...(more.now ? { now: more.now } : {}) },
    redact: secretFilter("test"),
    ...(more.tree ? { tree: more.tree } : {}),
  });

export type Scene = {
  db: Database;
  strategy: Strategy;
  parts: WriteParts;
  events: StoreEvent[];
  changed: () => number;
};

export async function scene(more: Partial<WriteParts> = {}): Promise<Scene> {
  const db = await openMemories();
  const strategy = embeddedOver(db);
  const events: StoreEvent[] = [];
  let changed = 0;
  const parts: WriteParts = {
    client: (): StrategyChoice => ({ type: "ready", strategy }),
    redactor: secretRedactor("test"),
    newId: newMemoryId,
    settings: () => ({ userScope: true, maxStores: 30 }),
    clock: systemClock,
    onStore: (event) => events.push(event),
    onChanged: () => changed++,
    ...more,
  };
  return { db, strategy, parts, events, changed: () => changed };
}

export const plain = (more: Record<string, unknown> = {}) => ({
  subject: "build",
  fact: "npm run build writes the bundle into dist",
  citations: ["package.json:10"],
  reason: "every task ends with a build",
  ...more,
});

/** As the model's tool would ask, with the origins given. */
export const byAgent = (input: unknown, more: Partial<StoreRequest> = {}): StoreRequest => ({
  input,
  place: here,
  source: { client: "session", sessionId: "s1", turnId: "t1", toolCallId: "c1" },
  author: { kind: "agent", id: "s1", name: "main agent" },
  origins: () => [{ kind: "assistant" }],
  ask: async () => ({ type: "approved" }),
  ...more,
});

export const vote = (input: unknown, more: Partial<VoteRequest> = {}): VoteRequest => ({
  input,
  place: here,
  source: { client: "session", sessionId: "s1", toolCallId: "c2" },
  actor: { key: "agent:local:s1", kind: "agent" },
  ...more,
});

export const rows = (db: Database, table: string): number =>
  Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"]);
