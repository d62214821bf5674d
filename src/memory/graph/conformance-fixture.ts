// For tests: the contract of a graph store as a suite. Every database that holds a graph is handed to it.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { namedEntities } from "./entity-fixture.ts";
import { day, fact, intervals, must, type OpenTestGraph, say, term } from "./graph-fixture.ts";
import { hostile } from "./hostile-fixture.ts";

/** `share`: of the full counts, for a database that takes its time. */
export function describeGraphStore(name: string, openGraph: OpenTestGraph, share = 1): void {
  describe(`${name}: facts over time`, () => factsOverTime(openGraph, 60 * share));
  describe(`${name}: the index`, () => theIndex(openGraph));
  describe(`${name}: episodes`, () => episodes(openGraph));
  describe(`${name}: fields`, () => fields(openGraph));
  describe(`${name}: entities`, () => namedEntities(openGraph));
  describe(`${name}: forgetting`, () => forgetting(openGraph));
  describe(`${name}: hostile`, () => hostile(openGraph, share));
}

function factsOverTime(openGraph: OpenTestGraph, numRuns: number): void {
  it("G3 G16 a new value ends the one before, which stays with its interval", async () => {
    const { store } = await openGraph();
    await say(store, { facts: [fact("api HAS_STATUS red", day(1))] });
    await say(store, { facts: [fact("api HAS_STATUS green", day(2))] });
    expect(await intervals(store)).toEqual(["green 2..", "red 1..2"]);
    const [red, green] = must(await store.facts({ groups: ["g"] }));
    expect(red).toMatchObject({ invalidatedBy: green?.uuid, reason: "api HAS_STATUS green", expiredAt: day(300) });
    expect(must(await store.facts({ currentAt: day(300) })).map((f) => f.object.name)).toEqual(["green"]);
    expect(must(await store.facts({ asOf: day(1) })).map((f) => f.object.name)).toEqual(["red"]);
  });

  it("G16 a late arrival takes its place in the chain, also inside an interval", async () => {
    const { store } = await openGraph();
    for (const line of ["red 1", "red 5", "blue 9", "green 3"]) {
      const [value, n] = line.split(" ");
      await say(store, { facts: [fact(`api HAS_STATUS ${value}`, day(Number(n)))] });
    }
    expect(await intervals(store)).toEqual(["blue 9..", "green 3..5", "red 1..3", "red 5..9"]);
  });

  it("G18 the other values of a thing are found by one of them, as of any moment", async () => {
    const { store } = await openGraph();
    const lines = ["api HAS_STATUS red", "api HAS_STATUS green", "web HAS_STATUS blue", "api USES redis"];
    for (const [i, line] of lines.entries()) await say(store, { facts: [fact(line, day(i + 1))] });
    const [red] = must(await store.facts({ asOf: day(1) }));
    const alongside = [red?.uuid ?? ""];
    const names = async (query: object) =>
      must(await store.facts({ alongside, ...query })).map((one) => one.object.name);
    expect(await names({})).toEqual(["red", "green"]);
    expect(await names({ asOf: day(9) })).toEqual(["green"]);
    expect(await names({ alongside: [] })).toEqual([]);
  });

  it("G15 other relations coexist, and an ending ends only its own subject and object", async () => {
    const { store } = await openGraph();
    await say(store, {
      facts: [fact("api USES redis", day(1)), fact("api USES kafka", day(1)), fact("web USES redis", day(1))],
    });
    await say(store, {
      endings: [{ subject: term("api"), object: term("redis"), at: day(4), text: "api dropped redis" }],
    });
    expect(await intervals(store)).toEqual(["kafka 1..", "redis 1..", "redis 1..4"]);
    const [ended] = must(await store.facts({ asOf: day(3) })).filter((f) => f.expiredAt !== null);
    expect(ended).toMatchObject({ subject: { name: "api" }, reason: "api dropped redis", invalidatedBy: null });
  });

  it("G13 the same fact again gains the episode; after its end it is a new one", async () => {
    const { store } = await openGraph();
    const first = await say(store, { facts: [fact("api USES redis", day(1))] });
    const second = await say(store, { facts: [fact("api USES redis", day(2))] });
    const [one] = must(await store.facts({}));
    expect(one?.episodes).toEqual([first, second]);
    await say(store, { endings: [{ subject: term("api"), object: term("redis"), at: day(3), text: "no longer" }] });
    await say(store, { facts: [fact("api USES redis", day(5))] });
    expect(await intervals(store)).toEqual(["redis 1..3", "redis 5.."]);
  });

  it("G15 preferences for one purpose replace each other, others stay", async () => {
    const { store } = await openGraph();
    const prefers = (what: string, slot: string, n: number) => ({ ...fact(`user PREFERS ${what}`, day(n)), slot });
    await say(store, { facts: [prefers("tabs", "indentation", 1), prefers("vim", "editor", 1)] });
    await say(store, { facts: [prefers("spaces", "Indentation", 2)] });
    expect(await intervals(store)).toEqual(["spaces 2..", "tabs 1..2", "vim 1.."]);
  });

  it("RI8 RI9 the order of arrival does not matter, and intervals of a slot never overlap", async () => {
    const statement = fc.record({
      object: fc.constantFrom("red", "green", "blue"),
      at: fc.integer({ min: 1, max: 9 }),
      type: fc.constantFrom("so", "so", "so", "ended", "until"),
      relation: fc.constantFrom("HAS_STATUS", "USES"),
    });
    const { store } = await openGraph();
    let runs = 0;
    const outcome = async (list: readonly { object: string; at: number; type: string; relation: string }[]) => {
      const group = `g${runs++}`;
      for (const { object, at, type, relation } of list) {
        const line = fact(`api ${relation} ${object}`, day(at));
        const ending = { subject: line.subject, object: line.object, at: day(at), text: "ended" };
        const said = type === "until" ? { ...line, validUntil: day(at + 2) } : line;
        await say(store, type === "ended" ? { endings: [ending] } : { facts: [said] }, { group });
      }
      const facts = must(await store.facts({ groups: [group] }));
      return facts
        .map((f) => [f.relation, f.object.name, f.validAt, f.invalidAt ?? "open", f.text, f.episodes.length])
        .sort();
    };
    const different = fc.uniqueArray(statement, { maxLength: 12, selector: (s) => JSON.stringify(s) });
    await fc.assert(
      fc.asyncProperty(
        different.chain((said) => fc.tuple(fc.constant(said), fc.shuffledSubarray(said, { minLength: said.length }))),
        async ([said, shuffled]) => {
          const facts = await outcome(said);
          expect(await outcome(shuffled)).toEqual(facts);
          const slot = facts.filter(([relation]) => relation === "HAS_STATUS").map(([, , from, to]) => [from, to]);
          slot.sort();
          for (const [i, [, to = ""]] of slot.entries()) expect(to <= (slot[i + 1]?.[0] ?? "~")).toBe(true);
        },
      ),
      { numRuns },
    );
  });
}

