// A team's store beside the embedded one, in the same run: how many durable memories a second, and what one costs.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/base/clock.ts";
import { ok } from "../src/base/result.ts";
import type { Strategy } from "../src/memory/record/contract.ts";
import { storedStrategy } from "../src/memory/record/embedded/strategy.ts";
import { embeddedStore } from "../src/store/embedded-store.ts";
import { migrate } from "../src/store/migrate.ts";
import { storeMigrations } from "../src/store/migrations.ts";
import { startServer } from "../src/store/postgres/server-fixture.ts";
import { openTeamDatabase } from "../src/store/postgres/team-database.ts";
import { openDatabase } from "../src/store/sqlite.ts";
import type { RowStore } from "../src/store/unit.ts";
import { alternate, print, timed } from "./measure.ts";
import { manyClients } from "./team/clients.ts";
import { recordDraft, recordPlace } from "./team/draft.ts";

const WRITERS = 32;
const EACH = 40;
const { signal } = new AbortController();
const strategyOn = (store: RowStore): Strategy =>
  storedStrategy({ open: async () => ok(store), hashKey: "k", user: "local", clock: systemClock, redact: (t) => t });

function opened<T>(result: { ok: true; value: T } | { ok: false; error: { what: string } }): T {
  if (!result.ok) throw new Error(result.error.what);
  return result.value;
}

const writing = (strategy: Strategy, writers: number): Promise<number> =>
  timed(() =>
    Promise.all(
      Array.from({ length: writers }, async () => {
        for (let n = 0; n < EACH; n++) {
          const stored = await strategy.store(recordDraft(n), signal);
          if (stored.type !== "stored") throw new Error(JSON.stringify(stored));
        }
      }),
    ),
  );

export async function bench(): Promise<void> {
  const server = await startServer(["fsync=on"]);
  const folder = mkdtempSync(join(tmpdir(), "everlong-bench-"));
  const team = opened(await openTeamDatabase(await server.newUrl()));
  const db = opened(await openDatabase(join(folder, "store.db")));
  try {
    opened(await migrate(db, storeMigrations));
    const [local, shared] = [strategyOn(embeddedStore(db)), strategyOn(team.store("acme"))];
    const many = await alternate(
      3,
      () => writing(local, WRITERS),
      () => writing(shared, WRITERS),
    );
    print(
      `L5 W17 ${WRITERS * EACH} memories by ${WRITERS} writers, SQLite and PostgreSQL`,
      many,
      "500 a second on PostgreSQL",
    );
    process.stdout.write(
      `  PostgreSQL: ${Math.round((WRITERS * EACH * 1000) / many.product)} a second, each durable\n`,
    );
    await team.count(["memories", "memory_citations", "memory_votes"]);
    const ask = { place: recordPlace, scopes: ["repository", "user"] as const, maxTokens: 2000, maxRecords: 60 };
    const prompt = await alternate(
      5,
      () => timed(() => local.prompt(ask, signal)),
      () => timed(() => shared.prompt(ask, signal)),
    );
    print("a prompt from them", prompt, "<= 2 times");
    const { p50, p99, errors, aSecond } = await manyClients(await server.newUrl());
    process.stdout.write(
      `200 clients over two nodes: ${Math.round(aSecond)} requests a second, p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, ` +
        `ratio ${(p99 / p50).toFixed(2)} (target <= 3), ${errors} errors (target 0)\n`,
    );
  } finally {
    db.close();
    await team.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
