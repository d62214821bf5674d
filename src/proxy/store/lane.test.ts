import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "../../store/sqlite.ts";
import type { LaneState } from "../contract.ts";
import { inherited } from "./inherit.ts";
import { chainShare, commitLane, lanesOf } from "./lane.ts";
import { locate } from "./locate.ts";
import { requestById } from "./records.ts";
import { ItemRefs } from "./refs.ts";
import { see } from "./see.ts";
import { caller, history, openPlace, type Place, recordOf, request, STATE, value } from "./store-fixture.ts";

let place: Place;
beforeEach(async () => {
  place = await openPlace();
});
afterEach(() => place.remove());

const me = caller("k");
const BASE = ["u:task", "c:one", "r:one", "a:done", "u:more", "c:two", "r:two"];
const ids = history(...BASE).map((item) => item.id);
const CUT: LaneState = {
  ...STATE,
  epoch: 2,
  reason: "high-water",
  model: "gpt-5",
  cut: {
    dropped: [ids[1] ?? "", ids[5] ?? ""],
    shortened: { [ids[2] ?? ""]: '{"x":1}' },
    gap: { before: ids[3] ?? "", notice: "gap" },
  },
  insertions: [
    { kind: "recall", anchor: ids[3] ?? "", text: "old", tokens: 1, place: "append" },
    { kind: "state", anchor: ids[6] ?? "", text: "new", tokens: 1, place: "after" },
  ],
  state: { text: "parts", blocks: 1 },
  recalledFor: ids[4] ?? "",
};

describe("X25 lane state", () => {
  it("comes back exactly after a restart, with the record of its request", async () => {
    const { lane } = await request(place.store, me, history(...BASE), { state: CUT, record: recordOf("r1") });
    place = await place.reopen();
    const located = value(await locate(place.store, me, history(...BASE, "u:next"), () => []));
    expect(located.match).toMatchObject({ type: "extends", lane: { ...CUT, id: lane.id, length: 7, tail: ids[6] } });
    expect(value(await requestById(place.store, "r1"))).toMatchObject({ id: "r1", lane: lane.id, session: "k" });
  });

  it("is written whole or not at all", async () => {
    await request(place.store, me, history(...BASE), { state: CUT });
    const items = history(...BASE, "u:next");
    const { session, match } = value(await locate(place.store, me, items, () => []));
    if (!session || match.type !== "extends") throw new Error("not found");
    const seen = value(await see(place.store, session, match, items));
    place.db.exec("CREATE TRIGGER stop BEFORE INSERT ON proxy_request BEGIN SELECT raise(ABORT, 'no'); END");
    const commit = { session, match, seen, state: { ...CUT, epoch: 3 }, items, record: recordOf("r2") };
    await expect(commitLane(place.store, commit)).rejects.toThrow("no");
    const [lane] = value(await lanesOf(place.store, session));
    expect(lane).toMatchObject({ epoch: 2, length: 7, version: match.lane.version });
  });

  it("that another request changed meanwhile is stale, and is not overwritten", async () => {
    await request(place.store, me, history(...BASE));
    const items = history(...BASE, "u:next");
    const { session, match } = value(await locate(place.store, me, items, () => []));
    if (!session) throw new Error("not found");
    const seen = value(await see(place.store, session, match, items));
    await request(place.store, me, items, { state: CUT });
    const late = value(await commitLane(place.store, { session, match, seen, state: STATE, items }));
    expect(late.type).toBe("stale");
    expect(value(await lanesOf(place.store, session))[0]).toMatchObject({ epoch: 2, length: 8 });
  });

  it("large parts that did not change are not written again", async () => {
    await request(place.store, me, history(...BASE), { state: CUT });
    place.db.exec("CREATE TRIGGER once BEFORE UPDATE OF plan ON proxy_lane BEGIN SELECT raise(ABORT, 'written'); END");
    const { lane } = await request(place.store, me, history(...BASE, "u:next"));
    expect(lane).toMatchObject({ length: 8, cut: CUT.cut });
  });

  it("a fork inherits the cut and the insertions that stand before it", async () => {
    const { lane } = await request(place.store, me, history(...BASE), { state: CUT });
    const items = history("s:rules", ...BASE.slice(0, 5), "u:other");
    const fork = inherited(lane, items, 5);
    expect(fork.cut).toEqual({ ...CUT.cut, dropped: [ids[1]] });
    expect(fork.insertions).toEqual(CUT.insertions.slice(0, 1));
    expect(fork.state).toEqual({ text: "", blocks: 0 });
    expect(fork.epoch).toBe(2);
    expect(fork.recalledFor).toBeUndefined();
    const { lane: made } = await request(place.store, me, items, { state: fork });
    expect(made).toMatchObject({ length: 6, cut: fork.cut, insertions: fork.insertions });
    expect(inherited(CUT, history(...BASE), 7)).toEqual(CUT);
  });
});

