import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStoreAt } from "../open-store.ts";
import { journalSchema } from "../schema/journal.ts";
import { type Database, sqlite, write } from "../sqlite.ts";
import { eraseFromJournal, type JournalOptions, openJournal } from "./journal.ts";
import { addMemory, type JournalHome, journalText, memoryIds, newHome, openHome, rowsOf } from "./journal-fixture.ts";
import { segmentPath } from "./segment.ts";
import { verifyJournal } from "./verify.ts";

const FILES = ["", "-wal", "-shm"];
const removeStore = (store: string): void => {
  for (const end of FILES) rmSync(store + end, { force: true, recursive: true });
};

/** A database without a file and with one small table. */
async function openThings(place: JournalHome, options: Partial<JournalOptions> = {}): Promise<Database> {
  const db = new (sqlite().DatabaseSync)(":memory:");
  db.exec(`${journalSchema}; CREATE TABLE things (id INTEGER PRIMARY KEY, text TEXT)`);
  const { journal: folder, quarantine } = place;
  const opened = await openJournal(db, { folder, quarantine, tables: { things: {} }, ...options });
  if (!opened.ok) throw new Error(opened.error.what);
  return db;
}
const thingsIn = (db: Database) =>
  db
    .prepare("SELECT id FROM things ORDER BY id")
    .all()
    .map((row) => row["id"]);

