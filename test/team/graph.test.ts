// W2, W8: the graph of a team does on PostgreSQL what the graph of one person does in store.db, with many nodes at work on it.
import { describe, expect, it } from "vitest";
import { type Clock, systemClock } from "../../src/base/clock.ts";
import { describeGraphStore } from "../../src/memory/graph/conformance-fixture.ts";
import { rulesExtractor } from "../../src/memory/graph/extract/rules.ts";
import { day, must, type TestGraph } from "../../src/memory/graph/graph-fixture.ts";
import { type Extractor, GraphIngest } from "../../src/memory/graph/ingest.ts";
import { graphStore } from "../../src/memory/graph/store/graph-store.ts";
import { newTeamDatabase } from "../../src/store/postgres/postgres-fixture.ts";

const SHARE = process.env["EVERLONG_SOAK"] ? 1 : 0.2;
const LIMIT_MS = 600_000;

async function openGraph(): Promise<TestGraph> {
  const team = await newTeamDatabase();
  const analyse = async () => void must(await team.pool.connected((client) => client.query("ANALYZE")));
  return { store: graphStore(team.store("acme")), analyse };
}

describeGraphStore("PostgreSQL", openGraph, SHARE);

const message = (name: string, text: string, validAt = day(1)) =>
  ({ name, text, role: "Ann", roleType: "user", validAt }) as const;

/** Two nodes: each with connections of its own to one database. */
async function twoNodes() {
  const first = await newTeamDatabase();
  const second = await newTeamDatabase(first.url);
  return [first, second].map((team) => graphStore(team.store("acme"))) as [
    ReturnType<typeof graphStore>,
    ReturnType<typeof graphStore>,
  ];
}

describe("nodes", () => {
  it("W8 G7 RI10 two nodes take the episodes of a few groups: each is read once to effect, and in order", async () => {
    const nodes = await twoNodes();
    const reads: string[] = [];
    const extractor: Extractor = {
      ...rulesExtractor,
      batch: 3,
      async extract(episodes, signal) {
        reads.push(...episodes.map(({ name }) => name));
        return rulesExtractor.extract(episodes, signal);
      },
    };
    const groups = ["a", "b", "c"];
    await Promise.all(
      groups.flatMap((group) =>
        nodes.map(async (store, node) => {
          for (let i = node; i < 20; i += 2) {
            const episode = message(`${group}${i}`, `The lamp is now c${i}x.`, day(i + 1));
            must(await store.accept({ group, origin: "api", episodes: [episode], now: day(100) }));
          }
        }),
      ),
    );
    const workers = nodes.map((store) => new GraphIngest({ store, extractor }));
    await Promise.all(
      workers.map((worker) => {
        worker.wake();
        return worker.idle(LIMIT_MS);
      }),
    );
    expect(reads.toSorted()).toEqual(
      groups.flatMap((group) => Array.from({ length: 20 }, (_, i) => `${group}${i}`)).toSorted(),
    );
    for (const group of groups) {
      const facts = must(await nodes[0].facts({ groups: [group] }));
      expect(facts.map(({ object }) => object.name)).toEqual(Array.from({ length: 20 }, (_, i) => `c${i}x`));
      expect(facts.slice(0, -1).every((one, i) => one.invalidAt === facts[i + 1]?.validAt)).toBe(true);
      expect(facts.every(({ episodes }) => episodes.length === 1)).toBe(true);
    }
  });

  it("W8 WB2 a node that stops keeps its episode until its lease ends; what it writes later has no effect", async () => {
    const [stopped, other] = await twoNodes();
    must(
      await stopped.accept({
        group: "g",
        origin: "api",
        episodes: [message("m", "The lamp is now red.")],
        now: day(1),
      }),
    );
    // The name of a process of this machine says nothing to another machine.
    const first = must(await stopped.claim({ worker: "w1.999999", size: 8, now: day(1), leaseUntil: day(2) }));
    expect(first).toHaveLength(1);
    const clockAt = (n: number): Clock => ({ ...systemClock, now: () => new Date(Date.UTC(2026, 0, n)).toISOString() });
    const before = new GraphIngest({ store: other, extractor: rulesExtractor, clock: clockAt(1) });
    before.wake();
    await before.idle(LIMIT_MS);
    expect(must(await other.counts())).toMatchObject({ facts: 0, episodes: { running: 1 } });
    const after = new GraphIngest({ store: other, extractor: rulesExtractor, clock: clockAt(3) });
    after.wake();
    await after.idle(LIMIT_MS);
    expect(must(await other.counts())).toMatchObject({ facts: 1, episodes: { done: 1 } });
    const [extraction] = await rulesExtractor.extract(first ?? [], new AbortController().signal);
    const late = { uuid: first?.[0]?.uuid ?? "", extraction: { ...extraction!, facts: [] } };
    expect(must(await stopped.settle({ worker: "w1.999999", episodes: [late], origin: "rule", now: day(3) }))).toBe(0);
    must(await stopped.giveBack({ episode: late.uuid, worker: "w1.999999", error: "late", now: day(3) }));
    expect(must(await other.counts())).toMatchObject({ facts: 1, episodes: { done: 1 } });
  });

  it("W2 G8 RB11 one message posted fifty times at once over two nodes is one episode", async () => {
    const nodes = await twoNodes();
    const request = { group: "g", origin: "api", episodes: [message("m", "Said once.")], now: day(1) } as const;
    const outcomes = await Promise.all(Array.from({ length: 50 }, (_, i) => nodes[i % 2]?.accept(request)));
    const ids = outcomes.map((outcome) => {
      const value = outcome && must(outcome);
      return value?.type === "accepted" ? value.episodes[0]?.uuid : undefined;
    });
    expect([new Set(ids).size, must(await nodes[0].episodes({})).length]).toEqual([1, 1]);
  });

  it("W5 RI2 G20 tenants share no group, entity, fact or uuid, whatever they are called", async () => {
    const team = await newTeamDatabase();
    const [acme, globex] = [graphStore(team.store("acme")), graphStore(team.store("globex"))];
    const uuid = "11111111-1111-4111-8111-111111111111";
    for (const [store, color] of [
      [acme, "red"],
      [globex, "green"],
    ] as const) {
      const episode = { ...message("m", `The lamp is now ${color}.`), uuid };
      must(await store.accept({ group: "g", origin: "api", episodes: [episode], now: day(1) }));
      const worker = new GraphIngest({ store, extractor: rulesExtractor });
      worker.wake();
      await worker.idle(LIMIT_MS);
    }
    const colors = async (store: typeof acme) => must(await store.facts({})).map(({ object }) => object.name);
    expect([await colors(acme), await colors(globex)]).toEqual([["red"], ["green"]]);
    must(await globex.forget({ type: "everything" }));
    expect([await colors(acme), await colors(globex)]).toEqual([["red"], []]);
  });
});
