// A new analyser: the old words answer until all texts are read anew.
import { expect, it } from "vitest";
import type { Database } from "../../../store/sqlite.ts";
import { conversation, find, idsOf, openStore, storeOf } from "../recall-fixture.ts";
import { ANALYSER } from "../text/tokens.ts";
import { analyseAnew } from "./analyse.ts";
import { indexProblem } from "./damage.ts";
import { analysing, NEXT_TERMS, noteOf, setNote } from "./note.ts";
import { RecallWriter } from "./write.ts";

const COUNT = 80;
const texts = Array.from({ length: COUNT }, (_, i) => `The robot${i} deploys on Fridays`);
const { signal } = new AbortController();

/** An index as an analyser without stems left it. */
function oldStore(): Database {
  const db = storeOf(conversation(texts));
  db.exec("INSERT INTO recall_terms (recall_terms) VALUES ('delete-all')");
  const marks = "@1 @2 @3 #turn %user %assistant";
  for (const { id, text } of db.prepare("SELECT id, text FROM recall_passage").all())
    db.prepare("INSERT INTO recall_terms (rowid, tokens) VALUES (?, ?)").run(
      Number(id),
      `${marks} ${String(text).toLowerCase()}`,
    );
  setNote(db, "analyser", "1");
  return db;
}

/** Aborted as soon as something is read anew. */
const afterOnePage = (db: Database): AbortSignal =>
  ({
    get aborted() {
      return analysing(db) !== undefined;
    },
  }) as AbortSignal;

const hits = (db: Database, text: string): string[] => idsOf(find(db, text, { limit: 100 }));

it("R10 an index of an older analyser answers while it is read anew in pages, and then as the new one reads", async () => {
  const db = oldStore();
  expect(hits(db, "robot7 deploys")).toContain("s1-7");
  expect(hits(db, "deploying")).toEqual([]);
  expect(await analyseAnew(db, afterOnePage(db))).toMatchObject({ ok: true });
  expect(analysing(db)).toBeGreaterThan(0);
  expect(hits(db, "robot7 deploys")).toContain("s1-7");
  expect(hits(db, "deploying")).toEqual([]);

  const writer = new RecallWriter(db);
  writer.remove(["s1-3", `s1-${COUNT - 1}`]);
  writer.add(conversation(["A lorry deployed on Mondays"], { session: "s2", level: "session" }));
  expect(await analyseAnew(db, signal)).toMatchObject({ ok: true });

  expect(noteOf(db, "analyser")).toBe(ANALYSER);
  expect(hits(db, "deploying")).toEqual(expect.arrayContaining(["s1-7", `s1-${COUNT - 2}`, "s2-0"]));
  expect(hits(db, "robot3")).not.toContain("s1-3");
  expect(indexProblem(db)).toBeUndefined();
  const next = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(NEXT_TERMS);
  expect(next).toBeUndefined();
  new RecallWriter(db).remove(["s1-7"]);
  expect(hits(db, "robot7 deploys")).not.toContain("s1-7");
  expect(indexProblem(db)).toBeUndefined();
});

it("R10 a new index is of the present analyser and nothing is read twice", async () => {
  const db = openStore();
  expect(await analyseAnew(db, signal)).toMatchObject({ ok: true });
  new RecallWriter(db).add(conversation(["hello"]));
  expect(noteOf(db, "analyser")).toBe(ANALYSER);
  expect(await analyseAnew(db, signal)).toMatchObject({ ok: true });
  expect(analysing(db)).toBeUndefined();
});
