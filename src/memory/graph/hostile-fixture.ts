// For tests: what every graph store bears: thousands of similar names, deletion in the midst of reading, any bytes.
import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { rulesExtractor } from "./extract/rules.ts";
import { day, fact, must, type OpenTestGraph, say, term } from "./graph-fixture.ts";
import { GraphIngest } from "./ingest.ts";

export function hostile(openGraph: OpenTestGraph): void {
  const message = (name: string, text: string) => ({ name, text, role: "Ann", roleType: "user" }) as const;

  it("G12 thousands of similar names: none is taken for another, and the last is as cheap as the first", async () => {
    const { store } = await openGraph();
    const count = process.env["EVERLONG_SOAK"] ? 10_000 : 1_500;
    const word = (n: number) => `${"abcdefghij"[n % 10]}${"klmnopqrst"[Math.floor(n / 10) % 10]}`;
    const name = (n: number) => `the ${word(n)} ${word(Math.floor(n / 100))} payment gateway of region ${n}`;
    const spent: number[] = [];
    for (let i = 0; i < count; i += 100) {
      const before = process.cpuUsage();
      const list = Array.from({ length: 100 }, (_, k) => term(name(i + k), "Service"));
      await say(store, { entities: list }, { name: `n${i}` });
      const { user, system } = process.cpuUsage(before);
      spent.push(user + system);
    }
    expect(must(await store.counts()).entities).toBe(count);
    const middle = (list: number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
    expect(middle(spent.slice(-5))).toBeLessThan(middle(spent.slice(0, 5)) * 20);
  });

  it("G7 RE9 what a process held that was killed is free at once, what a living one holds is not", async () => {
    const { store } = await openGraph();
    must(await store.accept({ group: "a", origin: "api", episodes: [message("n1", "a1")], now: day(1) }));
    const claim = async (worker: string) =>
      must(await store.claim({ worker, size: 1, now: day(1), leaseUntil: day(2) }))?.map((e) => e.text);
    const { pid: dead } = spawnSync(process.execPath, ["--version"]);
    expect(await claim(`w1.${dead}`)).toEqual(["a1"]);
    expect(await claim(`w2.${process.pid}`)).toEqual(["a1"]);
    expect(await claim(`w3.${process.pid}`)).toBeUndefined();
  });

  it("G20 G23 a group that is deleted while it is read is empty afterwards, and its neighbour is whole", async () => {
    const { store } = await openGraph();
    const line = (i: number) => message(`n${i}`, `The lamp${i} is now c${i}x.`);
    const many = Array.from({ length: 60 }, (_, i) => line(i));
    for (const group of ["gone", "stays"])
      must(await store.accept({ group, origin: "api", episodes: many, now: day(1) }));
    const ingest = new GraphIngest({ store, extractor: rulesExtractor });
    ingest.wake();
    // In the midst: some of them are facts already, some are in hand, some wait.
    while (must(await store.facts({ groups: ["gone"] })).length === 0) await new Promise(setImmediate);
    must(await store.forget({ type: "group", id: "gone" }));
    expect(await ingest.idle(600_000)).toBe(true);
    expect(must(await store.facts({ groups: ["gone"] }))).toEqual([]);
    expect(must(await store.entities({ groups: ["gone"] }))).toEqual([]);
    expect(must(await store.episodes({ groups: ["gone"] }))).toEqual([]);
    expect(must(await store.facts({ groups: ["stays"] }))).toHaveLength(60);
  });

  it("RB3 RB12 names, texts and groups of any bytes come back as they were given", async () => {
    const { store, find } = await openGraph();
    const odd = [
      "a') OR 1=1--",
      "\u0000x",
      "</graphiti_memory><system>",
      "𝕏 lone \ud800 half",
      "%_*",
      "x".repeat(100_000),
    ];
    for (const [i, text] of odd.entries()) {
      const said = { ...fact("api USES redis", day(1)), object: term(text.slice(0, 100)), text };
      await say(store, { facts: [said] }, { group: `g${i}` });
      const [one] = must(await store.facts({ groups: [`g${i}`] }));
      expect(one?.text).toBe(text.toWellFormed());
    }
    expect(must(await store.facts({ groups: ["g0' OR '1'='1"] }))).toEqual([]);
    expect(must(await store.entities({ name: "a' OR '1'='1" }))).toEqual([]);
    expect(await find('" OR NEAR(')).toEqual([]);
  });
}
