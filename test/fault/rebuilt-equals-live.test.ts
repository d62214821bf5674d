// PI4, M14, P32: what is rebuilt from the journal equals what was live, and deleted text is gone from both.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { putItem, readItem, removeItem } from "../../src/memory/board/store.ts";
import type { RecordDraft, Strategy } from "../../src/memory/record/contract.ts";
import { newMemoryId } from "../../src/memory/record/id.ts";
import type { FilteredText } from "../../src/memory/secret/filter.ts";
import { embeddedStore } from "../../src/store/embedded-store.ts";
import { openJournal } from "../../src/store/journal/journal.ts";
import { journalText, rowsOf } from "../../src/store/journal/journal-fixture.ts";
import { storeJournal } from "../../src/store/journal/tables.ts";
import type { Database } from "../../src/store/sqlite.ts";
import { embeddedOver, here, openMemories, signal, user } from "../memory/record-fixture.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "everlong-pi4-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function openOn(home: string, segmentBytes = 6000): Promise<Database> {
  const db = await openMemories();
  db.exec("PRAGMA foreign_keys = ON");
  const folder = join(home, "journal");
  const opened = await openJournal(db, {
    folder,
    quarantine: join(home, "quarantine"),
    tables: storeJournal,
    segmentBytes,
  });
  if (!opened.ok) throw new Error(opened.error.what);
  return db;
}

const clean = (text: string): FilteredText => text as FilteredText;
const draft = (n: number, extra: string): RecordDraft => ({
  id: newMemoryId(),
  subject: clean(`subject ${n}`),
  fact: clean(`fact ${n} "${extra}" \u2028 end`),
  reason: clean(`reason of ${n}`),
  citations: Array.from(
    { length: n % 3 },
    (_, i) => ({ raw: clean(`src/${n}-${i}.ts`), kind: "file", state: "unchecked" }) as const,
  ),
  scope: n % 2 === 0 ? "user" : "repository",
  place: here,
  source: { client: "test", origins: [], trust: 1 },
  author: user,
  status: n % 5 === 0 ? "pending" : "active",
  revive: true,
});

type Op = { kind: string; n: number; text: string };
const op = fc.record({
  kind: fc.constantFrom("store", "store", "edit", "vote", "delete", "accept", "put", "put", "remove", "read", "prompt"),
  n: fc.nat({ max: 7 }),
  text: fc.string({ maxLength: 30, unit: "grapheme" }),
});

async function perform(
  db: Database,
  strategy: Strategy,
  ids: Map<number, string>,
  { kind, n, text }: Op,
): Promise<void> {
  const id = ids.get(n) ?? "";
  const place = { repository: "acme/app", branch: "main" };
  const at = "2026-01-01T00:00:00.000Z";
  const writer = { actor: "user", source: {} } as const;
  if (kind === "store") {
    const made = draft(n, "");
    const done = await strategy.store(made, signal);
    if (done.type === "stored") ids.set(n, done.record.id);
  }
  if (kind === "edit") await strategy.edit(id, { fact: clean(`edited ${n} ${text}`) }, { actor: user }, signal);
  if (kind === "vote")
    await strategy.vote(
      {
        id,
        fact: clean(""),
        place: here,
        direction: "upvote",
        reason: clean(text),
        actor: { key: "user:local", kind: "user" },
      },
      signal,
    );
  if (kind === "delete") await strategy.delete(id, { actor: user }, signal);
  if (kind === "accept") await strategy.resolve(id, { how: "accept" }, { actor: user }, signal);
  if (kind === "put")
    await putItem(
      embeddedStore(db),
      place,
      { src: "user", text: { name: clean(`item${n}`), description: clean("d"), content: clean(text) }, at },
      writer,
    );
  if (kind === "remove") await removeItem(embeddedStore(db), place, { src: "user", name: `item${n}`, at }, writer);
  if (kind === "read") await readItem(embeddedStore(db), place, { src: "user", name: `item${n}`, at });
  if (kind === "prompt") await strategy.list({ place: here, limit: 10 }, signal);
}

it("PI4 MI8 after any changes of memories and boards, the rebuilt store equals the live one", async () => {
  let rows = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(op, { minLength: 5, maxLength: 40 }), async (ops) => {
      const home = newFolder();
      const db = await openOn(home);
      const strategy = embeddedOver(db);
      const ids = new Map<number, string>();
      for (const one of ops) await perform(db, strategy, ids, one);
      const live = rowsOf(db);
      rows += Object.values(live).flat().length;
      db.close();
      const rebuilt = await openOn(home);
      expect(rowsOf(rebuilt)).toEqual(live);
      expect(rebuilt.prepare("PRAGMA foreign_key_check").all()).toEqual([]);
      rebuilt.close();
    }),
    { numRuns: 40 },
  );
  expect(rows).toBeGreaterThan(300);
});

it("M14 P32 a deleted record's text is gone from every journal line, and only its text", async () => {
  const home = newFolder();
  const db = await openOn(home);
  const strategy = embeddedOver(db);
  const secret = draft(11, "the crown jewels");
  const other = { ...draft(4, "plain") };
  for (const one of [secret, other]) expect((await strategy.store(one, signal)).type).toBe("stored");
  await strategy.edit(
    secret.id,
    { fact: clean("the jewels are in the tower"), citations: [] },
    { actor: user },
    signal,
  );
  await strategy.vote(
    {
      id: secret.id,
      fact: clean(""),
      place: here,
      direction: "upvote",
      reason: clean("jewels matter"),
      actor: { key: "user:local", kind: "user" },
    },
    signal,
  );
  const place = { store: "", journal: join(home, "journal"), quarantine: "", locks: "" };
  const before = journalText(place);
  expect(before.match(/jewels/g)?.length).toBeGreaterThan(4);
  expect((await strategy.delete(secret.id, { actor: user }, signal)).type).toBe("deleted");
  const after = journalText(place);
  expect(after).not.toMatch(/jewels|src\/11-|reason of 11|subject 11/);
  expect(after).toContain("fact 4");
  expect(Buffer.byteLength(after.slice(0, after.indexOf('"erase"')))).toBeGreaterThan(Buffer.byteLength(before) - 200);
  const live = rowsOf(db);
  db.close();
  const rebuilt = await openOn(home);
  expect(rowsOf(rebuilt)).toEqual(live);
  rebuilt.close();
});

it("PI4 T4 the check can fail: a change that the journal does not see makes the rebuilt store differ", async () => {
  const home = newFolder();
  const db = await openOn(home);
  await embeddedOver(db).store(draft(1, ""), signal);
  db.exec("DROP TRIGGER journal_UPDATE_memories");
  db.exec("UPDATE memories SET fact = 'unseen'");
  const live = rowsOf(db);
  db.close();
  const rebuilt = await openOn(home);
  expect(rowsOf(rebuilt)).not.toEqual(live);
  rebuilt.close();
});