it("X52 refs are given once, count prompts over all lanes, and never change", async () => {
  const refsOf = async (lines: string[]) => {
    const { session } = await request(place.store, me, history(...lines));
    const refs = new ItemRefs(place.store, session);
    value(await refs.load(history(...lines).map((item) => item.own)));
    return history(...lines).map((item) => refs.of(item.own));
  };
  expect(await refsOf(["s:x", "u:task", "c:one", "r:one"])).toEqual([undefined, "k:t1.1", "k:t1.2", "k:t1.3"]);
  expect(await refsOf(["u:agent's task", "c:sub"])).toEqual(["k:t2.1", "k:t2.2"]);
  const grown = ["u:task", "c:one", "r:one", "a:done", "u:go on", "a:went", "u:go on", "a:again"];
  const first = await refsOf(grown);
  expect(first.slice(0, 6)).toEqual(["k:t1.1", "k:t1.2", "k:t1.3", "k:t1.4", "k:t3.1", "k:t3.2"]);
  expect(first.slice(6)).toEqual(["k:t3.1", "k:t4.1"]);
  expect(await refsOf(grown)).toEqual(first);
  place = await place.reopen();
  expect(await refsOf([...grown, "u:last"])).toEqual([...first, "k:t5.1"]);
});

it("X29 the oldest main lane with tools is the one to compare with; X27 shares of its chain are told", async () => {
  await request(place.store, me, history("u:title?"), { state: { ...STATE, tools: [] } });
  await request(place.store, me, history("u:sub"), { state: { ...STATE, kind: "agent" } });
  const main = await request(place.store, me, history(...BASE));
  await request(place.store, me, history("u:later"));
  expect(value(await locate(place.store, me, history("u:sum up"), () => [])).main?.id).toBe(main.lane.id);
  expect(value(await chainShare(place.store, main.lane, history(...BASE.slice(0, 4), "u:sum up")))).toBeCloseTo(4 / 7);
});

describe("XB21 a store that fails is an error value", () => {
  it("locked by another: told soon, and working again afterwards", async () => {
    await request(place.store, me, history("u:hi"));
    const other = value(await openDatabase(join(place.home, "store.db")));
    other.exec("BEGIN IMMEDIATE");
    const items = history("u:hi", "a:x");
    const { session, match } = value(await locate(place.store, me, items, () => []));
    if (!session) throw new Error("not found");
    const seen = await see(place.store, session, match, items);
    expect(!seen.ok && seen.error.code).toBe("store_busy");
    const commit = { session, match, seen: { from: 1, turns: [1], fresh: 1 }, state: STATE, items };
    const done = await commitLane(place.store, commit);
    expect(!done.ok && done.error.code).toBe("store_busy");
    other.exec("ROLLBACK");
    other.close();
    expect(value(await commitLane(place.store, commit)).type).toBe("done");
  });

  it("read-only: reads work, writes are refused", async () => {
    await request(place.store, me, history("u:hi"));
    place.db.exec("PRAGMA query_only = 1");
    const items = history("u:hi", "a:x");
    const { session, match } = value(await locate(place.store, me, items, () => []));
    if (!session) throw new Error("not found");
    const seen = await see(place.store, session, match, items);
    expect(!seen.ok && seen.error.code).toBe("store_denied");
  });

  it("corrupt: told, not thrown", async () => {
    await request(place.store, me, history("u:hi"));
    place.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    const size = Number(place.db.prepare("PRAGMA page_size").get()?.["page_size"]);
    const roots = place.db.prepare("SELECT rootpage AS page FROM sqlite_master WHERE tbl_name = 'proxy_session'").all();
    const file = openSync(join(place.home, "store.db"), "r+");
    for (const { page } of roots)
      if (page) writeSync(file, Buffer.alloc(size, 0xff), 0, size, (Number(page) - 1) * size);
    closeSync(file);
    place = await place.reopen();
    const located = await locate(place.store, me, history("u:hi"), () => []);
    expect(!located.ok && located.error.code).toBe("store_corrupt");
  });

  it("full: nothing is half written", async () => {
    const { session } = await request(place.store, me, history("u:hi"));
    const pages = Number(place.db.prepare("PRAGMA page_count").get()?.["page_count"]);
    place.db.exec(`PRAGMA max_page_count = ${pages}`);
    const items = history("u:hi", ...Array.from({ length: 5000 }, (_, i) => `a:${i}`));
    const { match } = value(await locate(place.store, me, items, () => []));
    const seen = await see(place.store, session, match, items);
    expect(!seen.ok && seen.error.code).toBe("store_full");
    expect(place.db.prepare("SELECT count(*) AS n FROM proxy_item").get()).toEqual({ n: 1 });
  });
});
