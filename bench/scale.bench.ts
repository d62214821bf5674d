// What a team costs its database: measured for one request of each kind, then added up and simulated for many people.
import { readdirSync, readFileSync } from "node:fs";
import { systemClock } from "../src/base/clock.ts";
import { ok } from "../src/base/result.ts";
import { storedStrategy } from "../src/memory/record/embedded/strategy.ts";
import { startServer, type TestServer } from "../src/store/postgres/server-fixture.ts";
import { openTeamDatabase } from "../src/store/postgres/team-database.ts";
import { type RequestCost, simulate } from "./scale/simulate.ts";
import { recordDraft } from "./team/draft.ts";

const MANY = 600;
const { signal } = new AbortController();

type Measured = RequestCost & { walBytes: number; diskBytes: number };

export async function bench(): Promise<void> {
  const server = await startServer(["fsync=on"]);
  const url = await server.newUrl();
  const database = new URL(url).pathname.slice(1);
  const opened = await openTeamDatabase(url, { size: 8 });
  if (!opened.ok) throw new Error(opened.error.what);
  const team = opened.value;
  const strategy = storedStrategy({
    ...{ open: async () => ok(team.store("acme")), hashKey: "k", user: "local", clock: systemClock },
    redact: (text) => text,
  });
  const ask = {
    place: { repository: "acme/app", user: "local" },
    ...{ scopes: ["repository", "user"] as const, maxTokens: 2000, maxRecords: 60 },
  };
  try {
    for (let i = 0; i < 50; i++) await strategy.store(recordDraft(i), signal);
    const write = await measured(server, database, (i) => strategy.store(recordDraft(i), signal));
    await team.count(["memories", "memory_citations", "memory_votes"]);
    const read = await measured(server, database, () => strategy.prompt(ask, signal));
    row("store a memory", write);
    row("a prompt from the database", read);
    for (const [users, machines] of TEAMS) plan(users, machines, write, read);
  } finally {
    await team.close();
    await server.close();
  }
}

async function measured(
  server: TestServer,
  database: string,
  work: (i: number) => Promise<{ type: string }>,
): Promise<Measured> {
  const state = async (): Promise<{ wal: number; disk: number }> => {
    const [one] = await server.ask(
      `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint AS wal, pg_database_size('${database}') AS disk`,
    );
    return { wal: Number(one?.["wal"]), disk: Number(one?.["disk"]) };
  };
  const before = await state();
  const [node, backends, start] = [process.cpuUsage(), backendMs(), performance.now()];
  for (let i = 0; i < MANY; i++) {
    const outcome = await work(i);
    if (outcome.type !== "stored" && outcome.type !== "prompted") throw new Error(JSON.stringify(outcome));
  }
  const wallMs = (performance.now() - start) / MANY;
  const { user, system } = process.cpuUsage(node);
  const nodeMs = (user + system) / 1000 / MANY;
  const databaseMs = (backendMs() - backends) / MANY;
  const after = await state();
  return {
    ...{ nodeMs, databaseMs, heldMs: Math.max(0, wallMs - nodeMs - databaseMs) },
    ...{ walBytes: (after.wal - before.wal) / MANY, diskBytes: (after.disk - before.disk) / MANY },
  };
}

/** Processor time of all processes of PostgreSQL on this machine that we may look at, in milliseconds. */
function backendMs(): number {
  let ticks = 0;
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const text = readFileSync(`/proc/${name}/stat`, "utf8");
      if (!text.includes("(postgres)")) continue;
      const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
      ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // It has ended meanwhile.
    }
  }
  return ticks * 10;
}

const row = (name: string, { nodeMs, databaseMs, heldMs, walBytes, diskBytes }: Measured): void =>
  console.log(
    `${name}: node ${nodeMs.toFixed(2)} ms, database ${databaseMs.toFixed(2)} ms of processor; waits ${heldMs.toFixed(2)} ms; ` +
      `${(walBytes / 1024).toFixed(1)} KB of WAL, ${(diskBytes / 1024).toFixed(1)} KB on disk`,
  );

/** What one person does in the busiest hour: prompts are read with each turn, memories are written seldom. */
const TURNS_AN_HOUR = 60;
const WRITES_AN_HOUR = 4;
/** So many work at the same time, and a node answers so many prompts from what it remembers. */
const AT_ONCE = 0.3;
const REMEMBERED = 0.8;
const WRITES_A_YEAR = 2000;

const TEAMS = [
  [100, { nodes: 2, coresOfNode: 1, connectionsOfNode: 10, coresOfDatabase: 2 }],
  [10_000, { nodes: 4, coresOfNode: 1, connectionsOfNode: 10, coresOfDatabase: 8 }],
  [1_000_000, { nodes: 64, coresOfNode: 1, connectionsOfNode: 10, coresOfDatabase: 64 }],
] as const;

function plan(users: number, machines: (typeof TEAMS)[number][1], write: Measured, read: Measured): void {
  const perSecond = (anHour: number): number => (users * AT_ONCE * anHour) / 3600;
  const [writes, reads] = [perSecond(WRITES_AN_HOUR), perSecond(TURNS_AN_HOUR) * (1 - REMEMBERED)];
  const rate = writes + reads;
  const mixed = (of: (one: Measured) => number): number => (of(write) * writes + of(read) * reads) / rate;
  const cost = {
    nodeMs: mixed((one) => one.nodeMs),
    databaseMs: mixed((one) => one.databaseMs),
    heldMs: mixed((one) => one.heldMs),
  };
  const { p50, p99, nodeUse, databaseUse, connections } = simulate(rate, cost, machines);
  console.log(
    `${users.toLocaleString("en-US")} users: ${writes.toFixed(1)} writes and ${reads.toFixed(1)} prompts a second on ${machines.nodes} nodes, ` +
      `${machines.coresOfDatabase} cores of database: nodes ${percent(nodeUse)}, database ${percent(databaseUse)}, ` +
      `${connections.toFixed(1)} connections busy, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms; ` +
      `WAL ${((writes * write.walBytes) / 1e6).toFixed(2)} MB/s, ${((users * WRITES_A_YEAR * write.diskBytes) / 1e9).toFixed(1)} GB a year`,
  );
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;
