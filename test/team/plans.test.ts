// W3: no table scan on a request path: the plans of what the memory service asks, on a tenant among others with thousands of rows.
import { expect, it, vi } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { ok } from "../../src/base/result.ts";
import { listItems } from "../../src/memory/board/row.ts";
import { VectorScan } from "../../src/memory/recall/embed/scan.ts";
import type { Item, ItemPlace } from "../../src/memory/recall/item.ts";
import { listing, originalOf } from "../../src/memory/recall/list.ts";
import { TermCounts } from "../../src/memory/recall/rank/count.ts";
import { type SearchRequest, searching } from "../../src/memory/recall/search.ts";
import { addItems, removeItems, removeSession } from "../../src/memory/recall/store/change.ts";
import type { Within } from "../../src/memory/recall/store/scope.ts";
import { storedStrategy } from "../../src/memory/record/embedded/strategy.ts";
import { newTeamDatabase, sharedServer } from "../../src/store/postgres/postgres-fixture.ts";
import { openTeamDatabase } from "../../src/store/postgres/team-database.ts";
import { draft, filtered } from "../memory/strategy.conformance.ts";
import { connectTo, recordingStore, type SentStatement, wholeScans } from "./plan-reader.ts";
import { recallRows } from "./recall-rows.ts";

const { signal } = new AbortController();
const ROWS = 4000;
const memoryRows = `INSERT INTO memories (id, scope, repository, "user", subject, fact, fact_hash, reason, status, source, author, trust,
    created_at, updated_at)
  SELECT 'mem_' || i, 'repository', 'acme/r' || i % 200, 'u', 's', 'fact ' || i, 'h' || i, 'r', 'active', '{}', '{}', 1, 't' || i, 't' || i
  FROM generate_series(1, ${ROWS}) AS i;`;

it("W3 every statement of the memory service uses an index", async () => {
  const team = await newTeamDatabase();
  const client = await connectTo(team.url);
  try {
    for (const tenant of ["acme", "globex"])
      await client.query(`BEGIN; SET LOCAL everlong.tenant = '${tenant}';
        ${memoryRows}
        INSERT INTO memory_citations (memory, position, raw, kind, state) SELECT id, 0, 'a', 'text', 'unchecked' FROM memories;
        INSERT INTO memory_votes SELECT tenant, id, 'a', 'agent', 'upvote', 'r', 't' FROM memories;
        INSERT INTO memory_changes (memory, action, actor, at) SELECT id, 'store', '{}', 't' FROM memories;
        INSERT INTO memory_text SELECT tenant, seq, 2 FROM memories;
        INSERT INTO memory_text_word SELECT tenant, 'w' || seq % 500, seq, 1 FROM memories;
        INSERT INTO dynamic_context_items (repository, branch, src, name, description, content, author, created_at, updated_at)
          SELECT 'r' || i / 20, 'main', 'user', 'n' || i % 20, 'd', 'c', 'a', 't', 't' FROM generate_series(1, ${ROWS}) AS i;
        ${recallRows(ROWS)}
        COMMIT; ANALYZE`);
    const sent: SentStatement[] = [];
    const store = recordingStore(team.pool, "acme", sent);
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
    expect(sent.length).toBeGreaterThan(30);
    const scans = await wholeScans(client, "acme", sent);
    // Erasing a memory looks through the answers that were kept for repeated requests: those of one day.
    expect(scans.filter((scan) => !/^(memory_idempotency: DELETE|recall_removal: )/.test(scan))).toEqual([]);
  } finally {
    await client.end();
  }
});

it("W3 W17 a table that grew before anybody counted it is not read whole by the plans of when it was empty", async () => {
  const server = sharedServer();
  const url = await server.newUrl();
  const team = await openTeamDatabase(url);
  if (!team.ok) throw new Error(team.error.what);
  const parts = { hashKey: "k", user: "u", clock: systemClock, redact: (text: string) => text };
  const strategy = storedStrategy({ ...parts, open: async () => ok(team.value.store("acme")) });
  const place = { repository: "acme/r", user: "u" };
  const [few, more] = [10, 100];
  for (let n = 0; n < few; n++) await strategy.store(draft(place, `fact ${n}`), signal);
  const client = await connectTo(url);
  await client.query(`BEGIN; SET LOCAL everlong.tenant = 'acme'; ${memoryRows} COMMIT`);
  await client.end();
  for (let n = 0; n < more; n++) await strategy.store(draft(place, `another ${n}`), signal);
  await team.value.close();
  // What a connection has read is told at its end.
  const database = url.split("/").at(-1);
  const connected = `SELECT 1 FROM pg_stat_activity WHERE usename = 'everlong' AND datname = '${database}'`;
  await vi.waitUntil(async () => (await server.ask(connected)).length === 0, 60_000);
  const reads = "SELECT idx_tup_fetch + seq_tup_read AS n FROM pg_stat_user_tables WHERE relname = 'memories'";
  const [row] = await server.ask(reads, database);
  // A few times all of it, until the next plans are made; not each time.
  expect(Number(row?.["n"])).toBeLessThan((more / 4) * ROWS);
});

it("W3 every statement of recall uses an index", async () => {
  const team = await newTeamDatabase();
  const client = await connectTo(team.url);
  try {
    for (const tenant of ["acme", "globex"])
      await client.query(`BEGIN; SET LOCAL everlong.tenant = '${tenant}'; ${recallRows(ROWS)} COMMIT`);
    await client.query("VACUUM ANALYZE");
    const sent: SentStatement[] = [];
    const store = recordingStore(team.pool, "acme", sent);
    const place: ItemPlace = { level: "session", session: "s", repository: "acme/r1", identity: "u1" };
    const said = (id: string): Item => ({
      id,
      kind: "turn",
      role: "user",
      text: `a boat for ${id}`,
      seq: 1,
      turn: 1,
      place,
    });
    const within: Within = { identity: "u1", scopes: [{ type: "repository", repository: "acme/r1" }] };
    const parts = { relatedTo: () => ["ship"], counts: new TermCounts(), vectors: new VectorScan() };
    const ask = async (text: string, more: Partial<SearchRequest> = {}) => {
      const answer = await store.read(() => searching({ text, within, ...more }, parts));
      if (!answer.ok || answer.value.results.length === 0) throw new Error(`nothing for ${text}`);
    };
    await store.write(() => addItems([said("one"), said("two")], { embed: true }), { holds: true });
    await ask("what about the boat word7");
    await ask("the boat word7", {
      within: { identity: "u1", scopes: [{ type: "all" }] },
      bounds: { postings: 50, allPostings: 90, kept: 20 },
    });
    await ask('"boat word7"', { since: 1 });
    await ask("boat", { bounds: { postings: 5, allPostings: 5, kept: 5 }, since: 1, kinds: ["turn"] });
    await ask("harbourage", { within: { identity: "u1", scopes: [{ type: "session", session: "old7" }] } });
    await store.read(() => listing({ within, text: "word7" }));
    await store.read(() => originalOf(within, "old17"));
    await store.write(() => removeItems(["one"]), { holds: true });
    await store.write(() => removeSession({ session: "s", identity: "u1" }), { holds: true });
    expect(sent.length).toBeGreaterThan(40);
    // Sixteen rows at most.
    const scans = await wholeScans(client, "acme", sent);
    expect(scans.filter((scan) => !scan.startsWith("recall_removal: "))).toEqual([]);
  } finally {
    await client.end();
  }
});
