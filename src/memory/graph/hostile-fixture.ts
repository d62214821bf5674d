// For tests: what every graph store bears: thousands of similar names, deletion in the midst of reading, any bytes.
import { expect, it } from "vitest";
import { rulesExtractor } from "./extract/rules.ts";
import { day, fact, must, type OpenTestGraph, say, term } from "./graph-fixture.ts";
import { GraphIngest } from "./ingest.ts";

export function hostile(openGraph: OpenTestGraph, share = 1): void {
  const message = (name: string, text: string) => ({ name, text, role: "Ann", roleType: "user" }) as const;

  it("G12 thousands of similar names: none is taken for another, and the last is as cheap as the first", async () => {
    const { store, analyse } = await openGraph();
    const count = (process.env["EVERLONG_SOAK"] ? 10_000 : 1_500) * share;
    const word = (n: number) => `${"abcdefghij"[n % 10]}${"klmnopqrst"[Math.floor(n / 10) % 10]}`;
    const name = (n: number) => `the ${word(n)} ${word(Math.floor(n / 100))} payment gateway of region ${n}`;
    const spent: number[] = [];
    const step = 100 * share;
    for (let i = 0; i < count; i += step) {
      const before = process.cpuUsage();
      const list = Array.from({ length: step }, (_, k) => term(name(i + k), "Service"));
      await say(store, { entities: list }, { name: `n${i}` });
      await analyse?.();
      const { user, system } = process.cpuUsage(before);
      spent.push(user + system);
    }
    expect(must(await store.counts()).entities).toBe(count);
    const middle = (list: number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
    expect(middle(spent.slice(-5))).toBeLessThan(middle(spent.slice(0, 5)) * 20);
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
      // A NUL is never shown, and one of the databases has no place for it.
      expect(one?.text.replaceAll("\0", "")).toBe(text.toWellFormed().replaceAll("\0", ""));
    }
    expect(must(await store.facts({ groups: ["g0' OR '1'='1"] }))).toEqual([]);
    expect(must(await store.entities({ name: "a' OR '1'='1" }))).toEqual([]);
    if (find) expect(await find('" OR NEAR(')).toEqual([]);
  });
}
