import {
  closeSync,
  cpSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { eraseFromJournal } from "../journal/journal.ts";
import { addMemory, journalText, memoryIds, newHome, openHome, rowsOf } from "../journal/journal-fixture.ts";
import { segmentPath, segmentsIn } from "../journal/segment.ts";
import { rebuildStore } from "../open-store.ts";
import { write } from "../sqlite.ts";
import { quickCheck } from "./look.ts";
import { rebuiltText } from "./rebuilt-text.ts";

it("OP3 rows that stand only in the old file are copied and marked, and what is lost is told by name and count", async () => {
  const place = newHome();
  const { db } = await openHome(place);
  await addMemory(db, "a");
  await write(db, () => {
    const insert = db.prepare("INSERT INTO proxy_total VALUES (0, ?, 'requests', 7)");
    for (let n = 0; n < 600; n++) insert.run(`model ${String(n).padStart(4, "0")} ${"x".repeat(40)}`);
    db.exec("INSERT INTO token_calibration VALUES ('openai', 'm', 1.1, 3)");
  });
  db.close();
  const whole = await rebuildStore(place, "it was asked for");
  expect(whole).toMatchObject({ ok: true, value: { rows: 2, isJournalWhole: true } });
  const first = await openHome(place);
  expect(memoryIds(first.db)).toEqual(["a"]);
  expect(first.db.prepare("SELECT count(*) AS n FROM proxy_total").get()).toEqual({ n: 600 });
  expect(first.db.prepare("SELECT table_name, count(*) AS n FROM salvaged GROUP BY 1 ORDER BY 1").all()).toEqual([
    { table_name: "proxy_total", n: 600 },
    { table_name: "token_calibration", n: 1 },
  ]);
  const root = Number(
    first.db.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'proxy_total'").get()?.["rootpage"],
  );
  first.db.close();
  // The tree's root is gone: nothing of the table can be read, or counted.
  overwrite(place.store, (root - 1) * 4096);
  const damaged = new DatabaseSync(place.store, { readOnly: true });
  expect(quickCheck(damaged)).toEqual(expect.any(String));
  damaged.close();
  const rebuilt = await rebuildStore(place, "a page is damaged");
  if (!rebuilt.ok) throw new Error(rebuilt.error.what);
  expect(rebuilt.value.salvaged.find(({ table }) => table === "proxy_total")).toMatchObject({ copied: 0 });
  expect(rebuiltText(rebuilt.value)).toMatch(/Lost: an unknown number of gateway totals\./);
  const second = await openHome(place);
  expect(memoryIds(second.db)).toEqual(["a"]);
  expect(second.db.prepare("SELECT factor FROM token_calibration").all()).toEqual([{ factor: 1.1 }]);
  second.db.close();
});

it("OP3 journal and store.db both lost something: what can be read of the old rows comes back, marked, and into the journal", async () => {
  const place = newHome();
  const { db } = await openHome(place);
  for (const id of ["a", "b"]) await addMemory(db, id);
  db.close();
  rmSync(place.journal, { recursive: true });
  const rebuilt = await rebuildStore(place, "it was asked for");
  expect(rebuilt).toMatchObject({ ok: true, value: { isJournalWhole: false } });
  const again = await openHome(place);
  expect(memoryIds(again.db)).toEqual(["a", "b"]);
  expect(again.db.prepare("SELECT row_key FROM salvaged WHERE table_name = 'memories'").all()).toHaveLength(2);
  expect(again.db.prepare("SELECT count(*) AS n FROM memory_text").get()).toEqual({ n: 2 });
  again.db.close();
  expect(journalText(place)).toContain("fact of b");
});

it("OP3 N13 a store.db that is gone: what nothing else has is named, since nobody can count it", async () => {
  const place = newHome();
  const { db } = await openHome(place);
  await addMemory(db, "a");
  db.close();
  for (const end of ["", "-wal", "-shm"]) rmSync(place.store + end, { force: true });
  const { db: again, rebuilt } = await openHome(place);
  again.close();
  if (!rebuilt) throw new Error("it was not rebuilt");
  expect(rebuiltText(rebuilt)).toMatch(
    /No other copy of gateway request records, .* exists: if there were any, they are lost\./,
  );
});

it("N13 OP3 the journal cut at the end of a line, and the store damaged too: what only the old file has comes back, by name and count", async () => {
  const place = newHome();
  const { db } = await openHome(place);
  for (const id of ["a", "b", "c"]) await addMemory(db, id);
  db.close();
  const [segment = 0] = segmentsIn(place.journal);
  const path = segmentPath(place.journal, segment);
  const lines = readFileSync(path, "utf8").split("\n");
  writeFileSync(path, `${lines.slice(0, -2).join("\n")}\n`);
  const rebuilt = await rebuildStore(place, "a page is damaged");
  if (!rebuilt.ok) throw new Error(rebuilt.error.what);
  expect(rebuilt.value).toMatchObject({ isJournalWhole: false, isJournalBehind: true });
  expect(rebuiltText(rebuilt.value)).toMatch(
    /the old file had changes that it does not have.*only the old file had these rows: .*1 of memories/,
  );
  const again = await openHome(place);
  expect(memoryIds(again.db)).toEqual(["a", "b", "c"]);
  again.db.close();
});

it.each([1, 3])(
  "N13 OP2 a store.db of a copy that went on elsewhere, %i changes: both sides' memories stay, and it is told",
  async (changes) => {
    const [here, there] = [newHome(), newHome()];
    const first = await openHome(here);
    await addMemory(first.db, "both");
    first.db.close();
    rmSync(there.home, { recursive: true });
    cpSync(here.home, there.home, { recursive: true });
    const ours = await openHome(here);
    for (const id of ["ours 1", "ours 2"]) await addMemory(ours.db, id);
    ours.db.close();
    const theirs = await openHome(there);
    for (let n = 0; n < changes; n++) await addMemory(theirs.db, `theirs ${n}`);
    theirs.db.close();
    for (const end of ["-wal", "-shm"]) rmSync(here.store + end, { force: true });
    cpSync(there.store, here.store);
    const { db, rebuilt } = await openHome(here);
    expect(new Set(memoryIds(db))).toEqual(
      new Set(["both", "ours 1", "ours 2", ...Array.from({ length: changes }, (_, n) => `theirs ${n}`)]),
    );
    db.close();
    if (!rebuilt) throw new Error("it was not rebuilt");
    expect(rebuiltText(rebuilt)).toMatch(/went on elsewhere.*only the old file had these rows: .*of memories/);
    const again = await openHome(here);
    expect(again.rebuilt).toBeUndefined();
    again.db.close();
  },
);

it("M14 P32 SEC16 a deleted memory leaves the old stores and torn journals in quarantine too; others stay there", async () => {
  const place = newHome();
  const { db } = await openHome(place);
  await addMemory(db, "mem_secret_plan");
  db.close();
  expect((await rebuildStore(place, "it was asked for")).ok).toBe(true);
  const torn = join(place.quarantine, "journal-1-100-abcdef01");
  writeFileSync(torn, '{"changes":[{"row":{"id":"mem_secret_plan"');
  const log = join(place.quarantine, "0199-events-7-abcdef01");
  writeFileSync(log, "the words of a session, mem_secret_plan");
  const again = await openHome(place);
  await addMemory(again.db, "mem_after_it");
  const remove = (id: string) =>
    write(again.db, () => {
      again.db.prepare("DELETE FROM memory_citations WHERE memory = ?").run(id);
      again.db.prepare("DELETE FROM memories WHERE id = ?").run(id);
      eraseFromJournal(again.db, { kind: "memory", id });
    });
  await remove("mem_after_it");
  expect(readdirSync(place.quarantine)).toHaveLength(3);
  await remove("mem_secret_plan");
  expect(readdirSync(place.quarantine)).toEqual([basename(log)]);
  again.db.close();
});

it("OP2 the log of another database beside store.db: everything is as before", async () => {
  const [place, other] = [newHome(), newHome()];
  const ours = await openHome(place);
  for (const id of ["a", "b"]) await addMemory(ours.db, id);
  const before = rowsOf(ours.db);
  ours.db.close();
  const theirs = await openHome(other);
  for (let n = 0; n < 30; n++) await addMemory(theirs.db, `theirs${n}`);
  cpSync(`${other.store}-wal`, `${place.store}-wal`);
  theirs.db.close();
  const again = await openHome(place);
  expect(rowsOf(again.db)).toEqual(before);
  again.db.close();
});

function overwrite(path: string, at: number): void {
  const fd = openSync(path, "r+");
  writeSync(fd, Buffer.alloc(4096, 0xff), 0, 4096, at);
  closeSync(fd);
  expect(statSync(path).size).toBeGreaterThan(at);
}
