// Merging memory files: laws that hold for any files, and what is kept of lines that nobody understands.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type MemoryFileLine, readLine } from "./lines.ts";
import { merge, printFileMemory, readFileMemory, recordLines } from "./merge.ts";

const at = (day: number): string => new Date(Date.UTC(2026, 0, 1 + day)).toISOString();
const id = fc.constantFrom("a", "b", "c", "d", "__proto__");
const day = fc.integer({ min: 0, max: 4 });
const record = fc
  .record(
    { id, day, fact: fc.constantFrom("x", "y"), replaces: fc.array(id, { maxLength: 2 }), extra: fc.jsonValue() },
    { requiredKeys: ["id", "fact"] },
  )
  .map(({ day: on, id: name, ...rest }) =>
    // Written as text: a literal __proto__ key would be lost by an object.
    JSON.stringify({ ...(on === undefined ? {} : { createdAt: at(0), updatedAt: at(on) }), id: name, ...rest }),
  );
const mark = fc
  .record({ id, day, by: fc.constantFrom("me", undefined) })
  .map(({ id: name, day: on, by }) => JSON.stringify({ id: name, deleted: true, updatedAt: at(on), by }));
const other = fc.constantFrom("<<<<<<< ours", "=======", '{"id":"torn","fa', "[1]", '{"no":"id"}', "", "  ");
const file = fc.array(fc.oneof(record, mark, other), { maxLength: 8 }).map((lines) => lines.join("\n"));

const merged = (...texts: string[]): string =>
  printFileMemory(texts.map(readFileMemory).reduce((all, one) => readFileMemory(printFileMemory(merge(all, one)))));

describe("merge", () => {
  it("MI12 is commutative, associative and idempotent, also through the file's text", () => {
    fc.assert(
      fc.property(file, file, file, (a, b, c) => {
        expect(merged(a, b)).toBe(merged(b, a));
        expect(merged(merged(a, b), c)).toBe(merged(a, merged(b, c)));
        expect(merged(a, a)).toBe(merged(a));
        expect(merged(merged(a, b), b)).toBe(merged(a, b));
      }),
      { numRuns: 500 },
    );
  });

  it("MI12 loses no line but to a later one of its id, a mark of deletion, or one that replaces it", () => {
    fc.assert(
      fc.property(file, file, (a, b) => {
        const before = [...a.split("\n"), ...b.split("\n")];
        const after = merged(a, b).split("\n");
        const kept = new Set(after.flatMap((text) => readLine(text) ?? []).map(({ value }) => JSON.stringify(value)));
        const all = before.flatMap((text) => readLine(text) ?? []);
        for (const text of before) {
          const line = readLine(text);
          if (!line) expect(count(after, text)).toBe(text.trim() === "" ? count(after, text) : most(a, b, text));
          else if (!kept.has(JSON.stringify(line.value))) {
            const over = all.filter((one) => one.id === line.id || one.replaces.includes(line.id));
            // A plain mark says nothing but its time: it may stand in another line of that time.
            const isSaid = over.some((one) => one.at > line.at) || (line.gone && claimed(after, line) >= line.at);
            expect(isSaid).toBe(true);
          }
        }
      }),
      { numRuns: 500 },
    );
    /** Since when what is older of its id is over. */
    function claimed(lines: string[], { id: name }: MemoryFileLine): string {
      const of = lines
        .flatMap((text) => readLine(text) ?? [])
        .filter((one) => [one.id, ...one.replaces].includes(name));
      return (
        of
          .map((one) => one.at)
          .sort()
          .at(-1) ?? ""
      );
    }
    function count(lines: string[], text: string): number {
      return lines.filter((one) => one === text).length;
    }
    function most(a: string, b: string, text: string): number {
      return Math.max(count(a.split("\n"), text), count(b.split("\n"), text));
    }
  });

  it("M38 newer wins, a deletion beats what is older and loses to what is newer", () => {
    const line = (fact: string, on: number): string => JSON.stringify({ id: "a", fact, updatedAt: at(on) });
    const gone = (on: number): string => JSON.stringify({ id: "a", deleted: true, updatedAt: at(on) });
    const facts = (...texts: string[]) =>
      recordLines(readFileMemory(merged(...texts))).map(({ value }) => value["fact"]);
    expect(facts(line("old", 1), line("new", 2))).toEqual(["new"]);
    expect(facts(line("old", 1), gone(2))).toEqual([]);
    expect(facts(line("again", 3), gone(2))).toEqual(["again"]);
  });

  it("M38 what was replaced by a record that was replaced itself does not come back from another branch", () => {
    const x = JSON.stringify({ id: "x", fact: "1", updatedAt: at(1) });
    const r = JSON.stringify({ id: "r", fact: "2", updatedAt: at(2), replaces: ["x"] });
    const s = JSON.stringify({ id: "s", fact: "3", updatedAt: at(3), replaces: ["r"] });
    const short = merged(merged(x, r), s);
    expect(recordLines(readFileMemory(merged(short, x))).map((line) => line.id)).toEqual(["s"]);
  });

  it("MB11 keeps BOM, line ends, unknown fields and their spelling byte for byte", () => {
    const foreign = '{ "id":"f", "fact": "kept",  "mine": [1, 2] , "createdAt":"2026-01-01T00:00:00Z" }';
    const text = `\ufeff${foreign}\r\n<<<<<<< HEAD\n{"id":"torn","fact":"ha`;
    const after = merged(text, JSON.stringify({ id: "z", fact: "new", createdAt: at(5) }));
    expect(after.startsWith(`\ufeff${foreign}\r\n`)).toBe(true);
    expect(after.split("\n")).toEqual(expect.arrayContaining(["<<<<<<< HEAD", '{"id":"torn","fact":"ha']));
    expect(readFileMemory(after).unread.size).toBe(2);
  });

  it("M39 is ordered by createdAt, then id, so that a new record is one new line", () => {
    const lines = [3, 1, 2].map((on) => JSON.stringify({ id: `id${on}`, fact: "f", createdAt: at(on) }));
    const sorted = merged(lines.join("\n"));
    const more = merged(sorted, JSON.stringify({ id: "new", fact: "g", createdAt: at(9) }));
    expect(more.startsWith(sorted)).toBe(true);
    expect(sorted.indexOf("id1")).toBeLessThan(sorted.indexOf("id2"));
  });
});
