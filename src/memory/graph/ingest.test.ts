// The worker of the graph: bad episodes, many workers, clocks that go back, and slots with a long history.
import { describe, expect, it } from "vitest";
import type { Clock } from "../../base/clock.ts";
import { systemClock } from "../../base/clock.ts";
import { rulesExtractor } from "./extract/rules.ts";
import { day, fact, must, openGraph, say } from "./graph-fixture.ts";
import { type Extractor, GraphIngest, type GraphTrouble } from "./ingest.ts";

const LIMIT_MS = 600_000;
const message = (name: string, text: string, validAt?: string) => ({
  name,
  text,
  role: "Ann",
  roleType: "user" as const,
  ...(validAt === undefined ? {} : { validAt }),
});

describe("a bad episode", () => {
  it("RE9 G7 is parked alone after three attempts, and its neighbours are read", async () => {
    const { store } = await openGraph();
    const troubles: GraphTrouble[] = [];
    const extractor: Extractor = {
      ...rulesExtractor,
      async extract(episodes, signal) {
        if (episodes.some(({ text }) => text.includes("poison"))) throw new Error("cannot read it");
        return rulesExtractor.extract(episodes, signal);
      },
    };
    const texts = ["alpha", "beta", "poison", "gamma"].map((word) => `The ${word} job is now green.`);
    const episodes = texts.map((text, i) => message(`n${i}`, text));
    must(await store.accept({ group: "g", origin: "api", episodes, now: day(1) }));
    const ingest = new GraphIngest({ store, extractor, onTrouble: (trouble) => troubles.push(trouble) });
    ingest.wake();
    expect(await ingest.idle(LIMIT_MS)).toBe(true);
    const states = must(await store.episodes({})).map(({ name, state, tries }) => [name, state, tries]);
    expect(states).toEqual([
      ["n0", "done", 0],
      ["n1", "done", 0],
      ["n2", "parked", 3],
      ["n3", "done", 0],
    ]);
    expect(new Set(troubles.map(({ message: text }) => text))).toEqual(new Set(["cannot read it"]));
    must(
      await store.accept({
        group: "g",
        origin: "api",
        episodes: [message("n4", "The delta job is now red.")],
        now: day(2),
      }),
    );
    ingest.wake();
    await ingest.idle(LIMIT_MS);
    expect(must(await store.facts({})).map(({ subject }) => subject.name)).toHaveLength(4);
  });
});

describe("many at once", () => {
  it("G7 RI10 two workers with stores of their own read one group: every episode once, in order", async () => {
    const { store, dir } = await openGraph();
    const second = (await openGraph(dir)).store;
    const colors = Array.from({ length: 60 }, (_, i) => `c${i}x`);
    const half = (rest: number) =>
      colors.flatMap((color, i) => (i % 2 === rest ? [message(color, `The lamp is now ${color}.`, day(i + 1))] : []));
    const workers = [store, second].map((one) => new GraphIngest({ store: one, extractor: rulesExtractor }));
    await Promise.all(
      [store, second].map(async (one, rest) => {
        for (const episode of half(rest)) {
          must(await one.accept({ group: "g", origin: "api", episodes: [episode], now: day(200) }));
          workers[rest]?.wake();
        }
      }),
    );
    for (let i = 0; must(await store.counts()).episodes.done < 60; i++) {
      workers[i % 2]?.wake();
      await workers[i % 2]?.idle(LIMIT_MS);
    }
    const facts = must(await store.facts({ groups: ["g"] }));
    expect(facts.map(({ object }) => object.name)).toEqual(colors);
    expect(facts.slice(0, -1).every((one, i) => one.invalidAt === facts[i + 1]?.validAt)).toBe(true);
    expect(facts.every(({ episodes }) => episodes.length === 1)).toBe(true);
  });

  it("G8 RB11 fifty identical messages at once, over two connections, are one episode", async () => {
    const { store, dir } = await openGraph();
    const second = (await openGraph(dir)).store;
    const request = { group: "g", origin: "api", episodes: [message("", "Said once.")], now: day(1) } as const;
    const outcomes = await Promise.all(Array.from({ length: 50 }, (_, i) => [store, second][i % 2]?.accept(request)));
    const ids = outcomes.map((outcome) => {
      const value = outcome && must(outcome);
      return value?.type === "accepted" ? value.episodes[0]?.uuid : undefined;
    });
    expect(new Set(ids).size).toBe(1);
    expect(must(await store.episodes({}))).toHaveLength(1);
  });
});

