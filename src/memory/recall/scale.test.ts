// What a question costs in a large store, counted in rows instead of time: the bounds hold whatever the size.
import { describe, expect, it } from "vitest";
import { runUnit } from "../../store/embedded-store.ts";
import type { Database } from "../../store/sqlite.ts";
import type { StoreStep, Unit } from "../../store/unit.ts";
import { VectorScan } from "./embed/scan.ts";
import type { Item } from "./item.ts";
import { TermCounts } from "./rank/count.ts";
import { EVERYTHING, storeOf } from "./recall-fixture.ts";
import { type SearchAnswer, type SearchRequest, searching } from "./search.ts";
import { NO_RELATED_WORDS } from "./text/related.ts";

const WORKSPACES = 40;
const BOUNDS = { postings: 100, allPostings: 300, kept: 30 };
const COMMON = "about code could error file need";

/** Every turn has the six common words; each tenth word of the others is of its own workspace. */
const turnsOf = (count: number): Item[] => {
  const places = Array.from({ length: WORKSPACES }, (_, w) => ({
    ...{ session: `s${w}`, workspace: `w${w}`, level: "session" as const },
  }));
  return Array.from({ length: count }, (_, n): Item => {
    const [w, seq] = [n % WORKSPACES, Math.floor(n / WORKSPACES)];
    const place = places[w] ?? { level: "session" };
    const text = `${COMMON} topic${n % 50} place${w} ${n === 77 ? "zeppelin" : `note${n}`}`;
    return { id: `i${n}`, kind: "turn", role: seq % 2 === 0 ? "user" : "assistant", text, time: 1e12 + n, seq, place };
  });
};

/** The answer, and how many rows were read for it. */
function measured(db: Database, request: Omit<SearchRequest, "bounds">): { answer: SearchAnswer; rows: number } {
  let rows = 0;
  function* watched(unit: Unit<SearchAnswer>): Unit<SearchAnswer> {
    let next = unit.next();
    while (!next.done) {
      const given = yield next.value;
      rows += rowsIn(next.value, given);
      next = unit.next(given);
    }
    return next.value;
  }
  const parts = { relatedTo: NO_RELATED_WORDS, counts: new TermCounts(), vectors: new VectorScan() };
  return { answer: runUnit(db, watched(searching({ ...request, bounds: BOUNDS }, parts))), rows };
}

function rowsIn({ type }: StoreStep, given: unknown): number {
  if (type === "ask_terms")
    return (given as { ids?: number[] }[]).reduce((sum, answer) => sum + (answer.ids?.length ?? 0), 0);
  if (type === "each") return (given as unknown[][]).flat().length;
  return Array.isArray(given) ? given.length : 1;
}

describe("a large store", () => {
  const [small, large] = [2_000, 12_000].map((count) => storeOf(turnsOf(count))) as [Database, Database];

  it("R30 L6 RE3 R25 a question about something rare reads no more rows in a store six times as large", () => {
    const request = { text: "what did we decide about the zeppelin?", within: EVERYTHING };
    const [a, b] = [measured(small, request), measured(large, request)];
    expect([a, b].map(({ answer }) => answer.results[0]?.id)).toEqual(["i77", "i77"]);
    expect(b.rows).toBeLessThan(Math.min(100, a.rows));
  });

  it("R30 RE3 R27 six words that stand everywhere are answered from the newest, within bounds", () => {
    const { answer, rows } = measured(large, { text: COMMON, within: EVERYTHING });
    expect(answer).toMatchObject({ partial: false });
    expect(answer.results).toHaveLength(10);
    // The newest 5,000 that hold two of them; of the best 1,000 the lengths; the texts of a few.
    expect(rows).toBeLessThan(6_500);
  });

  it("R30 L6 R27 thirty-two common words of which no two stand together: each is counted once, and the rarest is found", () => {
    const topics = Array.from({ length: 26 }, (_, n) => `topic${n}`);
    const { answer, rows } = measured(large, { text: `${COMMON} ${topics.join(" ")}`, within: EVERYTHING });
    expect(answer).toMatchObject({ partial: false });
    expect(answer.results).toHaveLength(10);
    // A topic stands in 240 passages, and is looked for as it is written, by its stem and as a name.
    expect(rows).toBeLessThan(topics.length * 3 * 240 + 1_000);
  });

  it("RE3 R28 a question in one workspace gives results of that one alone, and asks for no others", () => {
    for (const w of [0, 7, 39]) {
      const within = { scopes: [{ type: "workspace" as const, workspace: `w${w}` }] };
      const { answer, rows } = measured(large, { text: `${COMMON} topic7 zeppelin`, within });
      expect(answer.results.length).toBeGreaterThan(0);
      expect(new Set(answer.results.map((r) => r.source.session))).toEqual(new Set([`s${w}`]));
      // The workspace has 300 passages; no term is asked for beyond them.
      expect(rows).toBeLessThan(5_000);
    }
  });
});