function theIndex(openGraph: OpenTestGraph): void {
  it("G18 RI5 every fact of a slot is found, also when one message ends one and begins two", async () => {
    const { store, find } = await openGraph();
    await say(store, { facts: [fact("lamp HAS_STATUS red", day(1))] });
    await say(store, { facts: [fact("lamp HAS_STATUS green", day(2)), fact("lamp HAS_STATUS blue", day(3))] });
    if (!find) return;
    expect(await find("lamp")).toHaveLength(3);
    expect(await find("lamp", "current")).toHaveLength(1);
  });
}

function episodes(openGraph: OpenTestGraph): void {
  const message = (text: string, more = {}) => ({ name: "", text, role: null, roleType: "user", ...more }) as const;

  it("G8 fifty posts of one message at once are one episode; a known uuid with another text stores nothing", async () => {
    const { store } = await openGraph();
    const post = (episodes: ReturnType<typeof message>[]) =>
      store.accept({ group: "g", origin: "api", episodes, now: day(1) });
    await Promise.all(Array.from({ length: 50 }, () => post([message("hello", { validAt: day(1) })])));
    await Promise.all(Array.from({ length: 50 }, () => post([message("no time")])));
    expect(must(await store.episodes({})).map((e) => e.text)).toEqual(["hello", "no time"]);
    must(await post([message("first", { uuid: "u1" })]));
    expect(must(await post([message("second"), message("other", { uuid: "u1" })]))).toEqual({
      type: "conflict",
      uuid: "u1",
    });
    expect(must(await store.episodes({}))).toHaveLength(3);
    const later = must(await store.accept({ group: "g", origin: "api", episodes: [message("no time")], now: day(2) }));
    expect(later).toMatchObject({ episodes: [{ isNew: true }] });
  });

  it("G7 one worker a group in order; a dead worker's episodes wait again; the third failure parks", async () => {
    const { store } = await openGraph();
    const accept = (group: string, texts: string[]) =>
      store.accept({ group, origin: "api", episodes: texts.map((text) => message(text)), now: day(1) });
    must(await accept("a", ["a1", "a2"]));
    must(await accept("b", ["b1"]));
    const claim = async (worker: string, now = day(1)) =>
      must(await store.claim({ worker, size: 1, now, leaseUntil: day(2) }))?.map((e) => e.text);
    expect(await claim("w1")).toEqual(["a1"]);
    expect(await claim("w2")).toEqual(["b1"]);
    expect(await claim("w3")).toBeUndefined();
    expect(await claim("w3", day(3))).toEqual(["a1"]);
    const [a1] = must(await store.episodes({ states: ["running"] }));
    const empty = { entities: [], facts: [], endings: [] };
    const settle = (worker: string) =>
      store.settle({ episodes: [{ uuid: a1?.uuid ?? "", extraction: empty }], worker, origin: "rule", now: day(3) });
    expect(must(await settle("w1"))).toBe(0);
    for (const worker of ["w3", "w4", "w5"]) {
      must(await store.giveBack({ episode: a1?.uuid ?? "", worker, error: "no", now: day(3) }));
      if (worker !== "w5") await claim(worker === "w3" ? "w4" : "w5", day(1));
    }
    expect(must(await store.episodes({ states: ["parked"] }))).toMatchObject([{ text: "a1", tries: 3, error: "no" }]);
    expect(await claim("w6", day(1))).not.toContain("a1");
    expect(must(await store.requeue({ to: "queued" }))).toBe(1);
  });
}

