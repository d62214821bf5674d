// W13, WE3: a home to PostgreSQL and back: everything arrives once, nothing is changed where it came from.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { ok } from "../../src/base/result.ts";
import { homePaths } from "../../src/host/paths.ts";
import { place as board, text, user } from "../../src/memory/board/board-fixture.ts";
import { listItems } from "../../src/memory/board/row.ts";
import { putItem, removeItem } from "../../src/memory/board/store.ts";
import type { Strategy } from "../../src/memory/record/contract.ts";
import { storedStrategy } from "../../src/memory/record/embedded/strategy.ts";
import { newMemoryId } from "../../src/memory/record/id.ts";
import { openStore } from "../../src/runtime/store.ts";
import { movedGraph } from "../../src/runtime/team/moved-graph.ts";
import { movedTables } from "../../src/runtime/team/moved-tables.ts";
import { secretKey } from "../../src/runtime/workspace.ts";
import { copiedTables, tenantTables } from "../../src/store/copy/table.ts";
import { embeddedStore } from "../../src/store/embedded-store.ts";
import { tableKinds } from "../../src/store/kinds.ts";
import { newTeamDatabase, sharedServer } from "../../src/store/postgres/postgres-fixture.ts";
import { allRows, execute, type RowStore } from "../../src/store/unit.ts";
import { openMemories } from "../memory/record-fixture.ts";
import { draft, filtered } from "../memory/strategy.conformance.ts";
import { newPlace, type Place, run } from "../tool/everlong.ts";
import { soakCount } from "../tool/soak.ts";
import { treeOf } from "../tool/tree-hash.ts";

const newUrl = async (): Promise<string> => sharedServer().newUrl();
const { signal } = new AbortController();
const repositories = ["acme/app", "acme/web"];
const animals = ["otter", "heron", "lynx", "marten", "plover", "stoat", "wigeon", "adder"];

const strategyOn = (store: RowStore, hashKey: string, name = "local"): Strategy =>
  storedStrategy({ open: async () => ok(store), hashKey, user: name, clock: systemClock, redact: (t) => t });

/** Opens the store of a home for some work. */
async function inHome<T>({ home }: Place, work: (store: RowStore, strategy: Strategy) => Promise<T>): Promise<T> {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const db = await openStore(homePaths(home));
  if (!db.ok) throw new Error(db.error.what);
  try {
    const store = embeddedStore(db.value);
    return await work(store, strategyOn(store, secretKey(home)));
  } finally {
    db.value.close();
  }
}

/** Records of both scopes with votes, edits and deletions, and a board with its changes. */
async function settle(place: Place, count: number): Promise<void> {
  await inHome(place, async (store, strategy) => {
    for (let n = 0; n < count; n++) {
      const own = n % 5 === 0;
      const where = { ...(own ? {} : { repository: repositories[n % 2] }), user: "local" } as const;
      const fact = `The ${animals[n % animals.length]} of shed ${n} eats at ${n % 24} o'clock.`;
      const author = { kind: own ? "user" : "agent", id: "local", name: "local" } as const;
      const wish = { id: newMemoryId(), scope: own ? "user" : "repository", author } as const;
      const stored = await strategy.store(draft(where, fact, wish), signal);
      if (stored.type !== "stored") throw new Error(JSON.stringify(stored));
      const { id } = stored.record;
      const by = { actor: { kind: "user", id: "local", name: "local" }, place: where } as const;
      if (n % 7 === 0) await strategy.edit(id, { reason: filtered(`Seen ${n} times.`) }, by, signal);
      if (n % 11 === 0) {
        const ballot = { fact: filtered(fact), reason: filtered("It is so."), place: where, id };
        await strategy.vote({ ...ballot, direction: "upvote", actor: { key: "user:local", kind: "user" } }, signal);
      }
      if (n % 13 === 12) await strategy.delete(id, by, signal);
    }
    for (const name of animals) await putItem(store, board, { src: "user", text: text(name), at: "2026-01-01" }, user);
    await removeItem(store, board, { src: "user", name: "adder", at: "2026-01-02" }, user);
  });
}

/** All that can be listed, found and read of a home. */
const viewOf = (place: Place): Promise<unknown> =>
  inHome(place, async (store, strategy) => {
    const records = await strategy.list(
      { status: ["active", "pending", "superseded", "deleted"], limit: 20_000 },
      signal,
    );
    const changes = await strategy.changes({ limit: 100_000 }, signal);
    const searches = [];
    for (const word of animals) searches.push(await strategy.list({ text: word, limit: 50 }, signal));
    const graph = [];
    for (const table of GRAPH) graph.push(await store.read(() => allRows(`SELECT * FROM ${table} ORDER BY 1, 2, 3`)));
    return { records, changes, searches, graph, items: await store.read(() => listItems(board)) };
  });
