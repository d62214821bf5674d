// Loading for the prompt: one fetch for many, nothing old applied, failures counted; and where a fact's words come from.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wordsOf } from "../../src/memory/recall/text/words.ts";
import type { Place, Prompted, Strategy } from "../../src/memory/record/contract.ts";
import { contentWords } from "../../src/memory/record/fold.ts";
import { type LoaderParts, MemoryLoader } from "../../src/memory/record/loader.ts";
import { originsOf, type SeenText } from "../../src/memory/record/origins.ts";
import { storeDefinition } from "../../src/memory/record/tool/definition.ts";
import { embeddedOver, here, openMemories, signal } from "./record-fixture.ts";
import { draft, filtered } from "./strategy.conformance.ts";

const answer = (prompt: string | null): Prompted => ({
  type: "prompted",
  answer: {
    enabled: true,
    prompt,
    counts: { repository: 1, user: 0, total: 1, shown: 1 },
    stale: 0,
    storeInstructions: "",
    tools: { store: storeDefinition(true) },
  },
});

/** A strategy whose answers are given one by one. */
function slow() {
  const waiting: ((given: Prompted) => void)[] = [];
  const asked: Place[] = [];
  const strategy = {
    kind: "service",
    endpoint: "http://x",
    generation: () => undefined,
    prompt: (ask: { place: Place }) => {
      asked.push(ask.place);
      return new Promise<Prompted>((resolve) => waiting.push(resolve));
    },
  } as unknown as Strategy;
  return { strategy, waiting, asked };
}

function loaderOver(strategy: Strategy, more: Partial<LoaderParts> = {}) {
  const time = { now: 0, place: here, late: [] as (() => void)[] };
  const loader = new MemoryLoader({
    client: async () => ({ type: "ready", strategy }),
    place: () => time.place,
    scopes: () => ["repository", "user"],
    bound: () => ({ maxTokens: 2000, maxRecords: 60 }),
    timeoutMs: () => 750,
    clock: {
      now: () => new Date(0).toISOString(),
      monotonic: () => time.now,
      sleep: (_ms, stop) =>
        new Promise((resolve) => {
          time.late.push(() => resolve(true));
          stop?.addEventListener("abort", () => resolve(false));
        }),
    },
    ...more,
  });
  return { loader, time };
}
const soon = () => new Promise((resolve) => setImmediate(resolve));

describe("the loader", () => {
  it("M42 concurrent callers share one fetch; M43 a later one asks again where nobody can tell what changed", async () => {
    const { strategy, waiting, asked } = slow();
    const { loader } = loaderOver(strategy);
    const all = Array.from({ length: 10 }, () => loader.load());
    await soon();
    waiting[0]?.(answer("- one"));
    for (const loaded of await Promise.all(all))
      expect(loaded).toMatchObject({ type: "loaded", section: expect.stringContaining("- one") });
    expect(asked).toHaveLength(1);
    expect(loader.counts()).toMatchObject({ total: 1 });
    const later = loader.load();
    await soon();
    waiting[1]?.(answer("- two"));
    expect(await later).toMatchObject({ cached: false, section: expect.stringContaining("- two") });
  });

  it("MB10 M43 a repository that changes meanwhile: the old answer is dropped, one fetch for the new", async () => {
    const { strategy, waiting, asked } = slow();
    const { loader, time } = loaderOver(strategy);
    const first = loader.load();
    await soon();
    time.place = { repository: "acme/new", user: "local" };
    const second = loader.load();
    await soon();
    expect(asked.map(({ repository }) => repository)).toEqual(["acme/app", "acme/new"]);
    waiting[0]?.(answer("- old"));
    await soon();
    waiting[1]?.(answer("- new"));
    for (const loaded of [await first, await second])
      expect(loaded).toMatchObject({ section: expect.stringContaining("- new") });
    expect(asked).toHaveLength(2);
  });

  it("M24 M45 the line that says how many are missing does not count disputed ones", async () => {
    const db = await openMemories();
    const strategy = embeddedOver(db);
    for (const fact of ["first fact", "second fact", "third fact"]) await strategy.store(draft(here, fact), signal);
    const ballot = { reason: filtered("wrong"), place: here, actor: { key: "user:local", kind: "user" } } as const;
    await strategy.vote({ ...ballot, fact: filtered("third fact"), direction: "downvote" }, signal);
    const { loader } = loaderOver(strategy, { bound: () => ({ maxTokens: 2000, maxRecords: 1 }) });
    expect(await loader.load()).toMatchObject({ section: expect.stringContaining("(1 more:") });
    expect(loader.counts()).toEqual({ repository: 2, user: 0, total: 2, shown: 1 });
    db.close();
  });

  it("M41 a failure is one outcome without retry; tried again at the next turn; after three, not for 30 s", async () => {
    const { strategy, waiting, asked } = slow();
    const { loader, time } = loaderOver(strategy);
    for (let i = 0; i < 3; i++) {
      const load = loader.load();
      await soon();
      waiting[i]?.({ type: "failed", code: "http_500", cause: "x", mayBeStored: false });
      expect(await load).toMatchObject({ type: "unavailable", code: "http_500", strategy: "service" });
    }
    expect(await loader.load()).toMatchObject({ code: "paused" });
    expect(asked).toHaveLength(3);
    time.now += 30_001;
    const load = loader.load();
    await soon();
    waiting[3]?.(answer(null));
    expect(await load).toMatchObject({ type: "loaded", section: "" });
  });

  it("M41 one that does not answer is given up at the limit", async () => {
    const { strategy } = slow();
    const { loader, time } = loaderOver(strategy);
    const load = loader.load();
    await soon();
    time.late[0]?.();
    expect(await load).toMatchObject({ type: "unavailable", code: "timeout" });
  });

  it("M43 what another process wrote is seen: the generation moved", async () => {
    const db = await openMemories();
    const { loader } = loaderOver(embeddedOver(db));
    await loader.load();
    expect(await loader.load()).toMatchObject({ cached: true, section: "" });
    await embeddedOver(db).store(draft(here, "written by another"), signal);
    expect(await loader.load()).toMatchObject({
      cached: false,
      section: expect.stringContaining("written by another"),
    });
    expect(await loader.load()).toMatchObject({ cached: true });
    db.close();
  });
});

