import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Clock } from "../base/clock.ts";
import { migrate } from "./migrate.ts";
import { type Database, openDatabase, write } from "./sqlite.ts";

const folder = mkdtempSync(join(tmpdir(), "everlong-sqlite-"));
let files = 0;
const newPath = () => join(folder, `${files++}`, "store.db");
const SQLITE = JSON.stringify(join(import.meta.dirname, "sqlite.ts"));

async function open(path: string): Promise<Database> {
  const opened = await openDatabase(path);
  if (!opened.ok) throw new Error(opened.error.what);
  return opened.value;
}
const run = (script: string, ...args: string[]) =>
  spawn(process.execPath, ["--input-type=module", "-e", script, ...args], { stdio: ["ignore", "ignore", "inherit"] });

describe("opening", () => {
  it("D8 SEC16 WAL, foreign keys, defensive mode, NORMAL, a busy wait of less than 25 ms, file 0600", async () => {
    const path = newPath();
    const db = await open(path);
    const pragma = (name: string) => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];
    expect(["journal_mode", "foreign_keys", "synchronous", "busy_timeout"].map(pragma)).toEqual(["wal", 1, 1, 10]);
    db.exec("CREATE TABLE t (a); PRAGMA writable_schema = ON");
    expect(() => db.exec("UPDATE sqlite_master SET sql = ''")).toThrow(/may not be modified/);
    expect(["", "-wal", "-shm"].map((end) => statSync(path + end).mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
    db.close();
  });

  it("says as a value that a file is no database", async () => {
    const path = join(folder, "noise.db");
    writeFileSync(
      path,
      "this is not a database, it is a text that is long enough to be looked at by SQLite".repeat(20),
    );
    expect(await openDatabase(path)).toMatchObject({ ok: false, error: { code: "store_corrupt" } });
  });

  it("silences the experimental warning of SQLite and no other", () => {
    const script = `import { sqlite } from ${SQLITE}; sqlite(); process.emitWarning("another", "ExperimentalWarning");`;
    const args = ["--input-type=module", "-e", `${script}`];
    const shell = execFileSync("bash", ["-c", '"$0" "$@" 2>&1', process.execPath, ...args], { encoding: "utf8" });
    expect(shell).toContain("another");
    expect(shell).not.toContain("SQLite");
  });
});

describe("writing", () => {
  it("P11 8 processes x 50 read-modify-writes of one row: exactly 400, no busy error", async () => {
    const path = newPath();
    const db = await open(path);
    db.exec("CREATE TABLE counter (n INTEGER); INSERT INTO counter VALUES (0)");
    const script = `import { openDatabase, write } from ${SQLITE};
      const opened = await openDatabase(process.argv[1]);
      if (!opened.ok) throw new Error(opened.error.what);
      for (let i = 0; i < 50; i++) {
        const done = await write(opened.value, (db) => {
          const { n } = db.prepare("SELECT n FROM counter").get();
          db.prepare("UPDATE counter SET n = ?").run(n + 1);
        });
        if (!done.ok) throw new Error(done.error.what);
      }`;
    const children = Array.from({ length: 8 }, () => run(script, path));
    const codes = await Promise.all(children.map(async (child) => (await once(child, "exit"))[0]));
    expect(codes).toEqual(Array(8).fill(0));
    expect(db.prepare("SELECT n FROM counter").get()).toEqual({ n: 400 });
    db.close();
  });

  it("D8 a foreign writer blocks the event loop for no more than one short wait at a time, and 5 s in total", async () => {
    const path = newPath();
    const [db, other] = [await open(path), await open(path)];
    db.exec("CREATE TABLE t (a)");
    other.exec("BEGIN IMMEDIATE");
    let now = 0;
    const waits: number[] = [];
    const clock: Clock = {
      now: () => "",
      monotonic: () => now,
      sleep: async (ms) => {
        waits.push(ms);
        now += ms + 25;
        return true;
      },
    };
    expect(await write(db, () => 1, { clock })).toMatchObject({ ok: false, error: { code: "store_busy" } });
    expect(now).toBeGreaterThanOrEqual(5000);
    expect(now).toBeLessThan(5200);
    expect(Math.max(...waits)).toBeLessThanOrEqual(150);
    const stop = AbortSignal.abort();
    expect(await write(db, () => 1, { signal: stop })).toMatchObject({ ok: false, error: { code: "store_busy" } });
    const later = write(db, (d) => d.prepare("INSERT INTO t VALUES (1)").run().changes);
    setTimeout(() => other.exec("COMMIT"), 80);
    expect(await later).toEqual({ ok: true, value: 1 });
    for (const d of [db, other]) d.close();
  });

  it("D8 what throws or waits inside is rolled back", async () => {
    const db = await open(newPath());
    db.exec("CREATE TABLE t (a)");
    const insert = () => db.exec("INSERT INTO t VALUES (1)");
    await expect(
      write(db, () => {
        insert();
        throw new Error("bug");
      }),
    ).rejects.toThrow("bug");
    await expect(write(db, async () => insert())).rejects.toThrow("must not wait");
    expect(db.isTransaction).toBe(false);
    expect(db.prepare("SELECT count(*) n FROM t").get()).toEqual({ n: 0 });
    db.close();
  });

  it("T2 OP1 a full database is a value, and writing goes on when there is room", async () => {
    const db = await open(newPath());
    db.exec("CREATE TABLE t (a); PRAGMA max_page_count = 4");
    const insert = () => write(db, (d) => d.prepare("INSERT INTO t VALUES (?)").run("x".repeat(50_000)));
    expect(await insert()).toMatchObject({ ok: false, error: { code: "store_full" } });
    db.exec("PRAGMA max_page_count = 1000");
    expect((await insert()).ok).toBe(true);
    db.close();
  });
});

describe("migrations", () => {
  it("A8.11 go forward only, each in one transaction; a newer schema is refused as a value", async () => {
    const path = newPath();
    const db = await open(path);
    const one = "CREATE TABLE a (x)";
    const two = "CREATE TABLE b (x); INSERT INTO b VALUES (1)";
    expect(await migrate(db, [one])).toEqual({ ok: true, value: { from: 0, to: 1 } });
    expect(await migrate(db, [one, two])).toEqual({ ok: true, value: { from: 1, to: 2 } });
    expect(await migrate(db, [one, two])).toEqual({ ok: true, value: { from: 2, to: 2 } });
    await expect(migrate(db, [one, two, "CREATE TABLE c (x); nonsense"])).rejects.toThrow();
    const tables = db
      .prepare("SELECT name FROM sqlite_master ORDER BY name")
      .all()
      .map((row) => row["name"]);
    expect(tables).toEqual(["a", "b"]);
    expect(await migrate(db, [one])).toMatchObject({
      ok: false,
      error: { code: "store_too_new", what: expect.stringMatching(/version 2.*knows 1/) },
    });
    db.close();
  });

  it("P11 several processes may migrate at once", async () => {
    const path = newPath();
    const script = `import { openDatabase } from ${SQLITE};
      import { migrate } from ${JSON.stringify(join(import.meta.dirname, "migrate.ts"))};
      const opened = await openDatabase(process.argv[1]);
      if (!opened.ok) throw new Error(opened.error.what);
      const done = await migrate(opened.value, ["CREATE TABLE a (x)", "INSERT INTO a VALUES (1)"]);
      if (!done.ok) throw new Error(done.error.what);`;
    const children = Array.from({ length: 5 }, () => run(script, path));
    expect(await Promise.all(children.map(async (child) => (await once(child, "exit"))[0]))).toEqual([0, 0, 0, 0, 0]);
    const db = await open(path);
    expect(db.prepare("SELECT count(*) n FROM a").get()).toEqual({ n: 1 });
    db.close();
  });
});
