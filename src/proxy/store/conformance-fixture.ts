// For tests: the contract of the gateway's store as a suite, whichever database it stands on and wherever its sessions have their files.
import { describe, expect, it } from "vitest";
import { type OpenConformanceStores, remembered } from "./conformance-record-fixture.ts";
import type { ProxyStore } from "./handle.ts";
import { commitLane, lanesOf, noteCompaction } from "./lane.ts";
import { locate } from "./locate.ts";
import { finishRequest, listRequests } from "./records.ts";
import { ItemRefs } from "./refs.ts";
import { BASE, caller, history, recordOf, request, STATE, value } from "./store-fixture.ts";

const me = caller("k");

export function describeProxyStore(name: string, open: OpenConformanceStores): void {
  describe(`${name}: sessions and lanes`, () => lanes(open));
  describe(`${name}: what is remembered`, () => remembered(open));
}

function lanes(open: OpenConformanceStores): void {
  it("X23 X24 XB24 which lane a history goes on with", async () => {
    const [store, other] = (await open()).stores;
    const main = await request(store, me, history(...BASE));
    const grown = await request(other, me, history("s:rules", ...BASE, "a:fine", "u:thanks"));
    expect([grown.located.match.type, grown.lane.id, grown.lane.length]).toEqual(["extends", main.lane.id, 9]);
    const fork = await request(store, me, history(...BASE.slice(0, 6), "r:two, changed"));
    expect(fork.located.match).toMatchObject({ type: "fork", at: 6 });
    const deep = await request(other, me, history(...BASE.slice(0, 4), "u:no, this"));
    expect([deep.located.match.type, deep.session.no]).toEqual(["fork", main.session.no]);
    const rewritten = await request(store, me, history("u:summary", "c:two", "r:two", "u:next"));
    expect(rewritten.located.match).toMatchObject({ type: "rewritten", by: "items" });
    const words = "The parser was rewritten and all of its tests pass by now.";
    value(await noteCompaction(store, main.session, main.lane, words));
    await store.laters.settled();
    const summed = await request(other, me, history("u:Summary", "u:go"), { texts: [`So far: ${words}`] });
    expect(summed.located.match).toMatchObject({ type: "rewritten", by: "summary" });
    expect((await request(store, me, history("u:something else"))).located.match.type).toBe("new");
    const long = ["u:long", ...Array.from({ length: 90 }, (_, i) => [`c:${i}`, `r:${i}`]).flat()];
    const first = await request(store, caller("long"), history(...long));
    const back = await request(other, caller("long"), history(...long.slice(0, 51)));
    expect(back.located.match).toMatchObject({ type: "fork", at: 51, lane: { id: first.lane.id } });
  });

  it("X21 X24 XE4 sessions without a key are known by their histories, and a failed first request by itself", async () => {
    const [store, other] = (await open()).stores;
    const anonymous = caller(undefined);
    const one = await request(store, anonymous, history("u:hi"));
    const two = await request(store, anonymous, history("u:hi"));
    expect(two.session.no).not.toBe(one.session.no);
    await finishRequest(store, recordOf("failed", { session: one.session.id, lane: one.lane.id, outcome: "failed" }), {
      keep: true,
    });
    expect((await request(other, anonymous, history("u:hi"))).session.no).toBe(one.session.no);
    const go = await request(other, anonymous, history("u:hi", "a:hello", "u:on"));
    expect([one.session.no, two.session.no]).toContain(go.session.no);
    expect(
      (await request(other, caller(undefined, { identity: "bob" }), history("u:hi", "a:hello", "u:on"))).created,
    ).toBe(true);
  });

  it("X17 XB4 W12 one key of two people is two sessions, also when they come at once", async () => {
    const { stores } = await open();
    for (let round = 0; round < 4; round++) {
      const went = await Promise.all(
        ["ann", "bob"].flatMap((identity) =>
          stores.map((store) => request(store, caller(`key ${round}`, { identity }), history("u:hi"))),
        ),
      );
      const [ann, , bob] = went.map(({ session }) => session);
      expect(went.map(({ session }) => session.no)).toEqual([ann?.no, ann?.no, bob?.no, bob?.no]);
      expect(ann?.no).not.toBe(bob?.no);
      expect(went.filter(({ created }) => created)).toHaveLength(2);
      expect(went.map(({ session }) => session.identity)).toEqual(["ann", "ann", "bob", "bob"]);
    }
  });

  it("X52 refs are given once, over all lanes and both stores", async () => {
    const { stores } = await open();
    const refsOf = async (store: ProxyStore, lines: string[]) => {
      const { session } = await request(store, me, history(...lines));
      const refs = new ItemRefs(store, session);
      const owns = history(...lines).map(({ own }) => own);
      value(await refs.load(owns));
      return owns.map((own) => refs.of(own));
    };
    const [store, other] = stores;
    expect(await refsOf(store, ["s:x", "u:task", "c:one", "r:one"])).toEqual([undefined, "k:t1.1", "k:t1.2", "k:t1.3"]);
    expect(await refsOf(other, ["u:agent's task", "c:sub"])).toEqual(["k:t2.1", "k:t2.2"]);
    const grown = ["u:task", "c:one", "r:one", "a:done", "u:go on", "a:went", "u:go on", "a:again"];
    const first = await refsOf(other, grown);
    expect(first).toEqual(["k:t1.1", "k:t1.2", "k:t1.3", "k:t1.4", "k:t3.1", "k:t3.2", "k:t3.1", "k:t4.1"]);
    expect(await refsOf(store, [...grown, "u:last"])).toEqual([...first, "k:t5.1"]);
    // Many lanes of a session at once: no number is given twice.
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, i) => refsOf(stores[i % 2] as ProxyStore, [`u:lane ${i}`, `a:answer ${i}`])),
    );
    expect(new Set(all.flat()).size).toBe(16);
  });

  it("X25 W6 of two requests that go on with a lane at once one is done, the other stale; state is read back as it was", async () => {
    const { stores } = await open();
    const cut = { dropped: ["x"], shortened: { y: '{"a":1}' }, gap: { before: "z" } };
    const state = {
      ...STATE,
      epoch: 2,
      cut,
      insertions: [{ kind: "state", anchor: "z", text: "é", tokens: 1, place: "append" }],
    } as const;
    const { session } = await request(stores[0], me, history(...BASE), { state });
    const items = history(...BASE, "u:next");
    const located = await Promise.all(stores.map(async (store) => value(await locate(store, me, items, () => []))));
    expect(located.map(({ match }) => match)).toEqual([located[0]?.match, located[0]?.match]);
    expect(located[0]?.match).toMatchObject({ type: "extends", lane: { ...state, length: 7, version: 1 } });
    const outcomes = await Promise.all(
      stores.map(async (store, i) => {
        const { match } = located[i] ?? { match: { type: "new" as const } };
        return value(await commitLane(store, { session, match, state, items, record: recordOf(`r${i}`) })).type;
      }),
    );
    expect(outcomes.sort()).toEqual(["done", "stale"]);
    const [lane] = value(await lanesOf(stores[1], session));
    expect(lane).toMatchObject({ version: 2, length: 8, cut });
    expect(value(await locate(stores[0], me, items, () => [])).main).toMatchObject({ id: lane?.id, tools: ["shell"] });
    expect(value(await listRequests(stores[0])).records).toHaveLength(1);
  });
}
