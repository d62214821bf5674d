// What searches remember of the index is never older than the index.
import { describe, expect, it } from "vitest";
import { conversation, EVERYTHING, find, HOME, idsOf, openStore, storeOf } from "../recall-fixture.ts";
import { search } from "../search.ts";
import { clearIndex } from "./damage.ts";
import { KnownRows } from "./known-rows.ts";
import { Reader } from "./read.ts";
import { RecallWriter } from "./write.ts";

const said = conversation(["where is the lighthouse", "on the northern cliff", "and who keeps it", "an old sailor"]);
const textsOf = (...[db, text]: Parameters<typeof find>): string[] =>
  find(db, text).results.map((r) => r.snippets.map((s) => s.text).join());

describe("rows that searches remember", () => {
  it("R31 are read once", () => {
    const known = new KnownRows();
    const read = (): string[] => {
      const unit = new Reader(known).passages([2, 1]);
      const step = unit.next();
      if (step.done) return step.value.map((p) => p.text);
      const rows = [1, 2].map((id) => [id, id, 0, `text ${id}`]);
      const end = unit.next(rows);
      return end.done ? ["read", ...end.value.map((p) => p.text)] : [];
    };
    expect(read()).toEqual(["read", "text 2", "text 1"]);
    expect(read()).toEqual(["text 2", "text 1"]);
  });

  it("R31 are forgotten when an item is taken out and another gets its number", () => {
    const db = storeOf(said);
    expect(textsOf(db, "lighthouse cliff sailor")).toContain("an old sailor");
    const writer = new RecallWriter(db);
    writer.remove(said.map((one) => one.id));
    // Numbers begin anew for who opens the store later.
    writer.add(conversation(["the lighthouse is sold", "a cliff fell", "no sailor came", "rain"], HOME));
    expect(textsOf(db, "lighthouse cliff sailor")).not.toContain("an old sailor");
    expect(textsOf(db, "lighthouse cliff sailor")).toContain("the lighthouse is sold");
  });

  it("R3 are forgotten when the index is made anew", () => {
    const db = storeOf(said);
    expect(textsOf(db, "lighthouse")).toContain("where is the lighthouse");
    clearIndex(db);
    new RecallWriter(db).add(conversation(["nothing of that", "a lighthouse on a hill"], HOME));
    expect(textsOf(db, "lighthouse")[0]).toBe("a lighthouse on a hill");
  });

  it("R31 show that a turn was taken back", () => {
    const db = storeOf(said);
    expect(find(db, "sailor").results[0]?.rewound).toBe(false);
    new RecallWriter(db).markRewound({ session: "s1" }, 2);
    expect(find(db, "sailor").results[0]?.rewound).toBe(true);
  });

  it("R8 do not hold what a transaction took back", () => {
    const db = openStore();
    db.exec("BEGIN");
    new RecallWriter(db).add(said);
    expect(idsOf(search(db, { text: "sailor", within: EVERYTHING }))[0]).toBe("s1-3");
    db.exec("ROLLBACK");
    new RecallWriter(db).add(conversation(["one", "two", "three", "a sailor of today"], HOME));
    expect(textsOf(db, "sailor")[0]).toBe("a sailor of today");
  });
});
