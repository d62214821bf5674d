import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { noteOf } from "../../memory/recall/store/note.ts";
import { RecallWriter } from "../../memory/recall/store/write.ts";
import { openJournal } from "../../store/journal/journal.ts";
import { storeJournal } from "../../store/journal/tables.ts";
import { migrate } from "../../store/migrate.ts";
import { storeMigrations } from "../../store/migrations.ts";
import { type Database, sqlite } from "../../store/sqlite.ts";
import { dropItems } from "../remember/events.ts";
import { deleteSession } from "./delete.ts";
import { restoreProxied } from "./restore.ts";
import { caller, history, indexOn, openPlace, rememberIn, request, seeable, value } from "./store-fixture.ts";

const SAID = ["u:the heron", "c:one", "r:one", "a:done", "u:more", "c:two", "r:two"];

async function emptyStore(journal?: string): Promise<Database> {
  const db = new (sqlite().DatabaseSync)(":memory:", { enableForeignKeyConstraints: true });
  value(await migrate(db, storeMigrations));
  if (journal) value(await openJournal(db, { folder: journal, quarantine: `${journal}-q`, tables: storeJournal }));
  return db;
}

const rowsOf = (db: Database, table: string) =>
  db
    .prepare(`SELECT * FROM ${table} ORDER BY 1, 2`)
    .all()
    .map((row) => ({ ...row }));

/** A session whose first items have left its requests. */
async function stage() {
  const place = await openPlace();
  onTestFinished(() => place.remove());
  const journal = join(place.home, "journal");
  value(
    await openJournal(place.db, { folder: journal, quarantine: join(place.home, "quarantine"), tables: storeJournal }),
  );
  const items = history(...SAID);
  const went = await request(place.store, caller("k"), items);
  const remember = rememberIn(place);
  value(await remember.ensure(went.session, went.lane.id, items.flatMap(seeable)));
  await remember.close();
  const gone = items.slice(0, 3).flatMap(({ own }) => own ?? []);
  value(await dropItems(place.store, went.session, went.lane.id, gone, "proxy"));
  return { ...place, ...went, journal };
}

it("N13 PI4 proxied sessions and items come back from journal and folders as they were; the index is to be filled", async () => {
  const { db, home, journal } = await stage();
  const again = await emptyStore(journal);
  expect(value(await restoreProxied(again, join(home, "proxy")))).toEqual({ sessions: 1, items: 0 });
  expect(rowsOf(again, "proxy_item")).toEqual(rowsOf(db, "proxy_item"));
  expect(rowsOf(again, "proxy_member")).toEqual(rowsOf(db, "proxy_member"));
  // What moves with every request is counted again.
  const lasting = (rows: Record<string, unknown>[]) => rows.map(({ used_at: _used, logged: _logged, ...rest }) => rest);
  expect(lasting(rowsOf(again, "proxy_session"))).toEqual(lasting(rowsOf(db, "proxy_session")));
  expect(noteOf(again, "rebuild")).toBe("begun");
  again.close();
});

it("N13 OP3 without a journal, what left the requests comes back from the folders", async () => {
  const { db, home } = await stage();
  const again = await emptyStore();
  expect(value(await restoreProxied(again, join(home, "proxy")))).toEqual({ sessions: 1, items: 3 });
  const facts = (of: Database) =>
    of.prepare("SELECT own, turn, item, role, type, text, dropped FROM proxy_item WHERE logged = 1 ORDER BY own").all();
  expect(facts(again)).toEqual(facts(db));
  again.close();
});

it("P32 X54 deleting a proxied session takes its text out of the journal", async () => {
  const { db, store, session, journal } = await stage();
  const text = () => readFileSync(join(journal, "000001.jsonl"), "utf8");
  expect(text()).toContain("the heron");
  expect(value(await deleteSession(store, session.id, indexOn(new RecallWriter(db))))).toBe(true);
  expect(text()).not.toContain("the heron");
  const again = await emptyStore(journal);
  expect([rowsOf(again, "proxy_session"), rowsOf(again, "proxy_item")]).toEqual([[], []]);
  again.close();
});
