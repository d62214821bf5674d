// A team's store beside the embedded one, in the same run: how many durable memories a second, and what one costs.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/base/clock.ts";
import { ok } from "../src/base/result.ts";
import type { RecordDraft, Strategy } from "../src/memory/record/contract.ts";
import { storedStrategy } from "../src/memory/record/embedded/strategy.ts";
import { newMemoryId } from "../src/memory/record/id.ts";
import type { FilteredText } from "../src/memory/secret/filter.ts";
import { embeddedStore } from "../src/store/embedded-store.ts";
import { migrate } from "../src/store/migrate.ts";
import { storeMigrations } from "../src/store/migrations.ts";
import { startServer } from "../src/store/postgres/server-fixture.ts";
import { openTeamDatabase } from "../src/store/postgres/team-database.ts";
import { openDatabase } from "../src/store/sqlite.ts";
import type { RowStore } from "../src/store/unit.ts";
import { alternate, print, timed } from "./measure.ts";

const WRITERS = 32;
const EACH = 40;
const { signal } = new AbortController();
const place = { repository: "acme/app", user: "local" };
const clean = (text: string): FilteredText => text as FilteredText;

const draft = (n: number): RecordDraft => ({
  ...{ id: newMemoryId(), subject: clean("builds"), fact: clean(`${newMemoryId()} writes into ${n}.`) },
  ...{ reason: clean("It is needed often."), scope: "repository", place, status: "active" },
  citations: [{ raw: clean("package.json:10"), kind: "file", path: "package.json", state: "unchecked" }],
  source: { client: "bench", origins: [], trust: 1 },
  author: { kind: "user", id: "local", name: "local" },
});

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
          const stored = await strategy.store(draft(n), signal);
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
      `${WRITERS * EACH} memories by ${WRITERS} writers, SQLite and PostgreSQL`,
      many,
      "500 a second on PostgreSQL",
    );
    process.stdout.write(
      `  PostgreSQL: ${Math.round((WRITERS * EACH * 1000) / many.product)} a second, each durable\n`,
    );
    const ask = { place, scopes: ["repository", "user"] as const, maxTokens: 2000, maxRecords: 60 };
    const prompt = await alternate(
      5,
      () => timed(() => local.prompt(ask, signal)),
      () => timed(() => shared.prompt(ask, signal)),
    );
    print("a prompt from them", prompt, "<= 2 times");
  } finally {
    db.close();
    await team.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