const GRAPH =
  "graph_group graph_episode graph_entity graph_alias graph_band graph_fact graph_mention graph_ending".split(" ");

const recallIn = async (place: Place, words: string): Promise<unknown> => {
  const answer = await run(place, ["recall", words, "--all", "--as-of", "2100-01-01", "--json"]);
  expect(answer.code).toBe(0);
  return answer.stdout;
};

const ASKED = ["what does the otter eat", "heron shed"];

type Told = { tables: { table: string; rows: number; added: number; differing: number }[]; verified: boolean };
async function moved(place: Place, ...args: string[]): Promise<Told> {
  const answer = await run(place, ["move", ...args, "--json"], { timeoutMs: 600_000 });
  if (answer.code !== 0) throw new Error(answer.stderr + answer.stdout);
  return JSON.parse(answer.stdout) as Told;
}
const addedBy = ({ tables }: Told): number => tables.reduce((sum, one) => sum + one.added, 0);

it("WE3 W13 a home moved to PostgreSQL and back into another home: listings, changes, searches and recall are equal", async () => {
  const url = await newUrl();
  const [first, second] = [newPlace(), newPlace()];
  const count = soakCount(80, 10_000);
  await settle(first, count);
  for (const fact of ["ann WORKS_AT Acme", "ann WORKS_AT Globex", "gateway USES 4747"])
    expect((await run(first, ["graph", "add", ...fact.split(" ")])).code).toBe(0);
  const facts = await run(first, ["graph", "facts", "--json"]);
  expect(facts.stdout).toContain("4747");
  const before = await viewOf(first);
  const answers = [];
  for (const words of ASKED) answers.push(await recallIn(first, words));
  const untouched = treeOf(join(first.home, "journal"));

  const dry = await moved(first, "--to", url, "--dry-run");
  expect(dry.verified).toBe(false);
  expect(addedBy(dry)).toBeGreaterThan(count * 2);
  const team = await newTeamDatabase(url);
  const there = strategyOn(team.store("local"), team.key);
  expect(await there.list({}, signal)).toMatchObject({ records: [] });

  const out = await moved(first, "--to", url);
  expect([addedBy(out), out.verified]).toEqual([addedBy(dry), true]);
  expect(treeOf(join(first.home, "journal"))).toEqual(untouched);
  expect(await viewOf(first)).toEqual(before);
  const again = await moved(first, "--to", url);
  expect([addedBy(again), again.verified]).toEqual([0, true]);

  const back = await moved(second, "--from", url);
  expect([addedBy(back), back.verified]).toEqual([addedBy(out), true]);
  expect(addedBy(await moved(second, "--from", url))).toBe(0);
  expect(await viewOf(second)).toEqual(before);
  for (const [i, words] of ASKED.entries()) expect(await recallIn(second, words)).toEqual(answers[i]);
  expect((await run({ ...second, folder: first.folder }, ["graph", "facts", "--json"])).stdout).toBe(facts.stdout);
  // What comes next gets a number of its own, on both sides, and a fact that is there is known.
  const fact = `The ${animals[1]} of shed 1 eats at 1 o'clock.`;
  const where = { repository: "acme/web", user: "local" };
  expect(await there.store(draft(where, fact), signal)).toMatchObject({ type: "already_stored" });
  expect(await there.store(draft(where, "Something new"), signal)).toMatchObject({ type: "stored" });
  await inHome(second, async (_store, strategy) => {
    expect(await strategy.store(draft(where, fact), signal)).toMatchObject({ type: "already_stored" });
  });
  expect(addedBy(await moved(second, "--from", url))).toBeGreaterThan(0);
});