function fields(openGraph: OpenTestGraph): void {
  it("G1 G2 episodes, entities and facts keep every field that they are given or that follows", async () => {
    const { store } = await openGraph();
    const given = {
      uuid: "11111111-1111-4111-8111-111111111111",
      name: "n1",
      text: "api uses redis",
      role: "Ann",
      roleType: "system",
      validAt: day(1),
      source: "json",
      sourceDescription: "by hand",
      session: "s1",
      turn: 3,
      metadata: { a: [1, "b"] },
    } as const;
    const value = { entities: [term("redis", "Tool")], facts: [fact("api USES redis", day(1))], endings: [] };
    const extraction = { value, origin: "llm" } as const;
    must(await store.accept({ group: "g", origin: "api", episodes: [{ ...given, extraction }], now: day(9) }));
    const [episode] = must(await store.episodes({}));
    const after = { group: "g", createdAt: day(9), origin: "api", state: "done", tries: 0 } as const;
    expect(episode).toEqual({ ...given, ...after });
    const [api, redis] = must(await store.entities({})).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const empty = { group: "g", aliases: [], summary: "", attributes: {}, createdAt: day(9) };
    expect(redis).toEqual({ uuid: expect.any(String), name: "redis", label: "Tool", ...empty });
    expect(must(await store.facts({}))).toEqual([
      {
        ...{ uuid: expect.any(String), group: "g", relation: "USES", text: "api USES redis", slot: "" },
        ...{ subject: { uuid: api?.uuid, name: "api" }, object: { uuid: redis?.uuid, name: "redis" } },
        ...{ validAt: day(1), invalidAt: null, createdAt: day(9), expiredAt: null, origin: "llm", trust: 0.6 },
        ...{ invalidatedBy: null, reason: null, attributes: {}, episodes: [given.uuid] },
      },
    ]);
  });

  it("G10 names that are part of one another in whole words are near, equal ones and other groups are not", async () => {
    const { store } = await openGraph();
    const names = ["Redis", "Redis cache", "redistribution", "the Redis cache of staging"];
    await say(store, { entities: names.map((name) => term(name)) });
    await say(store, { entities: [term("Redis cluster")] }, { group: "h" });
    const near = async (name: string) =>
      must(await store.entities({ groups: ["g"], near: name }))
        .map((entity) => entity.name)
        .sort();
    expect(await near("redis")).toEqual(["Redis cache", "the Redis cache of staging"]);
    expect(await near("our Redis cache")).toEqual(["Redis", "Redis cache"]);
    expect(await near("'; DROP TABLE graph_alias; --")).toEqual([]);
  });
}

