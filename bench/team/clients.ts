// Many clients at once over two nodes, each a process of its own: how long they wait, and whether anybody is refused.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/base/clock.ts";
import { ok } from "../../src/base/result.ts";
import { storedStrategy } from "../../src/memory/record/embedded/strategy.ts";
import { tokensOfTenant } from "../../src/runtime/team/token-store.ts";
import { openTeamDatabase } from "../../src/store/postgres/team-database.ts";
import { recordDraft } from "./draft.ts";
import { startNode } from "./node.ts";

const CLIENTS = 200;
const EACH = 10;
const SEEDED = 1000;
/** One request in so many writes. */
const WRITES = 5;

type Shares = { p50: number; p99: number };
/** `cold`: of the same requests to nodes that had just started. */
export type Waited = Shares & { cold: Shares; errors: number; aSecond: number };

function shares(times: readonly number[]): Shares {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

export async function manyClients(url: string): Promise<Waited> {
  const team = await openTeamDatabase(url);
  if (!team.ok) throw new Error(team.error.what);
  const wish = { name: "bench", tenant: "acme", user: "ann", scopes: ["read", "write", "approve"], repositories: [] };
  const issued = await tokensOfTenant(team.value, "acme").issue(wish);
  const strategy = storedStrategy({
    ...{ open: async () => ok(team.value.store("acme")), hashKey: team.value.key, user: "ann", clock: systemClock },
    redact: (text) => text,
  });
  // A team has memories, and its database has counted them.
  for (let i = 0; i < SEEDED; i++) await strategy.store(recordDraft(i), new AbortController().signal);
  await team.value.count(["memories", "memory_citations", "memory_votes"]);
  await team.value.close();
  if (!issued.ok) throw new Error(issued.error.what);
  const folder = mkdtempSync(join(tmpdir(), "everlong-bench-"));
  const env = { EVERLONG_DATABASE_URL: url };
  const nodes = [await startNode(join(folder, "1"), env), await startNode(join(folder, "2"), env)];
  try {
    const times: number[] = [];
    let errors = 0;
    const client = async (n: number): Promise<void> => {
      for (let i = 0; i < EACH; i++) {
        const at = nodes[(n + i) % nodes.length]?.address ?? "";
        const start = performance.now();
        const response = await send(at, issued.value.token, n * EACH + i).catch(() => undefined);
        times.push(performance.now() - start);
        if (!response?.ok) errors++;
        await response?.arrayBuffer();
      }
    };
    const all = (): Promise<unknown> => Promise.all(Array.from({ length: CLIENTS }, (_, n) => client(n + 1)));
    await all(); // connections and plans are there before it counts
    const cold = shares(times.splice(0));
    const start = performance.now();
    await all();
    const seconds = (performance.now() - start) / 1000;
    return { ...shares(times), cold, errors, aSecond: times.length / seconds };
  } finally {
    for (const { child } of nodes) child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}

function send(address: string, token: string, n: number): Promise<Response> {
  const authorization = `Bearer ${token}`;
  if (n % WRITES !== 0)
    return fetch(`${address}/api/memory/prompt?repository=acme/app`, { headers: { authorization } });
  const body = {
    ...{ subject: "builds", fact: `Step ${n} of ${crypto.randomUUID()}.`, citations: ["package.json:10"] },
    ...{ reason: "It is needed often.", scope: "repository", repository: "acme/app", approved: true },
  };
  return fetch(`${address}/api/memory/records`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}
