// A damaged index is recognised, however it came about, and an empty one takes its place.
import { hash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { write } from "../../../store/sqlite.ts";
import { conversation, EVERYTHING, openStore } from "../recall-fixture.ts";
import { search } from "../search.ts";
import { clearIndex, indexProblem, isDamage } from "./damage.ts";
import { noteOf, setNote } from "./note.ts";
import { RecallWriter } from "./write.ts";

let dir: string;
let db: ReturnType<typeof openStore>;
const said = conversation(["where is the lighthouse", "on the northern cliff", "thanks"]);
const fill = (): number => new RecallWriter(db).add(said);
const look = (): number => search(db, { text: "lighthouse cliff", within: EVERYTHING }).results.length;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "everlong-damage-"));
  db = openStore(join(dir, "store.db"));
  fill();
  setNote(db, "embedder", "static");
});
afterEach(() => {
  db.close();
  rmSync(dir, { recursive: true, force: true });
});

/** Every page of the full text is other bytes, which the seed gives. */
function garbage(seed: string): string {
  const bytes = (id: string): string => `unhex('${hash("sha512", `${seed} ${id}`, "hex").slice(0, 80)}')`;
  const pages = ["1", "10"].map((id) => `WHEN ${id} THEN ${bytes(id)}`).join(" ");
  return `UPDATE recall_terms_data SET block = CASE id ${pages} ELSE ${bytes("leaf")} END`;
}

/** By another process, while this one has the index open. */
function damage(sql: string): void {
  const other = new DatabaseSync(join(dir, "store.db"));
  other.enableDefensive(false);
  other.exec(sql);
  other.close();
}

const thrown = (work: () => unknown): unknown => {
  try {
    return void work();
  } catch (error) {
    return error;
  }
};

describe("RB4 XB20 a damaged index", () => {
  it.each([
    "DROP TABLE recall_item",
    "DROP TABLE recall_scope",
    "DROP TABLE recall_terms",
    "DROP TABLE recall_terms_data",
    "DELETE FROM recall_terms_data",
    // Read as a size that no memory has, and as nonsense.
    garbage("0"),
    garbage("1"),
    "UPDATE recall_terms_data SET block = x'ffffffffffffffffffffffffffffffff'",
  ])("XB20 %s: is damage to who reads, and is replaced by an empty index that works", async (sql) => {
    expect(indexProblem(db)).toBeUndefined();
    const found = look();
    expect(found).toBeGreaterThan(0);
    damage(sql);
    expect(isDamage(thrown(look))).toBe(true);
    expect(indexProblem(db)).toEqual(expect.any(String));
    expect(await write(db, () => clearIndex(db))).toEqual({ ok: true, value: undefined });
    expect(indexProblem(db)).toBeUndefined();
    expect([look(), noteOf(db, "embedder")]).toEqual([0, "static"]);
    expect(fill()).toBe(said.length);
    expect(look()).toBe(found);
  });

  it.each([
    "DELETE FROM recall_item",
    "DELETE FROM recall_passage WHERE id = 1",
    "UPDATE recall_passage SET text = 'x'",
    // Read as an index that holds nothing.
    garbage("2266"),
  ])("R3 %s: nobody is told, but whoever looks at every row sees it", (sql) => {
    damage(sql);
    expect(indexProblem(db)).toEqual(expect.any(String));
  });

  it("XB20 a query that is wrong, a busy store and a file that is no database are no damage of the index", () => {
    expect(isDamage(thrown(() => db.prepare("SELECT * FROM nowhere")))).toBe(false);
    expect(
      isDamage(thrown(() => db.prepare("SELECT rowid FROM recall_terms WHERE recall_terms MATCH '(('").all())),
    ).toBe(false);
    expect(isDamage(Object.assign(new Error("database is locked"), { code: "ERR_SQLITE_ERROR", errcode: 5 }))).toBe(
      false,
    );
    expect(isDamage(Object.assign(new Error("not a database"), { code: "ERR_SQLITE_ERROR", errcode: 26 }))).toBe(false);
    expect(isDamage(Object.assign(new Error("malformed"), { code: "ERR_SQLITE_ERROR", errcode: 11 }))).toBe(true);
  });
});
