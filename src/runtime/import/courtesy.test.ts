// An import beside others: it takes large steps alone, small ones with pauses while somebody else writes.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { ImportCourtesy } from "./courtesy.ts";

it("IM7 alone it writes large batches without a pause; beside another writer it leaves the store free for most of the time", async () => {
  const folder = mkdtempSync(join(tmpdir(), "everlong-courtesy-"));
  const [db, other] = [1, 2].map(() => new DatabaseSync(join(folder, "store.db"))) as [DatabaseSync, DatabaseSync];
  onTestFinished(() => {
    for (const one of [db, other]) one.close();
    rmSync(folder, { recursive: true });
  });
  db.exec("PRAGMA journal_mode = WAL; CREATE TABLE t (n)");
  let now = 0;
  const sleeps: number[] = [];
  const clock = {
    now: () => "",
    monotonic: () => now,
    sleep: async (ms: number) => {
      sleeps.push(ms);
      now += ms;
      return true;
    },
  };
  const courtesy = new ImportCourtesy(db, new AbortController().signal, clock);
  const alone = courtesy.batch;
  /** A transaction of ours that takes 10 ms. */
  const write = () =>
    courtesy.after(async () => {
      db.exec("INSERT INTO t VALUES (1)");
      now += 10;
    });
  for (let n = 0; n < 5; n++) await write();
  expect(sleeps).toEqual([]);
  other.exec("INSERT INTO t VALUES (2)");
  await write();
  expect(courtesy.batch.events).toBeLessThan(alone.events / 10);
  await write();
  expect(sleeps).toEqual([190, 190]);
  // Whoever wrote a minute ago is not waited for any more.
  now += 60_000;
  await write();
  expect(sleeps).toHaveLength(2);
  expect(courtesy.batch).toEqual(alone);
});
