// Items by time and by id.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { itemById, listByTime } from "./list.ts";
import { conversation, EVERYTHING, HOME, storeOf } from "./recall-fixture.ts";

describe("lists", () => {
  const session = (name: string, start: number, texts: string[]) =>
    conversation(texts, { ...HOME, session: name }, Date.UTC(2025, 0, start));
  const db = storeOf([
    ...session("s3", 20, ["we visited Rome", "nice"]),
    ...session("s1", 1, ["we visited Oslo", "cold", "then we visited Bergen", "rain"]),
    ...session("s2", 10, ["we visited Paris", "ok", "and visited Lyon", "good"]),
  ]);
  const texts = (request: Parameters<typeof listByTime>[1]) =>
    listByTime(db, request).items.map((i) => i.snippets[0]?.text);

  it("RE2 R35 lists matches of all sessions in the order of time", () => {
    expect(texts({ within: EVERYTHING, text: "visited", limit: 50 })).toEqual([
      "we visited Oslo",
      "then we visited Bergen",
      "we visited Paris",
      "and visited Lyon",
      "we visited Rome",
    ]);
  });

  it("R35 goes on from a cursor, and lists everything in the bounds without a query", () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = listByTime(db, { within: EVERYTHING, limit: 3, ...(cursor ? { cursor } : {}) });
      seen.push(...page.items.map((i) => i.id));
      cursor = page.cursor;
    } while (cursor);
    expect(seen).toHaveLength(10);
    expect(new Set(seen).size).toBe(10);
    const since = Date.UTC(2025, 0, 10);
    expect(texts({ within: EVERYTHING, since, before: since + 120_000 })).toEqual(["we visited Paris", "ok"]);
    expect(texts({ within: EVERYTHING, text: '"visited lyon"' })).toEqual(["and visited Lyon"]);
    for (const bad of ["x", "[1", '["a"]', "{}"])
      expect(listByTime(db, { within: EVERYTHING, cursor: bad }).items).toHaveLength(10);
  });

  it("RI1 every item is listed for each of its own words, and given back whole by its id", () => {
    const word = fc.constantFrom(
      "runs",
      "ran",
      "Straße",
      "getUserById",
      "a/b.ts",
      "東京都",
      "the",
      "x1",
      "naïve",
      "ok",
    );
    fc.assert(
      fc.property(fc.array(fc.array(word, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 8 }), (all) => {
        const store = storeOf(conversation(all.map((w, i) => `${w.join(" ")} n${i}`)));
        for (const [i, words] of all.entries())
          for (const text of [...words, `n${i}`]) {
            const ids = listByTime(store, { within: EVERYTHING, text, limit: 100 }).items.map((x) => x.id);
            expect(ids, text).toContain(`s1-${i}`);
          }
        expect(itemById(store, EVERYTHING, "s1-0")?.text).toBe(`${all[0]?.join(" ")} n0`);
      }),
      { numRuns: 60 },
    );
  });
});
