// Searching facts: what a search costs among many of them, and what it leaves out.
import { expect, it } from "vitest";
import { ok } from "../../base/result.ts";
import { search } from "../recall/search.ts";
import { day, fact, must, openGraph, say } from "./graph-fixture.ts";
import { searchFacts } from "./search.ts";

const GROUPS = Array.from({ length: 20 }, (_, i) => `g${i}`);
const word = (n: number): string => `${"abcdefghij"[n % 10]}${"klmnopqrst"[Math.floor(n / 10) % 10]}x${n}`;

/** Processor time of a search in all groups, with so many facts in them. */
async function costOf(count: number): Promise<{ ms: number; texts: string[] }> {
  const { db, store } = await openGraph();
  for (let n = 0; n < count; n += 50) {
    const facts = Array.from({ length: 50 }, (_, i) => fact(`${word(n + i)} USES tool${n + i}`, day(1)));
    await say(store, { facts }, { group: GROUPS[(n / 50) % GROUPS.length] ?? "", name: `e${n}` });
  }
  const ask = (query: string) =>
    searchFacts(async (request) => ok(search(db, request)), store, { query, groups: GROUPS, limit: 10, now: day(2) });
  const texts = must(await ask(`${word(7)} tool7`)).map(({ text }) => text);
  const before = process.cpuUsage();
  for (let i = 0; i < 40; i++) must(await ask(`${word(i)} ${word((i * 31) % count)}`));
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 40_000, texts };
}

it("G19 a search in twenty groups finds its fact, and ten times the facts do not cost ten times as much", async () => {
  const [few, many] = [await costOf(200), await costOf(2_000)];
  expect(few.texts[0]).toBe(`${word(7)} USES tool7`);
  expect(many.texts[0]).toBe(`${word(7)} USES tool7`);
  expect(many.ms).toBeLessThan(few.ms * 5);
});
