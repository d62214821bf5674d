// WB3: a bad network between a node and its database: every wait ends, and what was said to be written is there once.
import { expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { sharedServer } from "../../src/store/postgres/postgres-fixture.ts";
import { openTeamDatabase, type TeamDatabase } from "../../src/store/postgres/team-database.ts";
import { allRows, execute, type RowStore } from "../../src/store/unit.ts";
import { type Chaos, startChaosProxy } from "../tool/chaos-proxy.ts";
import { seededRandom } from "../tool/random.ts";
import { soakCount } from "../tool/soak.ts";

/** Time can be moved on: whoever waits before the next try has waited long enough. */
let ahead = 0;
const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + ahead };

async function opened(url: string): Promise<TeamDatabase> {
  const team = await openTeamDatabase(url, { answerMs: 700, connectMs: 2000, size: 4, clock });
  if (!team.ok) throw new Error(team.error.what);
  onTestFinished(() => team.value.close());
  return team.value;
}

/** A database, a way to it that follows `rule`, and the same database without it. */
async function behind(rule: (connection: number) => Chaos) {
  const url = await sharedServer().newUrl();
  const near = await opened(url); // it makes the tables
  const proxy = await startChaosProxy(url.replace("postgres:", "http:"), rule);
  onTestFinished(() => proxy.close());
  const { port } = new URL(proxy.url);
  const far = await opened(url.replace(/:\d+\//, `:${port}/`));
  return { near: near.store("acme"), far: far.store("acme"), connections: proxy.connections };
}

/** A keyed row, as a request with an idempotency key makes one; not made a second time. */
const put = (store: RowStore, key: string) =>
  store.write(
    () =>
      execute(
        "INSERT INTO memory_idempotency (key, body_hash, status, answer, at) VALUES (?, 'h', 201, '{}', 'now')",
        key,
      ),
    { holds: true },
  );
async function keysIn(store: RowStore): Promise<string[]> {
  const rows = await store.read(() => allRows("SELECT key FROM memory_idempotency ORDER BY key"));
  if (!rows.ok) throw new Error(rows.error.what);
  return rows.value.map((row) => String(row["key"]));
}

it("WB3 slow, and in slices: it takes its time, and works", async () => {
  const { near, far } = await behind((n) => (n % 2 === 0 ? { mode: "latency", ms: 30 } : { mode: "slice", bytes: 1 }));
  const outcomes = await Promise.all(["a", "b", "c", "d"].map((key) => put(far, key)));
  expect(outcomes.every(({ ok }) => ok)).toBe(true);
  expect(await keysIn(near)).toEqual(["a", "b", "c", "d"]);
});

for (const mode of ["reset-after", "half-close-after", "swallow-after"] as const)
  it(`WB3 T3 OP16 ${mode}, wherever in a transaction: what was acknowledged is there once, what failed for certain is not`, async () => {
    const { random } = seededRandom(`WB3 ${mode}`);
    // The first connections open the database; those after them break after so many bytes of answers.
    let isCalm = true;
    const { near, far } = await behind(() =>
      isCalm
        ? { mode: "reset-after", cut: () => (isCalm ? undefined : 0) }
        : { mode, cut: 500 + Math.floor(random() * 600) },
    );
    isCalm = false;
    const fates = new Map<string, string>();
    for (let i = 0; i < soakCount(24, 300); i++) {
      ahead += 10_000;
      const outcome = await put(far, `key-${i}`);
      fates.set(`key-${i}`, outcome.ok ? "written" : outcome.error.code);
    }
    const there = await keysIn(near);
    expect(new Set(there).size).toBe(there.length);
    for (const [key, fate] of fates) {
      if (fate === "written") expect([key, there.includes(key)]).toEqual([key, true]);
      if (fate === "store_unavailable") expect([key, there.includes(key)]).toEqual([key, false]);
    }
    // It was a bad network: some got through, some did not.
    expect(new Set(fates.values()).size).toBeGreaterThan(1);
    expect([...fates.values()].filter((fate) => !/^(written|store_unavailable|store_unsettled)$/.test(fate))).toEqual(
      [],
    );
  });

it("WB3 a server that takes everything and answers nothing: the wait ends, and nobody else is held up for long", async () => {
  let isDead = false;
  const { near, far } = await behind(() =>
    isDead ? { mode: "blackhole" } : { mode: "swallow-after", cut: () => (isDead ? 0 : undefined) },
  );
  expect(await put(far, "before")).toMatchObject({ ok: true });
  isDead = true;
  expect(await put(far, "during")).toMatchObject({ ok: false });
  // While it cannot be reached callers are told so at once.
  expect(await put(far, "at once")).toMatchObject({ ok: false, error: { code: "store_unavailable" } });
  expect(await keysIn(near)).toEqual(["before"]);
});