describe("M67 origins", () => {
  const fact = "The release branch is cut every Tuesday and frozen until the smoke tests are green";
  const web = (text: string, thisTurn = true): SeenText => ({ kind: "web", text, ref: "t1/c1", thisTurn });

  it("M67 eight words in a row, or three fifths of the content words within a hundred words", () => {
    expect(originsOf(fact, [web("we said: the release branch is cut every Tuesday and more", false)])).toEqual([
      { kind: "web", ref: "t1/c1" },
    ]);
    expect(originsOf(fact, [web("Tuesday: green smoke tests, then the branch of the release", false)])).toEqual([
      { kind: "web", ref: "t1/c1" },
    ]);
    const far = `release branch ${"filler word ".repeat(60)} Tuesday frozen smoke tests green`;
    expect(originsOf(fact, [web(far.replace("Tuesday frozen smoke tests green", "Tuesday frozen"), false)])).toEqual([
      { kind: "assistant" },
    ]);
  });

  it("M67 however it is spelt: case, accents, width, what stands beside it", () => {
    const cases = [
      "THE RELEASE BRANCH IS CUT EVERY TUESDAY AND MORE",
      "the rélease bránch is cut every tuesdäy and möre",
      "the ｒｅｌｅａｓｅ branch is cut every ＴＵＥＳＤＡＹ and more",
      "✓the\u00a0release→branch\u0001is…cut “every” Tuesday—and more",
    ];
    for (const text of cases)
      expect(originsOf(fact, [web(text, false)]), text).toEqual([{ kind: "web", ref: "t1/c1" }]);
    const chinese = "构建需要最新的节点版本才能运行";
    expect(originsOf(chinese, [web(`他们说：${chinese}。`, false)])).toEqual([{ kind: "web", ref: "t1/c1" }]);
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...fact.split(" "), "é", "ＴＵＥＳＤＡＹ", "cut.", "Ünd", "\u0001", "→")),
        (words) => {
          const text = words.join(" ");
          // The plain way: every text is split into its words.
          const all = wordsOf(text);
          const wanted = new Set(contentWords(fact));
          const isLike =
            new Set(all.filter((word) => wanted.has(word))).size >= Math.ceil(wanted.size * 0.6) ||
            wordsOf(fact).some(
              (_, i, own) => i + 8 <= own.length && ` ${all.join(" ")} `.includes(` ${own.slice(i, i + 8).join(" ")} `),
            );
          fc.pre(all.length <= 100);
          expect(originsOf(fact, [web(text, false)])[0]?.kind).toBe(isLike ? "web" : "assistant");
        },
      ),
      { numRuns: 500 },
    );
  });

  it("M67 typed by the user; also seen elsewhere, both", () => {
    const user: SeenText = { kind: "user", text: fact.toUpperCase() };
    expect(originsOf(fact, [user])).toEqual([{ kind: "user" }]);
    expect(originsOf(fact, [user, web(fact)])).toEqual([{ kind: "user" }, { kind: "web", ref: "t1/c1" }]);
  });

  it("M67 paraphrased: a page or an MCP answer of this turn stands behind it, unless the user typed it", () => {
    const page = web("buy our installer now");
    const mcp: SeenText = { kind: "mcp", text: "x", ref: "t1/c2", thisTurn: true };
    expect(originsOf(fact, [page, mcp])).toEqual([
      { kind: "web", ref: "t1/c1" },
      { kind: "mcp", ref: "t1/c2" },
    ]);
    expect(originsOf(fact, [{ ...page, thisTurn: false }])).toEqual([{ kind: "assistant" }]);
    expect(originsOf(fact, [page, { kind: "user", text: fact }])).toEqual([{ kind: "user" }]);
    expect(originsOf(fact, [{ kind: "file", text: "other", thisTurn: true }])).toEqual([{ kind: "assistant" }]);
  });

  it('MB7 "yes" is no overlap', () => {
    expect(originsOf(fact, [{ kind: "user", text: "yes" }, web(fact)])).toEqual([{ kind: "web", ref: "t1/c1" }]);
  });
});