describe("the journal", () => {
  it("D3 each transaction is one line with its rows; a change outside write() throws", async () => {
    const place = newHome();
    const { db } = await openHome(place);
    await addMemory(db, "a");
    const lines = journalText(place)
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(2);
    expect(lines[1].changes.map(({ table, op }: { table: string; op: string }) => [table, op])).toEqual([
      ["memories", "put"],
      ["memory_citations", "put"],
    ]);
    expect(() => db.exec("DELETE FROM memories")).toThrow(/outside write/);
    const failed = write(db, () => {
      db.exec("DELETE FROM memories");
      throw new Error("no");
    });
    await expect(failed).rejects.toThrow("no");
    expect(memoryIds(db)).toEqual(["a"]);
    expect(journalText(place).trim().split("\n")).toHaveLength(2);
    db.close();
  });

  it("N13 OP2 AB23 whatever happens to store.db, its rows come back, and what happened is told", async () => {
    const place = newHome();
    const first = await openHome(place);
    for (const id of ["a", "b", "c"]) await addMemory(first.db, id);
    await write(first.db, () =>
      first.db.exec("DELETE FROM memory_text WHERE rowid = 2; DELETE FROM memories WHERE id = 'b'"),
    );
    const before = rowsOf(first.db);
    first.db.close();
    const old = readFileSync(place.store);
    const harms: Record<string, () => void> = {
      deleted: () => removeStore(place.store),
      "a folder": () => {
        removeStore(place.store);
        mkdirSync(place.store);
      },
      "an empty file": () => writeFileSync(place.store, ""),
      zeros: () => writeFileSync(place.store, Buffer.alloc(old.length)),
      garbage: () => writeFileSync(place.store, Buffer.alloc(old.length, "garbage ")),
      "its first half": () => truncateSync(place.store, 4096 * 3),
      "a pipe": () => {
        removeStore(place.store);
        execFileSync("mkfifo", [place.store]);
      },
      "a folder for its log": () => mkdirSync(`${place.store}-wal`),
    };
    for (const [name, harm] of Object.entries(harms)) {
      harm();
      const again = await openHome(place);
      expect([name, rowsOf(again.db)]).toEqual([name, before]);
      expect([name, again.rebuilt?.isJournalWhole]).toEqual([name, true]);
      expect(again.rebuilt?.quarantine === undefined).toBe(name === "deleted");
      again.db.close();
    }
    expect(readdirSync(place.quarantine)).toHaveLength(7);
  });

  it("D3 OP4 an older copy of store.db, or one without its log, gets what the journal has more", async () => {
    const place = newHome();
    const { db } = await openHome(place);
    await addMemory(db, "a");
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    copyFileSync(place.store, `${place.store}.old`);
    await addMemory(db, "b");
    await write(db, () =>
      db.exec(
        "UPDATE memories SET fact = 'changed' WHERE id = 'a'; UPDATE memory_text SET fact = 'changed' WHERE rowid = 1",
      ),
    );
    const before = rowsOf(db);
    db.close();
    removeStore(place.store);
    copyFileSync(`${place.store}.old`, place.store);
    const again = await openHome(place);
    expect(again.rebuilt).toBeUndefined();
    expect(rowsOf(again.db)).toEqual(before);
    again.db.close();
  });

  it("M14 D3 what was deleted stays deleted: after a rebuild the journal still says so to an older copy", async () => {
    const place = newHome();
    const { db } = await openHome(place);
    await addMemory(db, "a", "the secret fact");
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    copyFileSync(place.store, `${place.store}.old`);
    await write(db, () => {
      db.exec("DELETE FROM memory_text; DELETE FROM memory_citations");
      db.exec("UPDATE memories SET fact = '', status = 'deleted'");
      eraseFromJournal(db, { kind: "memory", id: "a" });
    });
    const before = rowsOf(db);
    db.close();
    expect(journalText(place)).not.toContain("the secret fact");
    for (const harm of [() => undefined, () => copyFileSync(`${place.store}.old`, place.store)]) {
      removeStore(place.store);
      harm();
      const again = await openHome(place);
      expect(rowsOf(again.db)).toEqual(before);
      again.db.close();
    }
  });

  it("OP2 OP3 a rebuild that ends before its new file is complete leaves the old one for the next", async () => {
    const place = newHome();
    const { db } = await openHome(place);
    await addMemory(db, "a");
    db.exec("INSERT INTO token_calibration VALUES ('here', 'model', 1.5, 9)");
    db.exec("UPDATE journal_state SET journal = 'of another home'");
    db.close();
    const failed = await openStoreAt(place, {
      onRebuilt: () => undefined,
      fill: async (made) => {
        const exec = made.exec.bind(made);
        made.exec = (sql) => {
          if (sql === "COMMIT") throw Object.assign(new Error("full"), { code: "ERR_SQLITE_ERROR", errcode: 13 });
          exec(sql);
        };
        return { ok: true, value: [] };
      },
    });
    expect(failed).toMatchObject({ ok: false, error: { code: "store_full" } });
    const again = await openHome(place);
    expect(again.rebuilt?.salvaged).toContainEqual({ table: "token_calibration", copied: 1 });
    expect(memoryIds(again.db)).toEqual(["a"]);
    again.db.close();
  });

  it("D3 what is no plain file in the journal's folder is passed over; a file in its place is a fault, not a crash", async () => {
    const place = newHome();
    const { db } = await openHome(place);
    await addMemory(db, "a");
    db.close();
    mkdirSync(segmentPath(place.journal, 2));
    symlinkSync("/etc/passwd", segmentPath(place.journal, 3));
    execFileSync("mkfifo", [segmentPath(place.journal, 4)]);
    const again = await openHome(place);
    expect(memoryIds(again.db)).toEqual(["a"]);
    again.db.close();
    rmSync(place.journal, { recursive: true });
    writeFileSync(place.journal, "");
    expect(await openStoreAt(place, { onRebuilt: () => undefined })).toMatchObject({ ok: false });
  });

  it("OP2 a store.db of another home is moved away", async () => {
    const [place, other] = [newHome(), newHome()];
    for (const [home, id] of [
      [place, "ours"],
      [other, "theirs"],
    ] as const) {
      const { db } = await openHome(home);
      await addMemory(db, id);
      db.close();
    }
    copyFileSync(other.store, place.store);
    const { db, rebuilt } = await openHome(place);
    expect(memoryIds(db)).toEqual(["ours"]);
    expect(rebuilt?.reason).toContain("another home");
    db.close();
  });

  it("N13 a store from before the journal, and a journal that is lost or cut, are written down anew", async () => {
    const place = newHome();
    const first = await openHome(place);
    await addMemory(first.db, "a");
    first.db.exec(
      "DELETE FROM journal_state; PRAGMA user_version = 5; DROP TABLE journal_state; DROP TABLE journal_erasure; DROP TABLE salvaged",
    );
    first.db.close();
    const harms = [
      () => rmSync(place.journal, { recursive: true }),
      () => truncateSync(segmentPath(place.journal, 1), 300),
      () => rmSync(segmentPath(place.journal, 2)),
    ];
    for (const harm of harms) {
      harm();
      const again = await openHome(place);
      expect(memoryIds(again.db)).toEqual(["a"]);
      again.db.close();
      removeStore(place.store);
      const rebuilt = await openHome(place);
      expect([memoryIds(rebuilt.db), rebuilt.rebuilt?.isJournalWhole]).toEqual([["a"], true]);
      rebuilt.db.close();
    }
  });

  it("D3 P3 the journal cut at any byte: every whole line comes back, none twice", async () => {
    const place = newHome();
    const db = await openThings(place);
    const ends: number[] = [];
    for (const id of [1, 2, 3]) {
      await write(db, () => db.prepare("INSERT INTO things VALUES (?, ?)").run(id, `thing ${id}`));
      ends.push(statSync(segmentPath(place.journal, 1)).size);
    }
    db.close();
    const bytes = readFileSync(segmentPath(place.journal, 1));
    for (let cut = (ends[0] ?? 0) - 3; cut <= bytes.length; cut++) {
      for (const name of readdirSync(place.journal)) rmSync(join(place.journal, name));
      writeFileSync(segmentPath(place.journal, 1), bytes.subarray(0, cut));
      const again = await openThings(place);
      // A line is whole with its last brace, with or without the newline.
      const whole = [1, 2, 3].filter((_, i) => (ends[i] ?? 0) - 1 <= cut);
      expect([cut, thingsIn(again)]).toEqual([cut, whole]);
      again.close();
    }
  });

  it("D3 a short write is cut back; a full disk leaves no half line", async () => {
    const place = newHome();
    let room = Number.POSITIVE_INFINITY;
    const io = {
      write: (fd: number, bytes: Buffer) => writeSync(fd, bytes, 0, Math.min(room, bytes.length)),
      truncate: truncateSync,
    };
    const db = await openThings(place, { io });
    const add = (id: number) => write(db, () => db.prepare("INSERT INTO things VALUES (?, 'thing')").run(id));
    await add(1);
    const before = journalText(place);
    room = 100;
    expect(await add(2)).toMatchObject({ ok: false, error: { code: "store_full" } });
    expect(journalText(place)).toBe(before);
    room = Number.POSITIVE_INFINITY;
    await add(2);
    expect(thingsIn(db)).toEqual([1, 2]);
    db.close();
    const again = await openThings(place);
    expect(thingsIn(again)).toEqual([1, 2]);
    again.close();
  });

  it("D3 a commit that fails: cut back while the transaction is open, else the database's own offset decides", async () => {
    const place = newHome();
    const db = await openThings(place);
    const add = (id: number) => write(db, () => db.prepare("INSERT INTO things VALUES (?, 'thing')").run(id));
    await add(1);
    const exec = db.exec.bind(db);
    // A write that a full disk stopped is tried once more.
    const failing = (before: string, times = 2) => {
      let left = times;
      db.exec = (sql) => {
        if (sql === "COMMIT") {
          if (--left === 0) db.exec = exec;
          if (before !== "") exec(before);
          throw Object.assign(new Error("disk full"), { code: "ERR_SQLITE_ERROR", errcode: 13 });
        }
        exec(sql);
      };
    };
    const before = journalText(place);
    for (const ending of ["", "ROLLBACK"]) {
      failing(ending);
      expect([ending, await add(2)]).toMatchObject([ending, { ok: false, error: { code: "store_full" } }]);
      expect([ending, journalText(place)]).toEqual([ending, before]);
    }
    failing("COMMIT", 1);
    expect((await add(2)).ok).toBe(true);
    await add(3);
    expect(thingsIn(db)).toEqual([1, 2, 3]);
    db.close();
    const again = await openThings(place);
    expect(thingsIn(again)).toEqual([1, 2, 3]);
    again.close();
  });

  it("D3 P3 lines that a dead writer left behind are applied before the next change; damaged ones are passed over", async () => {
    const place = newHome();
    const db = await openThings(place);
    const add = (id: number) => write(db, () => db.prepare("INSERT INTO things VALUES (?, 'thing')").run(id));
    await add(1);
    const path = segmentPath(place.journal, 1);
    const line = (id: number) =>
      `${JSON.stringify({ id: `x${id}`, at: "", changes: [{ table: "things", op: "put", row: { id, text: "left" } }] })}\n`;
    writeFileSync(path, `${line(5)}half a li\n${line(6)}{"id":"torn","chan`, { flag: "a" });
    expect((await add(7)).ok).toBe(true);
    expect(thingsIn(db)).toEqual([1, 5, 6, 7]);
    expect(readdirSync(place.quarantine)).toHaveLength(1);
    db.close();
    const again = await openThings(place);
    expect(thingsIn(again)).toEqual([1, 5, 6, 7]);
    again.close();
    const report = await verifyJournal(place.journal);
    expect(report).toMatchObject({ isWhole: false, segments: [{ segment: 1, damaged: [{ bytes: 9 }] }] });
  });

  it("D3 segments roll, and all of them are read", async () => {
    const place = newHome();
    const db = await openThings(place, { segmentBytes: 500 });
    for (let id = 1; id <= 20; id++)
      await write(db, () => db.prepare("INSERT INTO things VALUES (?, 'thing')").run(id));
    db.close();
    expect((await verifyJournal(place.journal)).segments.length).toBeGreaterThan(4);
    const again = await openThings(place);
    expect(thingsIn(again)).toHaveLength(20);
    again.close();
  });

  it("D3 M147 P11 several processes write to one home: every change is in the journal once", async () => {
    const place = newHome();
    (await openHome(place)).db.close();
    const script = `import { openHome, addMemory } from ${JSON.stringify(join(import.meta.dirname, "journal-fixture.ts"))};
      const { db } = await openHome(JSON.parse(process.argv[1]));
      for (let n = 0; n < 20; n++) await addMemory(db, process.argv[2] + n);`;
    const writers = ["a", "b", "c", "d"].map((name) =>
      spawn(process.execPath, ["--input-type=module", "-e", script, JSON.stringify(place), name], { stdio: "inherit" }),
    );
    expect(await Promise.all(writers.map(async (child) => (await once(child, "exit"))[0]))).toEqual([0, 0, 0, 0]);
    const { db } = await openHome(place);
    const live = rowsOf(db);
    expect(live["memories"]).toHaveLength(80);
    db.close();
    removeStore(place.store);
    const again = await openHome(place);
    expect(rowsOf(again.db)).toEqual(live);
    again.db.close();
  });
});
