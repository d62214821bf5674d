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

/** Facts of the group `g`, as a search gives them. */
async function found(
  graph: Awaited<ReturnType<typeof openGraph>>,
  query: string,
  more: { asOf?: string; limit?: number } = {},
): Promise<string[]> {
  const request = { query, groups: ["g"], limit: 10, now: day(600), ...more };
  const facts = await searchFacts(async (asked) => ok(search(graph.db, asked)), graph.store, request);
  return must(facts).map(({ text }) => text);
}

it("G18 of a value that changed hundreds of times the one that was in force is found, whichever came last", async () => {
  const graph = await openGraph();
  const values = Array.from({ length: 300 }, (_, i) => ((i * 77) % 300) + 1);
  for (let i = 0; i < values.length; i += 50) {
    const facts = values.slice(i, i + 50).map((n) => fact(`dial HAS_VALUE v${n}x`, day(n)));
    await say(graph.store, { facts }, { name: `n${i}` });
  }
  for (const n of [1, 150, 299])
    expect(await found(graph, "dial", { asOf: day(n + 0.5) })).toEqual([`dial HAS_VALUE v${n}x`]);
  expect(await found(graph, "dial v300x", { asOf: day(40.5) })).toEqual(["dial HAS_VALUE v40x"]);
  expect(await found(graph, "dial")).toEqual(["dial HAS_VALUE v300x"]);
});

it("G18 two facts whose long sentences differ in one word are two facts", async () => {
  const graph = await openGraph();
  const words = Array.from({ length: 200 }, (_, i) => word(i)).join(" ");
  const text = (region: string) => `The retry budget of the ${region} region is five: ${words}.`;
  for (const region of ["northern", "southern"])
    await say(graph.store, { facts: [{ ...fact(`${region} HAS_VALUE five`, day(1)), text: text(region) }] });
  expect((await found(graph, "retry budget region")).sort()).toEqual([text("northern"), text("southern")]);
});

it("RB10 a fact of the year 1 is found like any other", async () => {
  const graph = await openGraph();
  await say(graph.store, { facts: [fact("aqueduct USES lead", "0001-01-01T00:00:00.000000Z")] });
  expect(await found(graph, "aqueduct")).toEqual(["aqueduct USES lead"]);
});
