// W9: a write on one node is in the prompt of another: because it is told, or because it looks.
import { expect, it, onTestFinished, vi } from "vitest";
import { type Clock, systemClock } from "../../src/base/clock.ts";
import { ok } from "../../src/base/result.ts";
import { storedStrategy } from "../../src/memory/record/embedded/strategy.ts";
import { PromptCache } from "../../src/memory/record/prompt-cache.ts";
import { GenerationFeed } from "../../src/store/postgres/generation-feed.ts";
import { sharedServer } from "../../src/store/postgres/postgres-fixture.ts";
import { numberIn, openTeamDatabase } from "../../src/store/postgres/team-database.ts";
import type { RowStore } from "../../src/store/unit.ts";
import { draft } from "../memory/strategy.conformance.ts";

const { signal } = new AbortController();
const place = { repository: "acme/app", user: "ann" };

/** Time that passes when it is told to; whoever sleeps for less than a poll is not kept waiting. */
function handClock(): Clock & { pass(): void } {
  const sleepers = new Set<() => void>();
  return {
    ...systemClock,
    sleep: (ms, end) =>
      new Promise((resolve) => {
        const wake = (): void => resolve(true);
        if (ms < 5000) setImmediate(wake);
        else sleepers.add(wake);
        end?.addEventListener("abort", () => resolve(false));
      }),
    pass: () => {
      for (const wake of sleepers) wake();
      sleepers.clear();
    },
  };
}

/** What a node has of it. `isDeaf`: nobody is told by it, nor does it hear. */
async function openNode(url: string, clock: Clock, isDeaf = false) {
  let feed: GenerationFeed | undefined;
  const opened = await openTeamDatabase(url, { onRaised: (tenant) => (isDeaf ? undefined : feed?.raised(tenant)) });
  if (!opened.ok) throw new Error(opened.error.what);
  const team = opened.value;
  let reads = 0;
  const rows = team.store("acme");
  const counted: RowStore = {
    ...rows,
    read(unit) {
      reads++;
      return rows.read(unit);
    },
  };
  feed = new GenerationFeed({
    pool: team.pool,
    numberOf: (tenant) => numberIn(team.store(tenant)),
    clock,
  });
  onTestFinished(async () => {
    await feed?.close();
    await team.close();
  });
  const cache = new PromptCache(systemClock);
  const strategy = storedStrategy({
    ...{ open: async () => ok(counted), hashKey: "k", user: "ann", clock: systemClock, redact: (text) => text },
    ...{ generation: () => feed?.generation("acme"), prompts: { cache, key: "acme ann" } },
  });
  const prompt = async (): Promise<string> => {
    const answer = await strategy.prompt({ place, scopes: ["repository"], maxTokens: 2000, maxRecords: 60 }, signal);
    if (answer.type !== "prompted") throw new Error(answer.cause);
    return answer.answer.prompt ?? "";
  };
  const moved = () => new Promise<void>((resolve) => feed?.on(() => resolve()));
  const heeds = () => vi.waitUntil(() => feed?.generation("acme") !== undefined, { timeout: 20_000 });
  return { strategy, prompt, moved, heeds, reads: () => reads, team };
}

it("W9 M149 a write on one node is told to the other; until then a prompt costs the database nothing", async () => {
  const url = await sharedServer().newUrl();
  const clock = handClock(); // no poll ever: what comes, comes by being told
  const [one, two] = [await openNode(url, clock), await openNode(url, clock)];
  await Promise.all([one.heeds(), two.heeds()]);
  expect(await two.prompt()).toBe("");
  const before = two.reads();
  for (let i = 0; i < 5; i++) expect(await two.prompt()).toBe("");
  expect(two.reads()).toBe(before);
  const moved = two.moved();
  expect(await one.strategy.store(draft(place, "The build needs Node 24"), signal)).toMatchObject({ type: "stored" });
  expect(await one.prompt()).toContain("Node 24"); // its own writer sees it at once
  await moved;
  expect(await two.prompt()).toContain("Node 24");
  // Other tenants are not disturbed.
  const other = storedStrategy({
    ...{ open: async () => ok(one.team.store("globex")), hashKey: "k", user: "eve", clock: systemClock },
    redact: (text) => text,
  });
  const after = two.reads();
  expect(await other.store(draft(place, "Not for acme"), signal)).toMatchObject({ type: "stored" });
  expect(await two.prompt()).not.toContain("Not for acme");
  expect(two.reads()).toBe(after);
});

it("W9 with nobody telling, the poll brings it", async () => {
  const url = await sharedServer().newUrl();
  const clock = handClock();
  const [mute, two] = [await openNode(url, systemClock, true), await openNode(url, clock)];
  await two.heeds();
  expect(await two.prompt()).toBe("");
  const first = two.moved();
  expect(await mute.strategy.store(draft(place, "Nobody was told"), signal)).toMatchObject({ type: "stored" });
  expect(await two.prompt()).toBe(""); // as it was made before
  clock.pass();
  await first;
  expect(await two.prompt()).toContain("Nobody was told");
  const second = two.moved();
  await mute.strategy.store(draft(place, "Nor this time"), signal);
  clock.pass();
  await second;
  expect(await two.prompt()).toContain("Nor this time");
});

it("W9 a node whose line is cut asks the database each time, and listens again", async () => {
  const server = sharedServer();
  const url = await server.newUrl();
  const two = await openNode(url, handClock());
  await two.heeds();
  expect(await two.prompt()).toBe("");
  const moved = two.moved();
  await server.ask(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~ 'LISTEN' AND datname = '${new URL(url).pathname.slice(1)}'`,
  );
  await moved; // it listens again, and takes everything for changed
  const before = two.reads();
  expect(await two.prompt()).toBe("");
  expect(two.reads()).toBeGreaterThan(before);
});