function forgetting(openGraph: OpenTestGraph): void {
  it("G23 RI6 a forgotten episode takes what rests on it alone, its words too", async () => {
    const { store, find, bytes } = await openGraph();
    const first = await say(store, { facts: [fact("api USES zanzibar", day(1))] }, { text: "we use zanzibar" });
    await say(store, { facts: [fact("api USES redis", day(1)), fact("web USES redis", day(2))] });
    const both = await say(store, { facts: [fact("web USES redis", day(3)), fact("api HAS_STATUS quokka", day(3))] });
    if (find) expect(await find("zanzibar")).toHaveLength(1);
    expect(must(await store.forget({ type: "episode", id: first }))).toEqual({ episodes: 1, facts: 1, entities: 1 });
    expect(must(await store.forget({ type: "episode", id: both }))).toMatchObject({ facts: 1 });
    if (find) expect(await find("zanzibar")).toEqual([]);
    expect((await intervals(store)).sort()).toEqual(["redis 1..", "redis 2.."]);
    expect(must(await store.forget({ type: "episode", id: first }))).toEqual({ episodes: 0, facts: 0, entities: 0 });
    for (const [file, content] of bytes?.() ?? [])
      for (const word of ["zanzibar", "quokka"]) expect([file, content.includes(word)]).toEqual([file, false]);
  });

  it("G23 what a forgotten fact had ended is true again", async () => {
    const { store } = await openGraph();
    await say(store, { facts: [fact("api HAS_STATUS red", day(1))] });
    await say(store, { facts: [fact("api HAS_STATUS green", day(2))] });
    const green = must(await store.facts({ asOf: day(3) }))[0];
    must(await store.forget({ type: "fact", id: green?.uuid ?? "" }));
    expect(await intervals(store)).toEqual(["red 1.."]);
    must(await store.forget({ type: "group", id: "g" }));
    expect(must(await store.counts())).toEqual({
      groups: 0,
      episodes: { queued: 0, running: 0, done: 0, parked: 0 },
      entities: 0,
      facts: 0,
      ended: 0,
    });
  });

  it("G23 RI6 a group that goes in many parts goes whole, its words too, and another group stays", async () => {
    const { store, bytes } = await openGraph();
    const texts = Array.from({ length: 120 }, (_, n) => `word${n} USES zanzibar${n}`);
    for (const one of texts) await say(store, { facts: [fact(one, day(1))] }, { text: one });
    await say(store, { facts: [fact("web USES redis", day(1))] }, { group: "h" });
    expect(must(await store.forget({ type: "group", id: "g" }))).toEqual({ episodes: 120, facts: 120, entities: 240 });
    expect(must(await store.groups()).map(({ id }) => id)).toEqual(["h"]);
    expect(must(await store.facts({}))).toHaveLength(1);
    for (const [file, content] of bytes?.() ?? []) expect([file, content.includes("zanzibar")]).toEqual([file, false]);
    must(await store.forget({ type: "everything" }));
    expect(must(await store.counts())).toMatchObject({ groups: 0, entities: 0, facts: 0 });
  });
}
