// Searches in a thread: the event loop stays free, a limit is a limit, a broken store is told.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Embedder } from "../embed/contract.ts";
import { QueryEmbedder } from "../embed/query-vector.ts";
import { conversation, EVERYTHING, openStore } from "../recall-fixture.ts";
import { RecallWriter } from "../store/write.ts";
import { Searcher } from "./searcher.ts";

const dir = mkdtempSync(join(tmpdir(), "everlong-thread-"));
const path = join(dir, "store.db");
const db = openStore(path);
new RecallWriter(db).add(conversation(["where is the lighthouse", "on the northern cliff", "thanks"]));
const searchers: Searcher[] = [];
const searcher = (options: Partial<ConstructorParameters<typeof Searcher>[0]> = {}) => {
  const made = new Searcher({ path, timeoutMs: 60_000, ...options });
  searchers.push(made);
  return made;
};
afterAll(async () => {
  for (const s of searchers) await s.close();
  db.close();
});

describe("the searching thread", () => {
  it("R29 R2 finds what was written a moment ago, searches and lists", async () => {
    const s = searcher();
    const first = await s.search({ text: "lighthouse", within: EVERYTHING });
    const [best, ...others] = first.ok ? first.value.results.map((r) => r.id) : [];
    expect([best, others.sort()]).toEqual(["s1-0", ["s1-1", "s1-2"]]);
    new RecallWriter(db).add([{ ...conversation(["the lantern room"])[0]!, id: "new", seq: 50, turn: 50 }]);
    const second = await s.search({ text: "lantern", within: EVERYTHING });
    expect(second.ok && second.value.results[0]?.id).toBe("new");
    const listed = await s.list({ within: EVERYTHING, limit: 2 });
    expect(listed.ok && listed.value.items).toHaveLength(2);
  });

  it("R29 keeps the event loop free while it searches", async () => {
    const s = searcher();
    await s.search({ text: "warm", within: EVERYTHING });
    const big = Array.from({ length: 4000 }, (_, i) => ({
      ...conversation([`load ${i} of words to look at`])[0]!,
      id: `b${i}`,
      seq: 100 + i,
      turn: 100 + i,
    }));
    db.exec("BEGIN");
    new RecallWriter(db).add(big);
    db.exec("COMMIT");
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    await Promise.all(Array.from({ length: 20 }, () => s.search({ text: "load of words", within: EVERYTHING })));
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(5);
  });

  it("RI7 RB5 an embedder that hangs costs its share of the time and is named", async () => {
    const hanging: Embedder = { id: "h", dims: 2, embed: () => new Promise(() => {}) };
    const queries = new QueryEmbedder(hanging);
    const s = searcher({ embedder: () => queries });
    const answer = await s.search({ text: "lighthouse", within: EVERYTHING });
    expect(answer.ok && answer.value.results[0]?.id).toBe("s1-0");
    expect(answer.ok && answer.value.skipped.join()).toMatch(/vectors: no vector within/);
  });

  it("RB4 a missing or damaged store is a fault, not an exception, and is tried again", async () => {
    const other = join(dir, "damaged.db");
    writeFileSync(other, "this is no database, but it is long enough to look like one at first sight".repeat(20));
    const s = searcher({ path: other });
    const answer = await s.search({ text: "x", within: EVERYTHING });
    expect(!answer.ok && answer.error.code).toBe("store_unavailable");
    writeFileSync(other, "");
    const fresh = openStore(other);
    new RecallWriter(fresh).add(conversation(["repaired"]));
    const later = await s.search({ text: "repaired", within: EVERYTHING });
    expect(later.ok && later.value.results).toHaveLength(1);
    fresh.close();
  });

  it("XB20 a broken index is told as such, at the start too; R44 the figures are counted in the thread", async () => {
    const other = join(dir, "broken.db");
    const broken = openStore(other);
    new RecallWriter(broken).add(conversation(["one", "two"]));
    const told: string[] = [];
    const s = searcher({ path: other, onDamaged: (message) => told.push(message) });
    const stats = await s.stats();
    expect(stats.ok && stats.value).toEqual({
      ...{ items: 2, passages: 2, sessions: 1, kinds: { turn: 2 } },
      ...{ embedder: "none", vectors: 0, waiting: 0, parked: 0 },
    });
    broken.exec("DROP TABLE recall_scope");
    const answer = await s.search({ text: "one", within: EVERYTHING });
    expect(!answer.ok && answer.error.code).toBe("index_damaged");
    expect(await s.start(10_000)).toBe(false);
    expect(told).toEqual(Array(2).fill(expect.stringContaining("recall_scope")));
    broken.close();
  });

  it("stops when told to, at its limit, and when closed", async () => {
    const s = searcher();
    const stop = new AbortController();
    stop.abort();
    const stopped = await s.search({ text: "x", within: EVERYTHING }, { signal: stop.signal });
    expect(!stopped.ok && stopped.error.code).toBe("stopped");
    const late = await s.search({ text: "lighthouse", within: EVERYTHING }, { timeoutMs: 0 });
    expect(late.ok && [late.value.partial, late.value.skipped]).toEqual([true, ["all"]]);
    await s.close();
    const closed = await s.search({ text: "x", within: EVERYTHING });
    expect(!closed.ok && closed.error.code).toBe("stopped");
  });
});
