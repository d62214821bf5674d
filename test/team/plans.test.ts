// W3: no table scan on a request path: the plans of what the memory service asks, on a tenant among others with thousands of rows.
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { ok } from "../../src/base/result.ts";
import { listItems } from "../../src/memory/board/row.ts";
import { storedStrategy } from "../../src/memory/record/embedded/strategy.ts";
import { forPostgres } from "../../src/store/postgres/dialect.ts";
import { closeSharedServer, newTeamDatabase, sharedServer } from "../../src/store/postgres/postgres-fixture.ts";
import type { RowStore, StoreStep, Unit } from "../../src/store/unit.ts";
import { draft, filtered } from "../memory/strategy.conformance.ts";

beforeAll(sharedServer);
afterAll(closeSharedServer);

const { signal } = new AbortController();
const ROWS = 4000;

/** Every statement that passes through a store, with its values. */
function listening(store: RowStore, seen: Extract<StoreStep, { sql: string }>[]): RowStore {
  function* heard<T>(unit: Unit<T>): Unit<T> {
    let next = unit.next();
    while (!next.done) {
      if ("sql" in next.value) seen.push(next.value);
      next = unit.next(yield next.value);
    }
    return next.value;
  }
  return {
    read: (unit, options) => store.read(() => heard(unit()), options),
    write: (unit, options) => store.write(() => heard(unit()), options),
  };
}

it("W3 every statement of the memory service uses an index", async () => {
  const team = await newTeamDatabase();
  const client = new pg.Client({ connectionString: team.url, options: "-c search_path=everlong" });
  await client.connect();
  try {
    for (const tenant of ["acme", "globex"])
      await client.query(`BEGIN; SET LOCAL everlong.tenant = '${tenant}';
        INSERT INTO memories (id, scope, repository, "user", subject, fact, fact_hash, reason, status, source, author, trust,
            created_at, updated_at)
          SELECT 'mem_' || i, 'repository', 'acme/r' || i % 200, 'u', 's', 'fact ' || i, 'h' || i, 'r', 'active', '{}', '{}', 1, 't' || i, 't' || i
          FROM generate_series(1, ${ROWS}) AS i;
        INSERT INTO memory_citations (memory, position, raw, kind, state) SELECT id, 0, 'a', 'text', 'unchecked' FROM memories;
        INSERT INTO memory_votes SELECT tenant, id, 'a', 'agent', 'upvote', 'r', 't' FROM memories;
        INSERT INTO memory_changes (memory, action, actor, at) SELECT id, 'store', '{}', 't' FROM memories;
        INSERT INTO memory_text SELECT tenant, seq, 2 FROM memories;
        INSERT INTO memory_text_word SELECT tenant, 'w' || seq % 500, seq, 1 FROM memories;
        INSERT INTO dynamic_context_items (repository, branch, src, name, description, content, author, created_at, updated_at)
          SELECT 'r' || i / 20, 'main', 'user', 'n' || i % 20, 'd', 'c', 'a', 't', 't' FROM generate_series(1, ${ROWS}) AS i;
        COMMIT; ANALYZE`);
    const seen: Extract<StoreStep, { sql: string }>[] = [];
    const store = listening(team.store("acme"), seen);
    const parts = { hashKey: "k", user: "u", clock: systemClock, redact: (text: string) => text };
    const reach = { user: "u", repositories: ["acme/*"] };
    const strategy = storedStrategy({ ...parts, open: async () => ok(store), reach });
    const place = { repository: "acme/r7", user: "u" };
    const actor = { kind: "user", id: "u", name: "u" } as const;
    const stored = await strategy.store(draft(place, "a new one"), signal);
    if (stored.type !== "stored") throw new Error(stored.type);
    const { id } = stored.record;
    await strategy.prompt({ place, scopes: ["repository", "user"], maxTokens: 2000, maxRecords: 60 }, signal);
    await strategy.list({ place }, signal);
    await strategy.list({ limit: 100 }, signal);
    await strategy.list({ place, text: "w7" }, signal);
    await strategy.edit(id, { reason: filtered("because") }, { actor }, signal);
    const ballot = { reason: filtered("r"), place, actor: { key: "k", kind: "agent" } as const };
    await strategy.vote({ ...ballot, fact: filtered("a new one"), direction: "upvote" }, signal);
    await strategy.changes({ memory: id }, signal);
    await strategy.changes({ limit: 100 }, signal);
    await store.read(() => listItems({ repository: "r7", branch: "main" }));
    await strategy.delete(id, { actor }, signal);
    expect(seen.length).toBeGreaterThan(30);
    const scans = new Set<string>();
    for (const { sql, values } of seen) {
      await client.query("BEGIN; SET LOCAL everlong.tenant = 'acme'");
      const plan = await client.query(`EXPLAIN ${forPostgres(sql)}`, [...values]);
      await client.query("ROLLBACK");
      const text = plan.rows.map((row) => Object.values(row)[0]).join("\n");
      for (const [, table] of text.matchAll(/Seq Scan on (\w+)/g))
        scans.add(`${table}: ${sql.replace(/\s+/g, " ").slice(0, 160)}`);
    }
    // Erasing a memory looks through the answers that were kept for repeated requests: those of one day.
    expect([...scans].filter((scan) => !scan.startsWith("memory_idempotency: DELETE"))).toEqual([]);
  } finally {
    await client.end();
  }
});
