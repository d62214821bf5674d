import { closeSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { embeddedGraph } from "../../memory/graph/store/embedded.ts";
import { instantAt } from "../../memory/graph/time.ts";
import { Remember } from "../../proxy/remember/remember.ts";
import { caller, history, openPlace, type Place, request, seeable } from "../../proxy/store/store-fixture.ts";
import { acquit, isSuspect } from "../../store/rebuild/suspect.ts";
import { takeTurns } from "../../store/sqlite.ts";
import { WriteTurn } from "../../store/write-turn.ts";
import { StorageThread } from "./storage.ts";

let place: Place;
let storage: StorageThread;
let options: ConstructorParameters<typeof StorageThread>[0];
let troubles: string[];
beforeEach(async () => {
  place = await openPlace();
  troubles = [];
  const turn = new WriteTurn("front");
  takeTurns(place.db, turn);
  const { home, store } = place;
  options = {
    ...{ store: join(home, "store.db"), journal: join(home, "journal"), quarantine: join(home, "quarantine"), turn },
    proxy: {
      ...{ key: store.key, tenancy: "single" as const },
      folder: { dir: join(home, "proxy"), locks: join(home, "locks"), quarantine: join(home, "quarantine") },
    },
    filter: { key: "key", known: ["hunter2-hunter2"] },
    index: { searchable: true, vectors: false },
    readsGraph: false,
    onTrouble: (part, message) => troubles.push(`${part}: ${message}`),
  };
  storage = new StorageThread(options);
});
afterEach(async () => {
  await storage.close();
  place.remove();
});

const rememberBy = (retryMs = 5): Remember =>
  new Remember({
    ...{ store: place.store, storage, mode: "all", retryMs },
    onTrouble: ({ code }) => troubles.push(code),
  });
const count = (sql: string): number => Number(place.db.prepare(sql).get()?.["n"]);
const stored = (): number => count("SELECT count(*) AS n FROM proxy_item WHERE stored = 1");

it("X120 X53 items are filtered, stored and found by the work of a thread", async () => {
  const items = history("u:the parser lives in src/parse with hunter2-hunter2", "a:so it does");
  const { session, lane } = await request(place.store, caller("k"), items);
  const remember = rememberBy();
  remember.add(session, lane.id, items.flatMap(seeable));
  await remember.idle();
  expect(stored()).toBe(2);
  expect(count("SELECT count(*) AS n FROM recall_item")).toBe(2);
  expect(count("SELECT count(*) AS n FROM proxy_item WHERE text LIKE '%hunter2%'")).toBe(0);
  expect(await remember.drop(session, lane.id, [items[0]?.own ?? ""])).toMatchObject({ ok: true });
  expect(await remember.anchor(session, [items[0]?.own ?? ""], 4000)).toMatchObject({ ok: true });
  expect(count("SELECT count(*) AS n FROM proxy_item WHERE logged = 1")).toBe(1);
  await remember.close();
  expect(troubles).toEqual([]);
});

it("X50 X55 X120 P1 a thread that dies while it indexes, again and again, loses nothing and stores nothing twice", async () => {
  const words = (n: number): string =>
    Array.from({ length: 400 }, (_, at) => `word${(n * 7919 + at * at) % 9973}`).join(" ");
  const items = history("u:task", ...Array.from({ length: 240 }, (_, n) => `r:call-${n} ${words(n)}`));
  const { session, lane } = await request(place.store, caller("k"), items);
  const remember = rememberBy();
  remember.add(session, lane.id, items.flatMap(seeable));
  for (let deaths = 0, before = -1; deaths < 4 && stored() < items.length; await wait(1)) {
    if (stored() <= before) continue;
    before = stored();
    if (before > 0 || deaths === 0) {
      await storage.end();
      deaths++;
    }
  }
  await expect.poll(stored).toBe(items.length);
  await remember.idle();
  expect(troubles.every((code) => code === "store_io")).toBe(true);
  expect(troubles).not.toEqual([]);
  expect(count("SELECT count(*) AS n FROM recall_item")).toBe(items.length);
  expect(count("SELECT count(DISTINCT own) AS n FROM proxy_item")).toBe(items.length);
  expect(place.db.prepare("PRAGMA quick_check").all()).toEqual([{ quick_check: "ok" }]);
  // The turn of a dead thread is free: who answers people can write.
  const more = [...items, ...history("u:task", "u:more").slice(1)];
  expect((await request(place.store, caller("k2"), more)).created).toBe(true);
  await remember.close();
});

it("X55 at a cut a thread that is gone means that nothing leaves, and the next cut is made by another", async () => {
  const items = history("u:task", "r:call-1 gave much");
  const { session, lane } = await request(place.store, caller("k"), items);
  const remember = rememberBy();
  const ensuring = remember.ensure(session, lane.id, items.flatMap(seeable));
  await storage.end();
  const outcome = await ensuring;
  if (!outcome.ok) expect(outcome.error.code).toBe("store_io");
  expect(await remember.ensure(session, lane.id, items.flatMap(seeable))).toEqual({ ok: true, value: { refused: [] } });
  expect(stored()).toBe(2);
  await remember.close();
});

it("X121 what a cut needs of a body that nobody has seen goes to the thread in few pieces, each item once", async () => {
  const posted = vi.spyOn(Worker.prototype, "postMessage");
  onTestFinished(() => posted.mockRestore());
  const items = history("u:task", ...Array.from({ length: 599 }, (_, n) => `r:call-${n} ${"word ".repeat(200)}`));
  const { session, lane } = await request(place.store, caller("k"), items);
  const remember = rememberBy();
  const ensured = await remember.ensure(session, lane.id, items.flatMap(seeable));
  expect(ensured).toEqual({ ok: true, value: { refused: [] } });
  const pieces = posted.mock.calls.flatMap(([ask]) => (ask.job === "store" ? [ask.args[0].length as number] : []));
  expect(pieces.length).toBeLessThanOrEqual(3);
  expect(pieces.reduce((a, b) => a + b, 0)).toBe(items.length);
  await remember.close();
});

it("X55 a cut does not wait for a busy thread for ever; what it asked for is done all the same, and the next cut finds it", async () => {
  const items = history("u:task", "r:call-1 gave much");
  const { session, lane } = await request(place.store, caller("k"), items);
  const remember = rememberBy();
  options.cutMs = 0;
  const given = await remember.ensure(session, lane.id, items.flatMap(seeable));
  expect(given).toMatchObject({ ok: false, error: { code: "store_busy" } });
  await expect.poll(stored).toBe(2);
  expect(await remember.ensure(session, lane.id, items.flatMap(seeable))).toEqual({ ok: true, value: { refused: [] } });
  await remember.close();
});

it("X55 PI13 a thread that hangs is ended, whoever waited is told, and another one stores what waits", async () => {
  const items = history("u:task", "r:call-1 gave much");
  const { session, lane } = await request(place.store, caller("k"), items);
  const remember = rememberBy();
  options.hungMs = 0;
  const given = await remember.ensure(session, lane.id, items.flatMap(seeable));
  expect(given).toMatchObject({ ok: false, error: { code: "store_io" } });
  delete options.hungMs;
  remember.add(session, lane.id, items.flatMap(seeable));
  await expect.poll(stored).toBe(2);
  await remember.close();
});

it("N13 PE4 a thread that meets a damaged store says so once: the file that is made anew is not suspected for the old one", async () => {
  const items = history("u:task", "r:call-1 gave much");
  const { session, lane } = await request(place.store, caller("k"), items);
  place.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  place.db.close();
  const { size } = statSync(options.store);
  const fd = openSync(options.store, "r+");
  for (let at = 4096; at < size; at += 4096) writeSync(fd, Buffer.alloc(4096, "damage! "), 0, 4096, at);
  closeSync(fd);
  const texts = items.flatMap(seeable).map(({ read, ...item }) => ({ ...item, session, lane: lane.id, said: read() }));
  expect((await storage.store(texts, "now")).ok).toBe(false);
  await expect.poll(() => isSuspect(options.store)).toBe(true);
  acquit(options.store);
  expect((await storage.store(texts, "now")).ok).toBe(false);
  expect((await storage.store(texts, "now")).ok).toBe(false);
  expect(isSuspect(options.store)).toBe(false);
});

it("G7 RE9 what a thread that dies was reading is read by the next one, without another message and without waiting for a lease", async () => {
  storage = new StorageThread({ ...options, readsGraph: true });
  const texts = Array.from({ length: 400 }, (_, n) => `The lamp${n} is now red. The door${n} depends on the lamp${n}.`);
  const episodes = texts.map((text, n) => ({ name: `m${n}`, text, role: "Ann", roleType: "user" as const }));
  const now = instantAt(Date.now());
  expect(await embeddedGraph(place.db).accept({ group: "a", origin: "api", episodes, now })).toMatchObject({
    ok: true,
  });
  const inState = (state: string): number => count(`SELECT count(*) AS n FROM graph_episode WHERE state = '${state}'`);
  storage.ingest.wake();
  while (inState("running") === 0) await wait(1);
  await storage.end();
  expect(inState("running")).toBeGreaterThan(0);
  await expect.poll(() => inState("done"), { timeout: 20_000 }).toBe(400);
  expect(count("SELECT count(*) AS n FROM graph_fact")).toBe(800);
});

it("G17 many who wake the reader of the graph at the same time cost two messages to its thread, and the last is heard", async () => {
  const posted = vi.spyOn(Worker.prototype, "postMessage");
  onTestFinished(() => posted.mockRestore());
  for (let n = 0; n < 50; n++) storage.ingest.wake();
  const wakes = (): number => posted.mock.calls.filter(([ask]) => ask.job === "wakeGraph").length;
  await expect.poll(wakes).toBe(2);
  // Asked after them, answered after them.
  await storage.ingest.idle(1000);
  expect(wakes()).toBe(2);
  storage.ingest.wake();
  await expect.poll(wakes).toBe(3);
});
