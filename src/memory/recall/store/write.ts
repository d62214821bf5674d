// Items into the index and out of it, inside the caller's transaction: an item and its words are stored together or not at all.
import { hash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { canonicalJson } from "../../../base/json.ts";
import { type Item, type ItemPlace, PARTS } from "../item.ts";
import { PASSAGE_CHARS, type Passage, passagesOf } from "../text/passage.ts";
import { kindToken, roleToken, scopeToken, tokensOf } from "../text/tokens.ts";
import { withoutOpaque } from "../text/words.ts";
import { ANALYSER, analysing, NEXT_TERMS, setNote } from "./note.ts";
import { scopesOf } from "./scope.ts";
import { prepared } from "./statement.ts";

/** More of one text is kept and given back, but not searched. */
export const INDEXED_CHARS = 4 * 1024 * 1024;

type StoredPlace = { id: number; home: number; local: boolean; scopes: number[] };
type Row = Record<string, unknown>;
/** What the scopes gain or lose. */
type Gain = { passages: number; words: number };

/**
 * The highest passage that was taken out over a connection. Its number is not used again: FTS5 (detail none, secure
 * delete) loses all later rows of a word whose row is deleted and inserted again before it has written them out.
 */
const freed = new WeakMap<DatabaseSync, number>();

type IndexWriteOptions = {
  /** Passages are put in line for a vector. */
  embed?: boolean;
};

export class RecallWriter {
  readonly #db: DatabaseSync;
  readonly #embed: boolean;
  /** Stored places, keyed by the object that the items of one place share. */
  #places = new WeakMap<ItemPlace, StoredPlace>();
  readonly #gains = new Map<number, Gain>();
  #lastItem = 0;
  #lastPassage = 0;
  /** Items up to this one have their words in two tables: a new analyser is reading the index anew. */
  #analysed = 0;

  constructor(db: DatabaseSync, options: IndexWriteOptions = {}) {
    this.#db = db;
    this.#embed = options.embed ?? false;
  }

  /**
   * Stores each item once: a known id with the same text changes nothing, with another text it is replaced; the same
   * text of the same kind in the same turn is one item. Returns how many were new.
   */
  add(items: Iterable<Item>): number {
    this.#begin();
    let added = 0;
    for (const item of items) if (this.#add(item)) added++;
    this.#settle();
    return added;
  }

  /** Returns how many were there. */
  remove(ids: Iterable<string>): number {
    this.#begin();
    let removed = 0;
    for (const key of ids) {
      const row = this.#get("SELECT id, kind, role, place FROM recall_item WHERE key = ?", key);
      if (!row) continue;
      this.#remove(row);
      removed++;
    }
    this.#settle();
    return removed;
  }

  /** Takes out everything of a session. */
  removeSession(place: Pick<ItemPlace, "tenant" | "identity" | "session">): number {
    this.#begin();
    const { home } = this.#place({ ...place, level: "session" });
    const rows = this.#db.prepare("SELECT id, kind, role, place FROM recall_item WHERE home = ?").all(home);
    for (const row of rows) this.#remove(row);
    this.#settle();
    return rows.length;
  }

  /** Turns that were taken back stay searchable, marked. */
  markRewound(place: Pick<ItemPlace, "tenant" | "identity" | "session">, fromTurn: number): void {
    const { home } = this.#place({ ...place, level: "session" });
    this.#run("UPDATE recall_item SET rewound = 1 WHERE home = ? AND turn >= ?", home, fromTurn);
  }

  /** What was known from a transaction that was rolled back is forgotten. */
  #begin(): void {
    this.#places = new WeakMap();
    this.#gains.clear();
    this.#lastItem = this.#last("recall_item");
    this.#lastPassage = this.#last("recall_passage");
    this.#analysed = analysing(this.#db) ?? 0;
    if (this.#lastItem === 0) setNote(this.#db, "analyser", ANALYSER);
  }

  #add(item: Item): boolean {
    const digest = hash("sha1", item.text, "buffer");
    const existing = this.#get("SELECT id, kind, role, place, hash FROM recall_item WHERE key = ?", item.id);
    if (existing) {
      if (digest.equals(existing["hash"] as Uint8Array) && existing["role"] === item.role) return false;
      this.#remove(existing);
    }
    const place = this.#place(item.place);
    const { turn, kind, role } = item;
    if (turn !== undefined && item.text !== "" && this.#saidBefore(place.home, turn, kind, role, digest)) return false;
    const passages = indexable(item.text, role);
    const words = passages.reduce((sum, p) => sum + p.length, 0);
    const id = ++this.#lastItem;
    this.#run(
      `INSERT INTO recall_item (id, key, kind, role, time, seq, turn, item, place, home, words, passage, passages, hash, cut, path, line, trust)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[id, item.id, kind, role, item.time ?? 0, item.seq, turn ?? null, item.index ?? null, place.id, place.home],
      ...[words, this.#lastPassage + 1, passages.length, digest, item.text.length > INDEXED_CHARS ? 1 : 0],
      ...[item.path ?? null, item.line ?? null, item.trust ?? null],
    );
    const marks = marksOf(kind, role, place);
    for (const passage of passages) {
      const passageId = ++this.#lastPassage;
      const passageHash = passages.length === 1 ? digest : hash("sha1", passage.text, "buffer");
      this.#run(
        "INSERT INTO recall_passage (id, item, start, words, hash, text) VALUES (?, ?, ?, ?, ?, ?)",
        ...[passageId, id, passage.start, passage.length, passageHash, passage.text],
      );
      if (passage.length === 0) continue;
      for (const table of this.#termTables(id)) this.#addTerms(table, passageId, `${marks} ${passage.tokens}`);
      if (isSaid(place, kind))
        this.#run("INSERT INTO search_index (rowid, content) VALUES (?, ?)", passageId, passage.text);
      if (this.#embed) this.#run("INSERT OR IGNORE INTO recall_waiting (passage) VALUES (?)", passageId);
      this.#gain(place, { passages: 1, words: passage.length });
    }
    return true;
  }

  #saidBefore(home: number, turn: number, kind: string, role: string, digest: Uint8Array): boolean {
    // The plus keeps a partial index on kind out of the plan: SQLite would compile the statement anew for every value.
    const sql = "SELECT 1 FROM recall_item WHERE home = ? AND turn = ? AND +kind = ? AND role = ? AND hash = ?";
    return prepared(this.#db, sql).get(home, turn, kind, role, digest) !== undefined;
  }

  #remove(row: Row): void {
    const [id, kind, role] = [Number(row["id"]), String(row["kind"]), String(row["role"])];
    const place = this.#placeById(Number(row["place"]));
    const remaining = this.#passagesOf(id);
    const passages = indexable(remaining.map((p) => String(p["text"])).join(""), role);
    const marks = marksOf(kind, role, place);
    for (const [i, passage] of remaining.entries()) {
      const [passageId, words] = [Number(passage["id"]), Number(passage["words"])];
      freed.set(this.#db, Math.max(passageId, freed.get(this.#db) ?? 0));
      if (words === 0) continue;
      const tokens = `${marks} ${passages[i]?.tokens ?? ""}`;
      for (const table of this.#termTables(id))
        this.#run(`INSERT INTO ${table} (${table}, rowid, tokens) VALUES ('delete', ?, ?)`, passageId, tokens);
      if (isSaid(place, kind))
        this.#run(
          "INSERT INTO search_index (search_index, rowid, content) VALUES ('delete', ?, ?)",
          ...[passageId, String(passage["text"])],
        );
      this.#run("DELETE FROM recall_waiting WHERE passage = ?", passageId);
      this.#gain(place, { passages: -1, words: -words });
    }
    this.#run("INSERT OR REPLACE INTO recall_note (name, value) VALUES ('removed', hex(randomblob(8)))");
    for (const passage of remaining) {
      this.#run("DELETE FROM recall_passage WHERE id = ?", Number(passage["id"]));
      // Others with the same text get theirs again with the next line-up.
      this.#run("DELETE FROM recall_vector WHERE hash = ?", passage["hash"] as Uint8Array);
    }
    this.#run("DELETE FROM recall_item WHERE id = ?", id);
  }

  /** Writes the words of the next items into `table`; gives the last of them, undefined when none was left. */
  analyse(table: string, after: number, count: number): number | undefined {
    const sql = "SELECT id, kind, role, place FROM recall_item WHERE id > ? ORDER BY id LIMIT ?";
    const rows = prepared(this.#db, sql).all(after, count);
    for (const row of rows) {
      const role = String(row["role"]);
      const stored = this.#passagesOf(Number(row["id"]));
      const passages = indexable(stored.map((p) => String(p["text"])).join(""), role);
      const marks = marksOf(String(row["kind"]), role, this.#placeById(Number(row["place"])));
      for (const [i, { id, words }] of stored.entries())
        if (Number(words) > 0) this.#addTerms(table, Number(id), `${marks} ${passages[i]?.tokens ?? ""}`);
    }
    return rows.length === 0 ? undefined : Number(rows.at(-1)?.["id"]);
  }

  #passagesOf(item: number): Row[] {
    const sql = `SELECT p.id, p.words, p.hash, p.text FROM recall_item i JOIN recall_passage p ON p.id >= i.passage
       AND p.id < i.passage + i.passages WHERE i.id = ? ORDER BY p.id`;
    return prepared(this.#db, sql).all(item);
  }

  #termTables(item: number): string[] {
    return item <= this.#analysed ? ["recall_terms", NEXT_TERMS] : ["recall_terms"];
  }

  #addTerms(table: string, passage: number, tokens: string): void {
    this.#run(`INSERT INTO ${table} (rowid, tokens) VALUES (?, ?)`, passage, tokens);
  }

  #place(place: ItemPlace): StoredPlace {
    const cached = this.#places.get(place);
    if (cached) return cached;
    const stored = this.#storedPlace(canonicalJson(place), place);
    this.#places.set(place, stored);
    return stored;
  }

  #storedPlace(text: string, place: ItemPlace): StoredPlace {
    const existing = this.#get("SELECT id FROM recall_place WHERE place = ?", text);
    if (existing) return this.#placeById(Number(existing["id"]));
    const scopes = scopesOf(place).map((s) => this.#scopeId(s.type, s.tenant, s.owner, s.value));
    const local = (place.tenant ?? "") === "" && (place.identity ?? "") === "" && place.level === "session";
    const { lastInsertRowid } = this.#run(
      "INSERT INTO recall_place (place, session, local, home, scopes) VALUES (?, ?, ?, ?, ?)",
      ...[text, place.session ?? null, local ? 1 : 0, scopes[0] ?? 0, scopes.join(" ")],
    );
    return this.#placeById(Number(lastInsertRowid));
  }

  #placeById(id: number): StoredPlace {
    const row = this.#get("SELECT home, local, scopes FROM recall_place WHERE id = ?", id);
    if (!row) throw new Error(`place ${id} is not stored`);
    const scopes = String(row["scopes"]).split(" ").map(Number);
    return { id, home: Number(row["home"]), local: row["local"] === 1, scopes };
  }

  #scopeId(type: string, tenant: string, owner: string, value: string): number {
    const names = [type, tenant, owner, value];
    this.#run("INSERT OR IGNORE INTO recall_scope (type, tenant, owner, value) VALUES (?, ?, ?, ?)", ...names);
    const row = this.#get(
      "SELECT id FROM recall_scope WHERE type = ? AND tenant = ? AND owner = ? AND value = ?",
      ...names,
    );
    return Number(row?.["id"]);
  }

  #last(table: "recall_item" | "recall_passage"): number {
    const last = Number(this.#get(`SELECT max(id) AS id FROM ${table}`)?.["id"] ?? 0);
    return table === "recall_item" ? last : Math.max(last, freed.get(this.#db) ?? 0);
  }

  #gain(place: StoredPlace, { passages, words }: Gain): void {
    for (const id of place.scopes) {
      const gain = this.#gains.get(id) ?? { passages: 0, words: 0 };
      this.#gains.set(id, { passages: gain.passages + passages, words: gain.words + words });
    }
  }

  #settle(): void {
    for (const [id, { passages, words }] of this.#gains)
      this.#run("UPDATE recall_scope SET passages = passages + ?, words = words + ? WHERE id = ?", passages, words, id);
    this.#gains.clear();
  }

  #run(sql: string, ...values: (string | number | bigint | null | Uint8Array)[]) {
    return prepared(this.#db, sql).run(...values);
  }
  #get(sql: string, ...values: (string | number)[]): Row | undefined {
    return prepared(this.#db, sql).get(...values);
  }
}

const isSaid = (place: StoredPlace, kind: string): boolean => place.local && kind !== "record" && kind !== "board";

const marksOf = (kind: string, role: string, place: StoredPlace): string =>
  [...place.scopes.map(scopeToken), kindToken(kind), roleToken(role)].join(" ");

type Indexed = Passage & { tokens: string; length: number };

/** The passages of a text with their tokens; a speaker's name stands in each. Empty text has none. */
function indexable(text: string, role: string): Indexed[] {
  if (text.trim() === "") return text === "" ? [] : [{ start: 0, text, tokens: "", length: 0 }];
  const blanked = withoutOpaque(text.slice(0, INDEXED_CHARS));
  const speaker = PARTS.has(role.toLowerCase()) ? "" : `${role} `;
  const passages = passagesOf(text.slice(0, INDEXED_CHARS)).map((p) => {
    const { text: tokens, length } = tokensOf(speaker + blanked.slice(p.start, p.start + p.text.length));
    return { ...p, tokens, length: Math.max(1, length) };
  });
  for (let start = INDEXED_CHARS; start < text.length; start += PASSAGE_CHARS * 1000)
    passages.push({ start, text: text.slice(start, start + PASSAGE_CHARS * 1000), tokens: "", length: 0 });
  return passages;
}