describe("others wait for the thread", () => {
  it("G17 a message is accepted while many others are read, and its facts follow", async () => {
    const { store } = await openGraph();
    const lines = (n: number) => `The lamp${n} is now c${n}x. The gate${n} service depends on Redis.`;
    const many = Array.from({ length: 200 }, (_, i) => message(`n${i}`, lines(i)));
    must(await store.accept({ group: "g", origin: "api", episodes: many, now: day(1) }));
    const ingest = new GraphIngest({ store, extractor: rulesExtractor });
    ingest.wake();
    let open = 1;
    for (let i = 0; open > 0 && i < 20; i++) {
      must(
        await store.accept({ group: "h", origin: "api", episodes: [message(`h${i}`, lines(1000 + i))], now: day(1) }),
      );
      open = must(await store.counts()).episodes.queued;
    }
    // All twenty were taken before the others had been read.
    expect(open).toBeGreaterThan(100);
    ingest.wake();
    await ingest.idle(LIMIT_MS);
    expect(must(await store.counts())).toMatchObject({ facts: 440, episodes: { done: 220, queued: 0 } });
  });

  it("G17 one long message does not hold the thread: others are served between its sentences", async () => {
    const text = Array.from({ length: 4000 }, (_, i) => `Nothing much happened on the ${i}th day of the voyage.`).join(
      "\n\n",
    );
    const { store } = await openGraph();
    must(await store.accept({ group: "g", origin: "api", episodes: [message("long", text)], now: day(1) }));
    const [episode] = must(await store.episodes({}));
    let rounds = 0;
    let isOver = false;
    const count = (): void => {
      rounds++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await rulesExtractor.extract([episode!], new AbortController().signal);
    isOver = true;
    expect(rounds).toBeGreaterThan(3);
  });
});

describe("time", () => {
  it("RB10 a clock that goes back, and the first and last years, leave order and intervals whole", async () => {
    const { store } = await openGraph();
    const times = ["2026-06-01T12:00:00.000Z", "2026-06-01T11:00:00.000Z", "2026-06-01T10:00:00.000Z"];
    for (const [i, time] of times.entries()) {
      const clock: Clock = { ...systemClock, now: () => time };
      const now = time.replace("Z", "000Z");
      const ingest = new GraphIngest({ store, extractor: rulesExtractor, clock });
      must(
        await store.accept({ group: "g", origin: "api", episodes: [message(`n${i}`, `The lamp is now c${i}x.`)], now }),
      );
      ingest.wake();
      await ingest.idle(LIMIT_MS);
    }
    const edge = [
      ["0001-01-01T00:00:00.000000Z", "first"],
      ["9999-12-31T23:59:59.000000Z", "last"],
    ] as const;
    for (const [at, color] of edge) await say(store, { facts: [fact(`gate HAS_STATUS ${color}`, at)] }, { at });
    const facts = must(await store.facts({ groups: ["g"] }));
    expect(facts.every(({ validAt, invalidAt }) => invalidAt === null || invalidAt > validAt)).toBe(true);
    expect(facts.map(({ object }) => object.name)).toEqual(["first", "c2x", "c1x", "c0x", "last"]);
    expect(must(await store.episodes({ states: ["done"] }))).toHaveLength(5);
  });

  it("RI9 thousands of values of one slot in any order make one chain, each step as cheap as the first", async () => {
    const { store } = await openGraph();
    const count = process.env["EVERLONG_SOAK"] ? 10_000 : 600;
    const order = Array.from({ length: count }, (_, i) => (i * 7919) % count);
    const at = (n: number) =>
      `20${String(10 + Math.floor(n / 1440 / 28 / 12)).padStart(2, "0")}-${part(n / 1440 / 28, 12)}-${part(n / 1440, 28)}T${String(Math.floor(n / 60) % 24).padStart(2, "0")}:${String(n % 60).padStart(2, "0")}:00.000000Z`;
    const part = (value: number, size: number) => String((Math.floor(value) % size) + 1).padStart(2, "0");
    const spent: number[] = [];
    for (let i = 0; i < count; i += 100) {
      const before = process.cpuUsage();
      const facts = order.slice(i, i + 100).map((n) => fact(`dial HAS_VALUE v${n}x`, at(n)));
      await say(store, { facts }, { name: `n${i}` });
      const { user, system } = process.cpuUsage(before);
      spent.push(user + system);
    }
    const chain = must(await store.facts({ groups: ["g"] }));
    expect(chain.map(({ object }) => object.name)).toEqual(Array.from({ length: count }, (_, n) => `v${n}x`));
    expect(chain.every((one, i) => one.invalidAt === (chain[i + 1]?.validAt ?? null))).toBe(true);
    const middle = (list: number[]) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
    const [first, last] = [middle(spent.slice(0, 5)), middle(spent.slice(-5))];
    expect(last).toBeLessThan(first * 10);
  });
});
