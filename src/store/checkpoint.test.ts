import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { Checkpointer } from "./checkpoint.ts";
import { openDatabase } from "./sqlite.ts";

async function newTable() {
  const dir = mkdtempSync(join(tmpdir(), "everlong-checkpoint-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, "store.db");
  const opened = await openDatabase(path);
  if (!opened.ok) throw new Error(opened.error.what);
  const db = opened.value;
  db.exec("CREATE TABLE t (a TEXT)");
  const insert = db.prepare("INSERT INTO t VALUES (?)");
  return { path, db, insert };
}

it("X119 the log is moved into the database by a thread, while the writer goes on; commits do not do it", async () => {
  const { path, db, insert } = await newTable();
  const checkpointer = new Checkpointer(db, { lookMs: 20 });
  const write = (rows: number): void => {
    for (let n = 0; n < rows; n++) insert.run("x".repeat(4000));
  };
  write(1500); // far more than the thousand pages at which a commit would move them
  expect(statSync(path).size).toBeLessThan(100_000);
  await expect.poll(() => statSync(path).size).toBeGreaterThan(5_000_000);
  const before = statSync(path).size;
  write(500);
  await expect.poll(() => statSync(path).size).toBeGreaterThan(before);
  await checkpointer.close();
  expect(db.prepare("SELECT count(*) AS n FROM t").get()).toEqual({ n: 2000 });
  expect(db.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  db.close();
});

it("L10 while no thread moves it the log stays below 64 MiB", async () => {
  const { path, db, insert } = await newTable();
  const checkpointer = new Checkpointer(db, { lookMs: 3_600_000 });
  let most = 0;
  for (let commit = 0; commit < 50; commit++) {
    db.exec("BEGIN");
    for (let n = 0; n < 400; n++) insert.run("x".repeat(4000));
    db.exec("COMMIT");
    most = Math.max(most, statSync(`${path}-wal`).size);
  }
  expect(most).toBeGreaterThan(50 * 1024 * 1024);
  expect(most).toBeLessThanOrEqual(64 * 1024 * 1024);
  await checkpointer.close();
  db.close();
});
