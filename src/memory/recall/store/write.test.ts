// Items into the store and out of it: once, whole, and without a trace.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Database } from "../../../store/sqlite.ts";
import type { Item } from "../item.ts";
import { itemById } from "../list.ts";
import { conversation, EVERYTHING, find, HOME, idsOf, openStore, storeOf } from "../recall-fixture.ts";
import { gatherWords } from "./gather.ts";
import { INDEXED_CHARS } from "./indexable.ts";
import { RecallWriter } from "./write.ts";

const count = (db: Database, sql: string): number =>
  Number(db.prepare(`SELECT count(*) AS n FROM ${sql}`).get()?.["n"]);
const ALL_TURNS = `recall_terms WHERE recall_terms MATCH '"#turn"'`;
/** Everything that a search can depend on, without numbers given by the order of writing. */
const contents = (db: Database) => ({
  items: db.prepare("SELECT key, kind, role, time, seq, turn, words, rewound FROM recall_item ORDER BY key").all(),
  passages: db
    .prepare("SELECT i.key, p.start, p.text FROM recall_passage p JOIN recall_item i ON i.id = p.item ORDER BY 1, 2")
    .all(),
  scopes: db.prepare("SELECT type, value, passages, words FROM recall_scope WHERE passages > 0 ORDER BY 1, 2").all(),
});