it("W13 two homes in one tenant: numbers that clash are given anew, each user keeps their own, others' stay theirs", async () => {
  const url = await newUrl();
  const [ann, bob, third] = [newPlace(), newPlace(), newPlace()];
  for (const place of [ann, bob]) await settle(place, 20);
  const outs = [
    await moved(ann, "--to", url, "--tenant", "acme", "--user", "ann"),
    await moved(bob, "--to", url, "--tenant", "acme", "--user", "bob"),
  ];
  // The board of both is the same one: the second home adds its changes, and leaves the items as they are.
  expect(outs.map(({ verified }) => verified)).toEqual([true, true]);
  expect(outs[1]?.tables.find(({ table }) => table === "memories")).toMatchObject({
    rows: 20,
    added: 20,
    differing: 0,
  });
  const team = await newTeamDatabase(url);
  const [annSees, bobSees] = ["ann", "bob"].map((name) => strategyOn(team.store("acme"), team.key, name));
  const own = async (strategy: Strategy | undefined, name: string) => {
    const listed = await strategy?.list({ place: { user: name }, scope: "user" }, signal);
    return listed?.type === "listed" ? listed.records : [];
  };
  expect([(await own(annSees, "ann")).length, (await own(bobSees, "bob")).length]).toEqual([4, 4]);
  expect((await own(annSees, "ann"))[0]?.author).toEqual({ kind: "user", id: "ann", name: "ann" });
  // Home again: what is shared, and what is ann's.
  const back = await moved(third, "--from", url, "--tenant", "acme", "--user", "ann");
  expect(back.tables.find(({ table }) => table === "memories")).toMatchObject({ added: 16 + 16 + 4 });
  await inHome(third, async (_store, strategy) => {
    const mine = await strategy.list({ place: { user: "local" }, scope: "user" }, signal);
    expect(mine.type === "listed" && mine.records.map(({ author }) => author.id)).toEqual([
      "local",
      "local",
      "local",
      "local",
    ]);
  });
});

it("W13 what the team changed meanwhile is left alone and named; a run that was cut off goes on", async () => {
  const url = await newUrl();
  const place = newPlace();
  await settle(place, 60);
  await moved(place, "--to", url);
  const team = await newTeamDatabase(url);
  const rows = team.store("local");
  // As if the first run had ended in the middle; and one record was edited there.
  await rows.write(function* () {
    yield* execute("DELETE FROM memory_citations WHERE memory IN (SELECT id FROM memories WHERE seq > 30)");
    yield* execute("DELETE FROM memory_changes WHERE id > 30");
    yield* execute("UPDATE memories SET reason = 'edited there' WHERE seq = 3");
  });
  const again = await moved(place, "--to", url);
  expect(again.verified).toBe(true);
  expect(addedBy(again)).toBeGreaterThan(30);
  expect(again.tables.find(({ table }) => table === "memories")).toMatchObject({ added: 0, differing: 1 });
  const listed = await strategyOn(rows, team.key).list({ limit: 500 }, signal);
  expect(listed.type === "listed" && listed.records.filter(({ reason }) => reason === "edited there")).toHaveLength(1);
});

it("W13 wrong use is one clear line", async () => {
  const place = newPlace();
  expect(await run(place, ["move"])).toMatchObject({ code: 2 });
  expect(await run(place, ["move", "--to", "postgres://x/y", "--from", "postgres://x/y"])).toMatchObject({ code: 2 });
  expect(await run(place, ["move", "--to", "postgres://x/y", "--tenant", "No Good"])).toMatchObject({ code: 2 });
  const empty = await run(place, ["move", "--to", await newUrl()]);
  expect([empty.code, empty.stderr]).toEqual([1, expect.stringContaining("has no memories")]);
});

/** Tables of store.db that no team has: what each is for a home only. */
const AT_HOME = new Set(
  "sessions turns checkpoints session_files session_refs session_progress model_calls token_calibration search_index import_file journal_state journal_erasure journal_mark salvaged observation graph_outbox graph_endpoint recall_terms pin consolidation_runs".split(
    " ",
  ),
);
it("W13 somebody has decided about every table, on either side", async () => {
  const team = await newTeamDatabase();
  const names = await team.store("local").read(tenantTables);
  if (!names.ok) throw new Error(names.error.what);
  const copied = copiedTables(await openMemories(), names.value, movedTables).map(({ name }) => name);
  const undecided = (name: string): boolean => !copied.includes(name) && movedTables[name]?.stays === undefined;
  expect(names.value.filter(undecided)).toEqual([]);
  const left = Object.keys(tableKinds).filter((name) => !names.value.includes(name));
  expect(left.filter((name) => !AT_HOME.has(name))).toEqual([]);
  expect(["a_new_table"].filter(undecided)).toEqual(["a_new_table"]);
  expect(copied.indexOf("memories")).toBeLessThan(copied.indexOf("memory_citations"));
});

it("W13 W12 what the graph has of a home's sessions is its owner's on the database, and as it was at home again", () => {
  const become = movedGraph["graph_group"]?.become ?? ((row) => row);
  const place = { level: "session", session: "s1", repository: "acme/app", group: "g" };
  const row = { id: "g", place: JSON.stringify(place) };
  const there = become(row, { user: { from: "local", to: "ann" }, identity: "acme/ann", home: "", hashKey: "" });
  expect(JSON.parse(String(there["place"]))).toEqual({ ...place, identity: "acme/ann", user: "ann" });
  expect(become(there, { user: { from: "ann", to: "local" }, home: "", hashKey: "" })).toEqual(row);
});
