import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fail } from "../../base/result.ts";
import { search } from "../../memory/recall/search.ts";
import { RecallWriter } from "../../memory/recall/store/write.ts";
import { secretRedactor } from "../../memory/secret/filter.ts";
import { runUnit } from "../../store/embedded-store.ts";
import { openDatabase } from "../../store/sqlite.ts";
import { itemByRef, reindexItems } from "../store/list.ts";
import {
  caller,
  history,
  indexOn,
  openPlace,
  type Place,
  rememberIn,
  request,
  seeable,
  value,
} from "../store/store-fixture.ts";
import { totals } from "../store/totals.ts";

let place: Place;
beforeEach(async () => {
  place = await openPlace();
});
afterEach(() => place.remove());

const me = caller("k", { namespace: "acme/app" });
const SAID = ["u:where does the parser live", "c:call-1 grep parser", "r:call-1 src/parse/array.ts", "a:in src/parse"];
const rows = () => place.db.prepare("SELECT own, text, stored FROM proxy_item ORDER BY id").all();
const find = (text: string, within: object) => search(place.db, { text, within: { scopes: [], ...within } });
const TOKEN = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`;

it("X50 X52 P26 each item is stored and findable once, however often it is sent", async () => {
  const remember = rememberIn(place);
  for (let i = 0; i < 3; i++) {
    const { session, lane } = await request(place.store, me, history("s:rules", ...SAID));
    remember.add(session, lane.id, history(...SAID).flatMap(seeable));
    await remember.idle();
  }
  expect(rows()).toHaveLength(4);
  expect(rows().every((row) => row["stored"] === 1)).toBe(true);
  expect(place.db.prepare("SELECT count(*) AS n FROM recall_item").get()).toEqual({ n: 4 });
  const mine = { identity: "alice", scopes: [{ type: "session", session: "k" }] };
  const [hit] = find("parser", mine).results;
  expect(hit?.source.session).toBe("k");
  expect(value(await itemByRef(place.store, `k:${hit?.ref}`))?.text).toContain("parser");
  expect(find("parser", { ...mine, identity: "bob" }).results).toEqual([]);
  expect(
    find("parser", { identity: "alice", scopes: [{ type: "repository", repository: "acme/app" }] }).results,
  ).not.toEqual([]);
  expect(value(await totals(place.store)).stored).toBe(4);
  await remember.close();
});

it("X53 XI14 what the filter would change is in no row, index or file", async () => {
  const remember = rememberIn(place);
  const items = history(`u:use the token ${TOKEN} please`);
  const { session, lane } = await request(place.store, me, items);
  remember.add(session, lane.id, items.flatMap(seeable));
  await remember.close();
  expect(rows()[0]?.["text"]).toMatch(/^use the token \[redacted:[^\]]+\] please$/);
  place.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  expect(readFileSync(join(place.home, "store.db")).includes(TOKEN)).toBe(false);
});

it("X53 an item that the filter fails on is not stored, and a cut is told so", async () => {
  const redactor = secretRedactor("key");
  const failing = {
    ...redactor,
    text: (t: string) => (t.includes("array") ? fail("filter_failed" as const) : redactor.text(t)),
  };
  const remember = rememberIn(place, { redactor: failing });
  const items = history(...SAID);
  const { session, lane } = await request(place.store, me, items);
  const { refused } = value(await remember.ensure(session, lane.id, items.flatMap(seeable)));
  expect(refused).toEqual([items[2]?.own]);
  expect(rows().map((row) => row["stored"])).toEqual([1, 1, 0, 1]);
  expect(remember.troubles).toEqual(["filter_failed"]);
  remember.add(session, lane.id, items.flatMap(seeable));
  await remember.close();
  expect(remember.troubles).toEqual(["filter_failed"]);
});

it("X55 XB21 items wait in memory while the store is locked, and are stored afterwards", async () => {
  const remember = rememberIn(place, { store: { ...place.store, clock: { ...place.store.clock, monotonic: fast() } } });
  const items = history(...SAID);
  const { session, lane } = await request(place.store, me, items);
  const other = value(await openDatabase(join(place.home, "store.db")));
  other.exec("BEGIN IMMEDIATE");
  remember.add(session, lane.id, items.flatMap(seeable));
  await remember.idle();
  expect(remember.troubles).toEqual(["store_busy"]);
  expect(remember.waitingBytes).toBeGreaterThan(0);
  const ensured = await remember.ensure(session, lane.id, items.flatMap(seeable));
  expect(!ensured.ok && ensured.error.code).toBe("store_busy");
  other.exec("ROLLBACK");
  other.close();
  await remember.close();
  expect(rows().every((row) => row["stored"] === 1)).toBe(true);
  expect(remember.waitingBytes).toBe(0);
});

/** Every look at the clock is a second later: nobody waits five of them for a lock. */
function fast(): () => number {
  let now = 0;
  return () => (now += 1000);
}

it("X55 no more than the bound waits; what had to go comes with the next request", async () => {
  const remember = rememberIn(place, { maxWaiting: 60 });
  const items = history(...SAID);
  const { session, lane } = await request(place.store, me, items);
  remember.add(session, lane.id, items.flatMap(seeable));
  await remember.idle();
  expect(remember.troubles).toEqual(["store_waiting"]);
  expect(rows().map((row) => row["stored"])).toContain(0);
  const next = rememberIn(place);
  next.add(session, lane.id, items.flatMap(seeable));
  await next.close();
  expect(rows().every((row) => row["stored"] === 1)).toBe(true);
  await remember.close();
});

it("N33 whoever brings more bytes than can be stored waits, however few requests they are", async () => {
  const remember = rememberIn(place);
  const { session, lane } = await request(place.store, me, history(...SAID));
  const taken: number[] = [];
  const itemsOf = (bytes: number) => ({
    bytes,
    *[Symbol.iterator]() {
      taken.push(bytes);
      yield* history(...SAID).flatMap(seeable);
    },
  });
  const [few, many] = [1000, 20 * 1024 * 1024];
  remember.add(session, lane.id, itemsOf(few));
  await remember.room();
  expect(taken).toEqual([]);
  remember.add(session, lane.id, itemsOf(many));
  await remember.room();
  expect(taken).toEqual([few, many]);
  await remember.close();
});

it("XB20 with a damaged index nothing counts as stored, and the fault is told", async () => {
  const writer = new RecallWriter(place.db);
  const damaged = Object.assign(new Error("malformed"), { code: "ERR_SQLITE_ERROR", errcode: 267 });
  const broken = {
    add: () => {
      throw damaged;
    },
    remove: writer.remove.bind(writer),
    removeSession: writer.removeSession.bind(writer),
  };
  const remember = rememberIn(place, { index: indexOn(broken) });
  const items = history(...SAID);
  const { session, lane } = await request(place.store, me, items);
  const ensured = await remember.ensure(session, lane.id, items.flatMap(seeable));
  expect(!ensured.ok && ensured.error.code).toBe("store_corrupt");
  expect(rows().every((row) => row["stored"] === 0 && row["text"] === null)).toBe(true);
});

it("X50 with proxy.store=dropped only a cut stores", async () => {
  const remember = rememberIn(place, { mode: "dropped" });
  const items = history(...SAID);
  const { session, lane } = await request(place.store, me, items);
  remember.add(session, lane.id, items.flatMap(seeable));
  await remember.idle();
  expect(rows().every((row) => row["stored"] === 0)).toBe(true);
  value(await remember.ensure(session, lane.id, items.slice(0, 2).flatMap(seeable)));
  expect(rows().map((row) => row["stored"])).toEqual([1, 1, 0, 0]);
  await remember.close();
});

it("R3 a new index is made from the stored items", async () => {
  const remember = rememberIn(place);
  const items = history(...SAID);
  const { session, lane } = await request(place.store, me, items);
  remember.add(session, lane.id, items.flatMap(seeable));
  await remember.close();
  const writer = new RecallWriter(place.db);
  const within = { identity: "alice", scopes: [{ type: "session", session: "k" }] };
  const before = find("parser", within).results.map(({ id, score }) => ({ id, score }));
  const kept = runUnit(place.db, reindexItems(0));
  writer.removeSession({ identity: "alice", session: "k" });
  expect(find("parser", within).results).toEqual([]);
  writer.add(kept);
  expect(find("parser", within).results.map(({ id, score }) => ({ id, score }))).toEqual(before);
});

it("X50 storing many items lets the event loop breathe", async () => {
  const remember = rememberIn(place);
  const items = history(...Array.from({ length: 300 }, (_, i) => `a:${i} ${"word ".repeat(400)}`));
  const { session, lane } = await request(place.store, me, items);
  remember.add(session, lane.id, items.flatMap(seeable));
  let rounds = 0;
  const timer = setInterval(() => rounds++, 1);
  await remember.close();
  clearInterval(timer);
  expect(rounds).toBeGreaterThan(10);
  expect(rows().every((row) => row["stored"] === 1)).toBe(true);
});

it("L5 items of many requests are stored in few transactions", async () => {
  const remember = rememberIn(place);
  const before = place.store.laters.transactions;
  let items = 0;
  for (let n = 0; n < 40; n++) {
    const said = history(`u:task ${n}`, ...Array.from({ length: 7 }, (_, at) => `a:${n}.${at} is done`));
    const { session, lane } = await request(place.store, caller(`many-${n}`), said);
    remember.add(session, lane.id, said.flatMap(seeable));
    items += said.length;
  }
  await remember.close();
  expect(rows().filter((row) => row["stored"] === 1)).toHaveLength(items);
  expect(place.store.laters.transactions - before).toBeLessThanOrEqual(items / 16);
});

it("N27 what a client put around the words is in the log and neither found nor quoted", async () => {
  const remember = rememberIn(place);
  const items = history(
    "u:<session_context>Today's date is Monday, the folder is /work/zebra</session_context>",
    "u:<current_datetime>2026-11-16T01:32</current_datetime> the port of billing is 4711",
    "c:call-1 read b.ts",
    "r:call-1 const port = 4711; <system-reminder>consider a todo about zebra</system-reminder>",
    "a:I keep <ide_selection> in my own words: zebra",
  );
  const { session, lane } = await request(place.store, me, items);
  remember.add(session, lane.id, items.flatMap(seeable));
  await remember.close();
  const mine = { identity: "alice", scopes: [{ type: "session", session: "k" }] };
  const texts = (query: string) =>
    find(query, mine).results.flatMap(({ snippets }) => snippets.map(({ text }) => text));
  expect(texts("zebra").filter((text) => text.includes("zebra"))).toEqual([
    "I keep <ide_selection> in my own words: zebra",
  ]);
  expect(texts("2026-11-16")).toEqual([]);
  expect(texts("billing port")).toContain("the port of billing is 4711");
  expect(String(rows()[0]?.["text"])).toContain("the folder is /work/zebra");
  expect(String(rows()[1]?.["text"])).toContain("<current_datetime>");
  // The index made anew says the same.
  expect(runUnit(place.db, reindexItems(0)).map(({ text }) => text)[1]).toBe("the port of billing is 4711");
});
