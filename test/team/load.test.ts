// W17: many clients at once: a node asks its database for each thing once, and whoever waits for a connection gets one in turn.
import { expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { fail } from "../../src/base/result.ts";
import { PromptCache } from "../../src/memory/record/prompt-cache.ts";
import { tokensOfTenant } from "../../src/runtime/team/token-store.ts";
import { MemberDirectory } from "../../src/server/team/directory.ts";
import { faultAt } from "../../src/store/fault.ts";
import { ServerPool } from "../../src/store/postgres/pool.ts";
import { newTeamDatabase, sharedServer } from "../../src/store/postgres/postgres-fixture.ts";
import { openTeamDatabase } from "../../src/store/postgres/team-database.ts";
import type { RowStore } from "../../src/store/unit.ts";
import { startChaosProxy } from "../tool/chaos-proxy.ts";

const times = <T>(n: number, work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: n }, (_, i) => work(i)));

it("W17 W11 however many show one token at once, it is looked up once", async () => {
  const team = await newTeamDatabase();
  const wish = { name: "ann", tenant: "acme", user: "ann", scopes: ["read"], repositories: [] };
  const issued = await tokensOfTenant(team, "acme").issue(wish);
  if (!issued.ok) throw new Error(issued.error.what);
  let reads = 0;
  const counted = (tenant: string): RowStore => {
    const rows = team.store(tenant);
    return {
      ...rows,
      read(...unit) {
        reads++;
        return rows.read(...unit);
      },
    };
  };
  const directory = new MemberDirectory(counted, systemClock);
  const found = await times(100, () => directory.find(issued.value.token));
  expect(found.every((one) => one.type === "member" && one.member.user === "ann")).toBe(true);
  expect(reads).toBe(1);
});

it("W11 a look-up that fails or is late: what the last one said counts for less than 5 s, then the token is nobody's", async () => {
  const team = await newTeamDatabase();
  const wish = { name: "ann", tenant: "acme", user: "ann", scopes: ["read"], repositories: [] };
  const issued = await tokensOfTenant(team, "acme").issue(wish);
  if (!issued.ok) throw new Error(issued.error.what);
  let now = 0;
  const clock = { ...systemClock, monotonic: () => now };
  let answers = true;
  const late = (tenant: string): RowStore => {
    const rows = team.store(tenant);
    return {
      ...rows,
      read: async (unit, options) => {
        if (answers) return rows.read(unit, options);
        now += 2000; // as long as anybody waits
        return fail(faultAt("store_unavailable", "here", "it did not answer in time"));
      },
    };
  };
  const directory = new MemberDirectory(late, clock);
  const find = () => directory.find(issued.value.token);
  expect(await find()).toMatchObject({ type: "member" });
  answers = false;
  now = 2100;
  expect(await find()).toMatchObject({ type: "member", member: { user: "ann" } });
  expect(now).toBeLessThan(5000);
  expect(await find()).toMatchObject({ type: "unavailable", last: { user: "ann" } });
  now = 16 * 60_000;
  expect(await find()).toEqual({ type: "unavailable", last: undefined });
});

it("W17 W9 while a prompt is made those who ask after a write wait for the next one, and share it", async () => {
  const cache = new PromptCache(systemClock);
  const made: ((prompt: string) => void)[] = [];
  const begun = async (n: number): Promise<void> => {
    while (made.length < n) await new Promise(setImmediate);
  };
  const ask = async (generation: number): Promise<string | null> => {
    const outcome = await cache.get("ann", generation, async () => {
      const prompt = await new Promise<string>((resolve) => made.push(resolve));
      const counts = { eligible: 0, shown: 0 };
      const answer = { enabled: true, prompt, ids: [], counts, stale: [], storeInstructions: "", tools: {} };
      return { type: "prompted", answer } as unknown as Awaited<ReturnType<typeof cache.get>>;
    });
    return outcome.type === "prompted" ? outcome.answer.prompt : null;
  };
  const first = ask(1);
  await begun(1);
  const later = Promise.all([ask(2), ask(2), ask(3)]);
  await new Promise(setImmediate);
  expect(made).toHaveLength(1);
  made[0]?.("old");
  expect(await first).toBe("old");
  await begun(2);
  made[1]?.("new");
  expect(await later).toEqual(["new", "new", "new"]);
  expect(await ask(3)).toBe("new");
  expect(made).toHaveLength(2);
});

it("W17 a line for connections that moves is waited in, however long one wait may be", async () => {
  const pool = await ServerPool.open(await sharedServer().newUrl(), { size: 1, connectMs: 2000 });
  onTestFinished(() => pool.close());
  const served = await times(6, () => pool.connected((client) => client.query("SELECT pg_sleep(0.6)")));
  expect(served.map((one) => (one.ok ? "served" : one.error.what))).toEqual(Array(6).fill("served"));
});

it("W11 W17 a look-up of a token waits behind nobody but those who have the connections", async () => {
  const opened = await openTeamDatabase(await sharedServer().newUrl(), { size: 1 });
  if (!opened.ok) throw new Error(opened.error.what);
  const team = opened.value;
  onTestFinished(() => team.close());
  const served: string[] = [];
  const waiting = await team.pool.connected(async () => {
    const others = times(3, (n) => team.pool.connected(async () => served.push(`other ${n}`)));
    const directory = new MemberDirectory((tenant) => team.store(tenant), systemClock);
    const look = directory.find(`evl.acme.${"x".repeat(43)}`).then(({ type }) => served.push(type));
    return { all: Promise.all([others, look]) };
  });
  if (waiting.ok) await waiting.value.all;
  expect(served).toEqual(["unknown", "other 0", "other 1", "other 2"]);
});

it("W17 W4 a connection that cannot be made while another works keeps nobody from that one", async () => {
  const url = await sharedServer().newUrl();
  const proxy = await startChaosProxy(url.replace("postgres:", "http:"), (n) => ({
    mode: n === 0 ? "pass" : "blackhole",
  }));
  onTestFinished(() => proxy.close());
  const near = url.replace(/:\d+\//, `:${new URL(proxy.url).port}/`);
  const pool = await ServerPool.open(near, { size: 2, connectMs: 2000 });
  onTestFinished(() => pool.close());
  const ask = () => pool.connected(async (client) => (await client.query("SELECT 1 AS one")).rows);
  let second: ReturnType<typeof ask> | undefined;
  const first = await pool.connected(async (client) => {
    second = ask();
    return (await client.query("SELECT 1 AS one")).rows;
  });
  const served = { ok: true, value: [{ one: 1 }] };
  expect(first).toEqual(served);
  expect(await second).toEqual(served);
  expect(proxy.connections()).toBe(2);
  expect(await ask()).toEqual(served);
});
