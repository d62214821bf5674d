// Writers at once on PostgreSQL: what domain code decides by stays true, with holds and without, and the wall between them can be seen to be needed.
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { ok } from "../../src/base/result.ts";
import { place, text, user } from "../../src/memory/board/board-fixture.ts";
import { countItems, findItem } from "../../src/memory/board/row.ts";
import { countSession, putItem, readItem } from "../../src/memory/board/store.ts";
import { storedStrategy } from "../../src/memory/record/embedded/strategy.ts";
import { CAPACITY } from "../../src/schema/board.ts";
import { newTeamDatabase } from "../../src/store/postgres/postgres-fixture.ts";
import { allRows, execute, oneRow, type RowStore, type Unit } from "../../src/store/unit.ts";
import { draft, filtered } from "../memory/strategy.conformance.ts";

const { signal } = new AbortController();
const at = "2026-01-01T00:00:00.000Z";
const times = <T>(n: number, work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: n }, (_, i) => work(i)));
const strategyOn = (store: RowStore) =>
  storedStrategy({ open: async () => ok(store), hashKey: "k", user: "local", clock: systemClock, redact: (t) => t });
const here = { repository: "acme/app", user: "local" };
const actor = { kind: "user", id: "u", name: "u" } as const;

describe("many writers at once", () => {
  it("MI8 MI9 a board takes 25 items and counts every reading, however many write", async () => {
    const store = (await newTeamDatabase()).store("acme");
    const put = await times(40, (i) => putItem(store, place, { src: "user", text: text(`item-${i}`), at }, user));
    expect(put.filter((one) => one.ok && one.value.type === "stored")).toHaveLength(CAPACITY);
    expect(put.filter((one) => one.ok && one.value.type === "board_full")).toHaveLength(40 - CAPACITY);
    const [stored] = put.flatMap((one, i) => (one.ok && one.value.type === "stored" ? [`item-${i}`] : []));
    await times<unknown>(30, (i) =>
      i % 3 === 0 ? countSession(store, place, at) : readItem(store, place, { src: "user", name: stored ?? "", at }),
    );
    expect(await store.read(() => countItems(place))).toEqual({ ok: true, value: { all: 25, user: 25 } });
    expect(await store.read(() => findItem(place, "user", stored ?? ""))).toMatchObject({
      value: { readCount: 20, count: 10 },
    });
  });

  it("M21 M23 M78 one fact is stored once, each actor votes once, and an edit is lost by nobody", async () => {
    const strategy = strategyOn((await newTeamDatabase()).store("acme"));
    const stored = await times(12, () => strategy.store(draft(here, "tests run with npm test"), signal));
    const [first] = stored.flatMap((one) => (one.type === "stored" ? [one.record] : []));
    expect(stored.map(({ type }) => type).sort()).toEqual([...Array(11).fill("already_stored"), "stored"]);
    const { id = "" } = first ?? {};
    await times(24, (i) =>
      strategy.vote(
        {
          ...{ fact: filtered("tests run with npm test"), reason: filtered("so it is"), direction: "upvote" },
          ...{ place: here, actor: { key: `rest:${i % 6}`, kind: "agent" } },
        },
        signal,
      ),
    );
    const voted = await strategy.get(id, {}, signal);
    expect(voted).toMatchObject({ record: { votes: { up: 6 }, version: 7 } });
    const edits = await times(10, async (i) => {
      for (let version = 7; ; ) {
        const by = { actor, version };
        const edited = await strategy.edit(id, { reason: filtered(`reason ${i}`) }, by, signal);
        if (edited.type === "edited") return edited.record.version;
        if (edited.type !== "conflict") throw new Error(edited.type);
        version = edited.current.version;
      }
    });
    expect(edits.sort((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, i) => 8 + i));
  });

  /** Counts, then writes what it counted: right only if nobody writes in between. */
  function* next(): Unit<void> {
    const row = yield* oneRow("SELECT count(*) AS n FROM memory_changes");
    const sql = "INSERT INTO memory_changes (memory, action, actor, at) VALUES (?, 'store', '{}', ?)";
    yield* execute(sql, `m${Number(row?.["n"])}`, at);
  }
  const numbers = async (store: RowStore): Promise<unknown[]> => {
    const rows = await store.read(() => allRows("SELECT DISTINCT memory FROM memory_changes"));
    return rows.ok ? rows.value : [];
  };

  it("W2 a unit without holds is run as if alone; one that promises holds and takes none shows why they are needed", async () => {
    const team = await newTeamDatabase();
    const alone = await times(8, () => team.store("alone").write(next));
    const succeeded = alone.filter((one) => one.ok).length;
    expect(await numbers(team.store("alone"))).toHaveLength(succeeded);
    expect(succeeded).toBeGreaterThan(0);
    let doubled = false;
    for (let round = 0; round < 20 && !doubled; round++) {
      const store = team.store(`broken-${round}`);
      await times(8, () => store.write(next, { holds: true }));
      doubled = (await numbers(store)).length < 8;
    }
    expect(doubled).toBe(true);
  });
});
