// Statements that are sent one behind the other on PostgreSQL: whose error it is, what becomes of the rest, and how many rounds it takes.
import pg from "pg";
import { expect, it, onTestFinished, vi } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { errorCode } from "../../src/base/failure.ts";
import { ok } from "../../src/base/result.ts";
import { storedStrategy } from "../../src/memory/record/embedded/strategy.ts";
import { Exchange } from "../../src/store/postgres/exchange.ts";
import { newTeamDatabase, sharedServer } from "../../src/store/postgres/postgres-fixture.ts";
import { openTeamDatabase } from "../../src/store/postgres/team-database.ts";
import { allRows, changeCount, execute, oneRow, type RowStore, together, type Unit } from "../../src/store/unit.ts";
import { draft } from "../memory/strategy.conformance.ts";

const PUT = "INSERT INTO memory_idempotency (key, body_hash, status, answer, at) VALUES (?, 'h', ?, '{}', 'now')";
const put = (key: string, status: number | string = 201): Unit<void> => execute(PUT, key, status);
async function keysIn(store: RowStore): Promise<unknown[]> {
  const rows = await store.read(() => allRows("SELECT key FROM memory_idempotency ORDER BY key"));
  return rows.ok ? rows.value.map((row) => row["key"]) : [rows.error.code];
}
const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "done",
    (error: unknown) => errorCode(error),
  );
const ONE = "SELECT 1 AS n";
const BROKEN = "SELECT 1 / (SELECT 0)";
const DIVISION = "22012";
const ABORTED = "25P02";

/** A store whose every unit has the same connection, so that what one leaves behind meets the next. */
async function narrowStore(): Promise<RowStore> {
  const opened = await openTeamDatabase(await sharedServer().newUrl(), { size: 1 });
  if (!opened.ok) throw new Error(opened.error.what);
  onTestFinished(() => opened.value.close());
  return opened.value.store("acme");
}

it("WB3 a statement that fails in the middle: earlier answers came, its error is told where an answer is waited for, the rest has no effect", async () => {
  const store = await narrowStore();
  const heard: unknown[] = [];
  const failed = store.write(function* () {
    heard.push(yield* changeCount(PUT, "before", 201));
    yield* put("with it");
    yield* execute(BROKEN);
    yield* put("behind it");
    try {
      yield* oneRow("SELECT 1 AS n");
    } catch (error) {
      heard.push(errorCode(error));
    }
    try {
      yield* oneRow("SELECT 1 AS n");
    } catch (error) {
      heard.push(errorCode(error));
      throw error;
    }
  });
  expect(await codeOf(failed)).toBe(ABORTED);
  expect(heard).toEqual([1, DIVISION, ABORTED]);
  // The one connection is of use again, and nothing of it is there.
  expect(await keysIn(store)).toEqual([]);
  expect(await store.write(() => put("later"))).toMatchObject({ ok: true });
  expect(await keysIn(store)).toEqual(["later"]);
});

it("WB3 the last statement fails, and nobody waits for it: the commit takes back, and the caller hears why", async () => {
  const store = await narrowStore();
  const unit = function* (): Unit<string> {
    yield* put("before");
    yield* execute(BROKEN);
    return "written";
  };
  expect(await codeOf(store.write(unit))).toBe(DIVISION);
  expect(await codeOf(store.write(unit, { holds: true }))).toBe(DIVISION);
  expect(await keysIn(store)).toEqual([]);
});

it("WB3 a clash in the middle of what was sent is met as one: the unit runs again, and is written once", async () => {
  const store = await narrowStore();
  let runs = 0;
  const outcome = await store.write(function* () {
    runs++;
    yield* put("first");
    if (runs === 1) yield* put("first"); // the same key: as if another had written it
    yield* put("second");
    return yield* changeCount(PUT, "third", 201);
  });
  expect([outcome, runs]).toEqual([{ ok: true, value: 1 }, 2]);
  expect(await keysIn(store)).toEqual(["first", "second", "third"]);
});

it("WB3 of units together the one that failed says why, not those behind it", async () => {
  const store = await narrowStore();
  const broken = store.write(() => together(oneRow("SELECT 1 AS n"), put("a"), oneRow(BROKEN), put("b"), oneRow(ONE)));
  expect(await codeOf(broken)).toBe(DIVISION);
  const whole = await store.write(() => together(oneRow("SELECT 1 AS n"), put("a"), changeCount(PUT, "b", 201)));
  expect(whole).toEqual({ ok: true, value: [{ n: 1 }, undefined, 1] });
  expect(await keysIn(store)).toEqual(["a", "b"]);
});

it("W5 WB3 a statement whose transaction did not begin stands alone, and changes nothing of anybody", async () => {
  const { pool, store, url } = await newTeamDatabase();
  await store("acme").write(() => put("there"));
  const alone = (unit: Unit<unknown>) =>
    pool.connected(async (client) => {
      // From here on the connection knows the setting, as an empty text.
      await client.query("BEGIN; SET LOCAL everlong.tenant = 'acme'; COMMIT");
      const begun = client.query("BEGIN ISOLATION LEVEL NONSENSE");
      const exchange = new Exchange(client, begun);
      await exchange.perform(unit);
      return exchange.answer(client.query("COMMIT"));
    });
  const units = [
    put("alone"),
    changeCount("DELETE FROM memory_idempotency"),
    changeCount("UPDATE memory_idempotency SET status = 1"),
  ];
  for (const unit of units) expect(await codeOf(alone(unit))).toBe("42601");
  const rows = await sharedServer().ask(
    "SELECT tenant, key, status FROM everlong.memory_idempotency",
    new URL(url).pathname.slice(1),
  );
  expect(rows).toEqual([{ tenant: "acme", key: "there", status: "201" }]);
});

/** What is sent with nothing heard in between is one round; how many brought an answer: nobody waited for the others. */
async function roundsOf(work: () => Promise<unknown>): Promise<number> {
  const rounds: { isAnswered: boolean }[] = [];
  const latest = new Map<object, { isAnswered: boolean }>();
  const spy = vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    let round = latest.get(this);
    if (!round || round.isAnswered) {
      round = { isAnswered: false };
      latest.set(this, round);
      rounds.push(round);
    }
    const own = round;
    return (Reflect.apply(original, this, args) as Promise<unknown>).finally(() => {
      own.isAnswered = true;
    });
  });
  try {
    await work();
    return rounds.filter(({ isAnswered }) => isAnswered).length;
  } finally {
    spy.mockRestore();
  }
}
const original = pg.Client.prototype.query as (...args: unknown[]) => unknown;

it("W17 a memory is stored in four rounds, a row in two, and a question in one", async () => {
  const store = (await newTeamDatabase()).store("acme");
  const strategy = storedStrategy({
    ...{ open: async () => ok(store), hashKey: "k", user: "local", clock: systemClock, redact: (text: string) => text },
  });
  const { signal } = new AbortController();
  const here = { repository: "acme/app", user: "local" };
  const storing = (fact: string) => async () =>
    expect(await strategy.store(draft(here, fact), signal)).toMatchObject({ type: "stored" });
  await storing("the first one makes the place")();
  expect(await roundsOf(storing("tests run with npm test"))).toBe(4);
  expect(await roundsOf(() => store.write(() => put("a")))).toBe(2);
  expect(await roundsOf(() => store.read(() => oneRow(ONE)))).toBe(1);
});
