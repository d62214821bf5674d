// Writes that share a transaction: none is lost, none takes another with it, their order stays.
import { afterEach, beforeEach, expect, it } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { embeddedStore } from "../../store/embedded-store.ts";
import { type Database, sqlite } from "../../store/sqlite.ts";
import { oneRow, type Unit } from "../../store/unit.ts";
import { GroupCommit } from "./group-commit.ts";

let db: Database;
beforeEach(() => {
  db = new (sqlite().DatabaseSync)(":memory:");
  db.exec("CREATE TABLE row (n INTEGER UNIQUE)");
});
afterEach(() => db.close());

const insert = (n: number) =>
  function* (): Unit<number> {
    return Number((yield* oneRow("INSERT INTO row VALUES (?) RETURNING rowid AS no", n))?.["no"]);
  };
const rows = (): unknown[] =>
  db
    .prepare("SELECT n FROM row ORDER BY rowid")
    .all()
    .map(({ n }) => n);

it("N33 X118 what comes together is one transaction, in its order, each with its own outcome", async () => {
  const group = new GroupCommit(embeddedStore(db), systemClock);
  const outcomes = await Promise.all([3, 1, 2].map((n) => group.add(insert(n))));
  expect(outcomes).toEqual([1, 2, 3].map((value) => ({ ok: true, value })));
  expect([rows(), group.transactions]).toEqual([[3, 1, 2], 1]);
});

it("N33 a write that fails leaves the others as they are", async () => {
  const group = new GroupCommit(embeddedStore(db), systemClock);
  const broken = (): never => {
    throw new Error("a bug");
  };
  const settled = await Promise.allSettled([
    group.add(insert(1)),
    group.add(broken),
    group.add(insert(1)),
    group.add(insert(2)),
  ]);
  expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", expect.any(String), "fulfilled"]);
  expect(rows()).toEqual([1, 2]);
});

it("N33 patient work goes along with what comes next, or with whoever wants to read", async () => {
  const group = new GroupCommit(embeddedStore(db), systemClock);
  const patient = group.add(insert(1), true);
  const next = group.add(insert(2));
  await Promise.all([patient, next]);
  expect(group.transactions).toBe(1);
  const late = group.add(insert(3), true);
  expect(rows()).toEqual([1, 2]);
  await group.settled();
  expect(rows()).toEqual([1, 2, 3]);
  await late;
});

it("N33 whoever reads waits for work that a full transaction has put back", async () => {
  const group = new GroupCommit(embeddedStore(db), systemClock);
  const slow = (n: number) =>
    function* (): Unit<number> {
      for (const end = performance.now() + 10; performance.now() < end; );
      return yield* insert(n)();
    };
  const jobs = [1, 2, 3, 4, 5, 6].map((n) => group.add(slow(n)));
  await new Promise((resolve) => setImmediate(resolve));
  await group.settled();
  expect(rows()).toEqual([1, 2, 3, 4, 5, 6]);
  await Promise.all(jobs);
});