describe("writing", () => {
  it("C114 stores an item once by its id, and the same text of a turn once", () => {
    const items = conversation(["hello there", "hi"]);
    const db = storeOf(items);
    expect(new RecallWriter(db).add(items)).toBe(0);
    const again = { ...items[0]!, id: "another" };
    expect(new RecallWriter(db).add([again])).toBe(0);
    expect(new RecallWriter(db).add([{ ...again, turn: 9 }])).toBe(1);
    expect(count(db, ALL_TURNS)).toBe(3);
  });

  it("R31 many small transactions leave few pieces of the index for a search to look into", () => {
    const db = openStore();
    const texts = Array.from({ length: 60 }, (_, i) => `the ferry number ${i} leaves`);
    for (const item of conversation(texts)) new RecallWriter(db).add([item]);
    expect(count(db, "(SELECT DISTINCT segid FROM recall_terms_idx)")).toBeLessThan(10);
    expect(count(db, ALL_TURNS)).toBe(60);
  });

  it("IM7 the words of a large transaction become one piece of the index once they are gathered", () => {
    const db = openStore();
    gatherWords(db);
    const texts = Array.from({ length: 120 }, (_, i) =>
      Array.from({ length: 200 }, (_, n) => `word${i}x${n}`).join(" "),
    );
    const items = conversation(texts);
    db.exec("BEGIN");
    new RecallWriter(db).add(items);
    db.exec("COMMIT");
    for (const table of ["recall_terms", "search_index"])
      expect(count(db, `(SELECT DISTINCT segid FROM ${table}_idx)`)).toBe(1);
    expect(count(db, "recall_item")).toBe(120);
  });

  it("R7 equal text of one turn is one item by its kind; in another session or of another identity it is an item of its own", () => {
    const [said] = conversation(["the tide is high"]);
    const db = openStore();
    const add = (id: string, change: Partial<Item>) => new RecallWriter(db).add([{ ...said!, id, ...change }]);
    expect(add("first", {})).toBe(1);
    expect(add("again", {})).toBe(0);
    expect(add("as a tool", { kind: "tool" })).toBe(1);
    expect(add("elsewhere", { place: { ...HOME, session: "s2" } })).toBe(1);
    expect(add("another identity", { place: { ...HOME, identity: "i2" } })).toBe(1);
    const within = { scopes: [{ type: "session", session: "s2" }] } as const;
    expect(idsOf(find(db, "tide", { within }))).toEqual(["elsewhere"]);
  });

  it("R9 the words of what is removed are in no byte of the files", () => {
    const folder = mkdtempSync(join(tmpdir(), "recall-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const db = openStore(join(folder, "store.db"));
    onTestFinished(() => db.close());
    db.exec("PRAGMA secure_delete = ON");
    const writer = new RecallWriter(db);
    const texts = Array.from({ length: 400 }, (_, n) => `entry ${n} about the marzipan${n} and the xylograph`);
    writer.add(conversation(texts));
    const bytes = (): string => {
      db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      return readdirSync(folder)
        .map((name) => readFileSync(join(folder, name), "latin1"))
        .join("");
    };
    expect(bytes()).toContain("marzipan399");
    writer.remove(texts.map((_, n) => `s1-${n}`));
    expect(bytes()).not.toMatch(/marzipan|xylograph/);
  });

  it("replaces the text of a known id, and the old words are gone", () => {
    const db = storeOf(conversation(["the zebra is striped"]));
    new RecallWriter(db).add([{ ...conversation(["x"])[0]!, text: "the giraffe is tall" }]);
    expect(idsOf(find(db, "zebra"))).toEqual([]);
    expect(idsOf(find(db, "giraffe"))).toEqual(["s1-0"]);
    expect(db.prepare("SELECT count(*) AS n FROM search_index WHERE search_index MATCH 'zebra'").get()?.["n"]).toBe(0);
  });

  it("R1 is readable as search_index, without records, boards and other identities", () => {
    const db = storeOf(conversation(["the heron stands", "in the water"]));
    const [first] = conversation(["heron of somebody else"], { ...HOME, identity: "key-2", session: "s2" });
    new RecallWriter(db).add([first!, { ...first!, id: "r", kind: "record", place: { level: "user" } }]);
    const sql = "SELECT content, session_id, source_type, source_id FROM search_index WHERE search_index MATCH 'heron'";
    expect(
      db
        .prepare(sql)
        .all()
        .map((r) => ({ ...r })),
    ).toEqual([{ content: "the heron stands", session_id: "s1", source_type: "user", source_id: "t1.1" }]);
  });

  it("P33 RB3 gives any text back as it went in, also what is too long to be indexed", () => {
    const db = openStore();
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 300 }),
      fc.constantFrom("C:\\temp\\new", "a\r\nb\u2028c", "😀".repeat(2000), " ", "\n".repeat(5000)),
    );
    let n = 0;
    fc.assert(
      fc.property(text, (value) => {
        const id = `item${n++}`;
        new RecallWriter(db).add([{ ...conversation([value])[0]!, id, turn: n }]);
        expect(itemById(db, EVERYTHING, id)?.text ?? "").toBe(value.isWellFormed() ? value : value.toWellFormed());
      }),
      { numRuns: 300 },
    );
    const huge = `${"word ".repeat(INDEXED_CHARS / 5)} beyondtheend ${"tail ".repeat(400_000)}`;
    new RecallWriter(db).add([{ ...conversation([huge])[0]!, id: "huge", turn: 99_999 }]);
    expect(itemById(db, EVERYTHING, "huge")?.text).toBe(huge);
    expect(idsOf(find(db, "beyondtheend"))).toEqual([]);
    expect(db.prepare("SELECT cut FROM recall_item WHERE key = 'huge'").get()?.["cut"]).toBe(1);
  });

  it("RB3 keeps an item without words and does not index it", () => {
    const db = storeOf(conversation(["", "   ", "word"]));
    expect(count(db, "recall_item")).toBe(3);
    expect(count(db, ALL_TURNS)).toBe(1);
  });

  /** Two messages lend the same to the one before them, in whatever order they were written. */
  const ONE_LENDER = ["3 東京の天気", "0 green frog jumps", "2 red fox", "1 東京の天気", "3 red fox"].map((said) => ({
    id: Number(said[0]),
    text: said.slice(2),
    remove: false,
  }));

  it("RI5 a store that was changed is the store that was written anew", () => {
    const texts = fc.constantFrom("red fox", "green frog jumps", "", `${"long story. ".repeat(300)}end`, "東京の天気");
    const step = fc.record({ id: fc.nat(5), text: texts, remove: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const changed = openStore();
        const writer = new RecallWriter(changed);
        const left = new Map<string, string>();
        for (const { id, text, remove } of steps) {
          const key = `k${id}`;
          if (remove) writer.remove([key]);
          else writer.add([{ ...conversation([text])[0]!, id: key, seq: id, turn: id }]);
          if (remove) left.delete(key);
          else left.set(key, text);
        }
        const anew = openStore();
        for (const [key, text] of left) {
          const id = Number(key.slice(1));
          new RecallWriter(anew).add([{ ...conversation([text])[0]!, id: key, seq: id, turn: id }]);
        }
        expect(contents(changed)).toEqual(contents(anew));
        for (const query of ["fox frog", "story", "東京", "end red"])
          expect(find(changed, query).results.map((r) => [r.id, r.score])).toEqual(
            find(anew, query).results.map((r) => [r.id, r.score]),
          );
      }),
      { numRuns: 60, examples: [[ONE_LENDER]] },
    );
  });

  it("marks turns that were taken back, and takes out a session whole", () => {
    const db = storeOf([
      ...conversation(["the plan", "fine", "another plan", "ok"]),
      ...conversation(["a plan elsewhere"], { ...HOME, session: "s2" }),
    ]);
    const writer = new RecallWriter(db);
    writer.markRewound({ session: "s1" }, 2);
    expect(
      find(db, "plan")
        .results.map((r) => [r.id, r.rewound])
        .sort(),
    ).toEqual([
      ["s1-0", false],
      ["s1-1", false],
      ["s1-2", true],
      ["s1-3", true],
      ["s2-0", false],
    ]);
    expect(writer.removeSession({ session: "s1" })).toBe(4);
    expect(idsOf(find(db, "plan"))).toEqual(["s2-0"]);
  });

  it("R8 leaves nothing of an item when its transaction is rolled back", () => {
    const db = openStore();
    const writer = new RecallWriter(db);
    db.exec("BEGIN");
    writer.add(conversation(["half written"]));
    db.exec("ROLLBACK");
    expect(contents(db)).toEqual({ items: [], passages: [], scopes: [] });
    expect(idsOf(find(db, "written"))).toEqual([]);
    writer.add(conversation(["written again"]));
    expect(idsOf(find(db, "written"))).toEqual(["s1-0"]);
  });
});
