// Items into the index and out of it, as units: an item and its words are stored together or not at all.
import { hash } from "node:crypto";
import { prepared } from "../../../store/statement.ts";
import type { PassageTerms, TermTable } from "../../../store/term-step.ts";
import { noteRemoval, putTerms, removeTerms, reserve, tally } from "../../../store/terms.ts";
import {
  allRows,
  arrayRows,
  execute,
  onEmbedded,
  oneRow,
  type SqlRow,
  together,
  type Unit,
} from "../../../store/unit.ts";
import type { Item, ItemPlace } from "../item.ts";
import { ANALYSER } from "../text/tokens.ts";
import { INDEXED_CHARS, indexable } from "./indexable.ts";
import { indexNotes, NEXT_TERMS, writeNote } from "./note.ts";
import { Places, type StoredPlace, termPlaceOf } from "./place.ts";

export type IndexWriteOptions = {
  /** Passages are put in line for a vector. */
  embed?: boolean | "as noted";
};
export type SessionPlace = Pick<ItemPlace, "identity" | "session">;

/**
 * Stores each item once: a known id with the same text changes nothing, with another text it is replaced; the same
 * text of the same kind in the same turn is one item. Returns how many were new.
 */
export function* addItems(items: readonly Item[], { embed = false }: IndexWriteOptions = {}): Unit<number> {
  if (items.length === 0) return 0;
  const change = new IndexChange(embed);
  yield* change.begin(items);
  let added = 0;
  for (const item of items) if (yield* change.add(item)) added++;
  yield* change.settle();
  return added;
}

/** Returns how many were there. */
export function* removeItems(ids: readonly string[]): Unit<number> {
  const rows: SqlRow[] = [];
  for (const row of yield* together(...[...new Set(ids)].map(itemNamed))) if (row) rows.push(row);
  return yield* removeRows(rows);
}

/** Takes out everything of a session, or so many of its items at most. Returns how many were there. */
export function* removeSession(place: SessionPlace, most = Number.MAX_SAFE_INTEGER): Unit<number> {
  const { home } = yield* new Places().of({ ...place, level: "session" });
  const sql = "SELECT id, kind, role, place FROM recall_item WHERE home = ? LIMIT ?";
  return yield* removeRows(yield* allRows(sql, home, most));
}

/** Turns that were taken back stay searchable, marked. */
export function* markRewound(place: SessionPlace, fromTurn: number): Unit<void> {
  const { home } = yield* new Places().of({ ...place, level: "session" });
  yield* execute("UPDATE recall_item SET rewound = 1 WHERE home = ? AND turn >= ?", home, fromTurn);
  yield* noteRemoval();
}

/** Writes the words of the next items into `table`; gives the last of them, undefined when none was left. */
export function* analyseItems(table: TermTable, after: number, count: number): Unit<number | undefined> {
  const sql = "SELECT id, kind, role, place FROM recall_item WHERE id > ? ORDER BY id LIMIT ?";
  const rows = yield* allRows(sql, after, count);
  const places = new Places();
  for (const row of rows) {
    const { terms } = yield* termsOf(row);
    const place = yield* places.byId(Number(row["place"]));
    yield* putTerms(table, termPlaceOf(place, String(row["kind"]), String(row["role"])), terms);
  }
  return rows.length === 0 ? undefined : Number(rows.at(-1)?.["id"]);
}

function* removeRows(rows: readonly SqlRow[]): Unit<number> {
  if (rows.length === 0) return 0;
  const change = new IndexChange(false);
  yield* change.begin([]);
  yield* change.remove(rows);
  yield* change.settle();
  return rows.length;
}

type StoredPassage = { id: number; words: number; hash: Uint8Array; text: string };
type RemovedItem = {
  id: number;
  kind: string;
  role: string;
  place: StoredPlace;
  passages: readonly StoredPassage[];
  terms: readonly PassageTerms[];
};

function* deleteNumbered(table: string, column: string, rows: readonly { id: number }[]): Unit<void> {
  const numbers = JSON.stringify(rows.map(({ id }) => Number(id)));
  if (rows.length > 0)
    yield* execute(`DELETE FROM ${table} WHERE ${column} IN (SELECT 0 + value FROM json_each(?))`, numbers);
}

/** The passages of an item, and the words of those that have any, read anew from its text. */
function* termsOf(row: SqlRow): Unit<{ passages: StoredPassage[]; terms: PassageTerms[] }> {
  const sql = `SELECT p.id, p.words, p.hash, p.text FROM recall_item i JOIN recall_passage p ON p.id >= i.passage
    AND p.id < i.passage + i.passages AND p.item = i.id WHERE i.id = ? ORDER BY p.id`;
  const passages = (yield* allRows(sql, Number(row["id"]))) as StoredPassage[];
  const texts = indexable(passages.map((p) => p.text).join(""), String(row["role"]));
  const terms = passages.flatMap(({ id, words }, i) =>
    words === 0 ? [] : [{ passage: id, tokens: texts[i]?.tokens ?? "" }],
  );
  return { passages, terms };
}

/** Numbers for passages are taken by so many at most. */
const PASSAGE_NUMBERS = 256;

/** One change of the index in one transaction: what it knows is of this transaction alone. */
class IndexChange {
  #embed: boolean | "as noted";
  readonly #places = new Places();
  readonly #gains = new Map<number, { passages: number; words: number }>();
  #items: number[] = [];
  #passages: number[] = [];
  /** By id, each for the first item that has it: what it says is true until that one is added. */
  #existing = new Map<string, SqlRow | undefined>();
  /** Items up to this one have their words in two tables: a new analyser is reading the index anew. */
  #analysed = 0;

  constructor(embed: boolean | "as noted") {
    this.#embed = embed;
  }

  /**
   * All that can be asked before the first of the items is added. New places come before the first words: storing one
   * makes SQLite write out all words that wait, as a piece of their own.
   */
  *begin(items: readonly Item[]): Unit<void> {
    const ids = [...new Set(items.map(({ id }) => id))];
    const places = [...new Set(items.map(({ place }) => place))];
    const [notes, numbers, passages, rows] = yield* together(
      indexNotes(),
      reserve("recall_item", items.length),
      reserve("recall_passage", Math.min(2 * items.length, PASSAGE_NUMBERS)),
      together(...ids.map(itemNamed)),
      together(...places.map((place) => this.#places.of(place))),
    );
    this.#items = numbers.reverse();
    this.#passages = passages;
    this.#existing = new Map(ids.map((id, i) => [id, rows[i]]));
    this.#analysed = notes.analysed ?? 0;
    if (this.#embed === "as noted") this.#embed = notes.embeds;
    if (items.length > 0 && (this.#items.at(-1) === 1 || !notes.hasAnalyser)) yield* writeNote("analyser", ANALYSER);
  }

  *add(item: Item): Unit<boolean> {
    const digest = hash("sha1", item.text, "buffer");
    const existing = this.#existing.has(item.id) ? this.#existing.get(item.id) : yield* itemNamed(item.id);
    this.#existing.delete(item.id);
    if (existing) {
      if (digest.equals(existing["hash"] as Uint8Array) && existing["role"] === item.role) return false;
      yield* this.remove([existing]);
    }
    const place = yield* this.#places.of(item.place);
    const { turn, kind, role } = item;
    if (turn !== undefined && item.text !== "" && (yield* saidBefore(place.home, turn, kind, role, digest)))
      return false;
    const texts = indexable(item.text, role);
    const ids = yield* this.#passageNumbers(texts.length);
    const words = texts.reduce((sum, p) => sum + p.length, 0);
    const [first = 0, last = first - 1] = [ids[0], ids.at(-1)];
    const id = this.#items.pop() ?? 0;
    yield* execute(
      `INSERT INTO recall_item (id, key, kind, role, time, seq, turn, item, place, home, words, passage, passages, hash, cut, path, line, trust)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[id, item.id, kind, role, item.time ?? 0, item.seq, turn ?? null, item.index ?? null, place.id, place.home],
      ...[words, first, last - first + 1, digest, item.text.length > INDEXED_CHARS ? 1 : 0],
      ...[item.path ?? null, item.line ?? null, item.trust ?? null],
    );
    for (const [i, { start, length, text }] of texts.entries())
      yield* execute(
        "INSERT INTO recall_passage (id, item, start, words, hash, text) VALUES (?, ?, ?, ?, ?, ?)",
        ...[ids[i] ?? 0, id, start, length, texts.length === 1 ? digest : hash("sha1", text, "buffer"), text],
      );
    const terms = texts.flatMap(({ tokens, length }, i) => (length === 0 ? [] : [{ passage: ids[i] ?? 0, tokens }]));
    for (const table of this.#termTables(id)) yield* putTerms(table, termPlaceOf(place, kind, role), terms);
    if (isSaid(place, kind))
      yield* putSaid(texts.flatMap((p, i) => (p.length === 0 ? [] : { id: ids[i] ?? 0, text: p.text })));
    if (this.#embed)
      for (const { passage } of terms)
        yield* execute("INSERT INTO recall_waiting (passage) VALUES (?) ON CONFLICT (passage) DO NOTHING", passage);
    this.#gain(place, terms.length, words);
    return true;
  }

  /** All words first, one item after the other: a write to another table makes FTS5 write out what it has gathered. */
  *remove(rows: readonly SqlRow[]): Unit<void> {
    const items: RemovedItem[] = [];
    for (const [i, { passages, terms }] of (yield* together(...rows.map(termsOf))).entries()) {
      const { id, kind, role, place } = rows[i] ?? {};
      const at = yield* this.#places.byId(Number(place));
      items.push({ id: Number(id), kind: String(kind), role: String(role), place: at, passages, terms });
    }
    // A row that comes before the last one makes it write out, too.
    items.sort((a, b) => (a.passages[0]?.id ?? 0) - (b.passages[0]?.id ?? 0));
    for (const { id, kind, role, place, terms } of items)
      for (const table of this.#termTables(id)) yield* removeTerms(table, termPlaceOf(place, kind, role), terms);
    const isIndexed = ({ words }: StoredPassage): boolean => words > 0;
    for (const { kind, place, passages } of items) {
      const indexed = passages.filter(isIndexed);
      if (isSaid(place, kind)) yield* removeSaid(indexed);
      this.#gain(place, -indexed.length, -indexed.reduce((sum, { words }) => sum + words, 0));
    }
    yield* noteRemoval();
    const passages = items.flatMap((item) => item.passages);
    yield* deleteNumbered("recall_waiting", "passage", passages.filter(isIndexed));
    yield* deleteNumbered("recall_passage", "id", passages);
    // Others with the same text get theirs again with the next line-up.
    for (const { hash: digest } of passages) yield* execute("DELETE FROM recall_vector WHERE hash = ?", digest);
    yield* deleteNumbered("recall_item", "id", items);
  }

  /** In the order of scopes, so that writers never wait for each other in a circle. */
  *settle(): Unit<void> {
    const gains = [...this.#gains].map(([scope, gain]) => ({ scope, ...gain }));
    yield* tally(gains.sort((a, b) => a.scope - b.scope));
    yield* mergePieces();
  }

  *#passageNumbers(count: number): Unit<number[]> {
    if (this.#passages.length < count)
      this.#passages = yield* reserve(
        "recall_passage",
        Math.max(count, Math.min(2 * this.#items.length, PASSAGE_NUMBERS)),
      );
    return this.#passages.splice(0, count);
  }

  #termTables(item: number): TermTable[] {
    return item <= this.#analysed ? ["recall_terms", NEXT_TERMS] : ["recall_terms"];
  }

  #gain({ scopes }: StoredPlace, passages: number, words: number): void {
    if (passages === 0) return;
    for (const id of scopes) {
      const gain = this.#gains.get(id) ?? { passages: 0, words: 0 };
      this.#gains.set(id, { passages: gain.passages + passages, words: gain.words + words });
    }
  }
}

const itemNamed = (key: string): Unit<SqlRow | undefined> =>
  oneRow("SELECT id, kind, role, place, hash FROM recall_item WHERE key = ?", key);

function* saidBefore(home: number, turn: number, kind: string, role: string, digest: Uint8Array): Unit<boolean> {
  // An expression keeps a partial index on kind out of the plan: SQLite would compile the statement anew for every value.
  const sql = "SELECT 1 FROM recall_item WHERE home = ? AND turn = ? AND kind || '' = ? AND role = ? AND hash = ?";
  return (yield* arrayRows(sql, home, turn, kind, role, digest)).length > 0;
}

const isSaid = (place: StoredPlace, kind: string): boolean => place.local && kind !== "record" && kind !== "board";

/** So many pages of SQLite at a time: a few milliseconds. */
const MOST_MERGED = 64;

/** Each transaction leaves a piece of its own, and a search looks into all of them: they become few again, some at a time. */
const mergePieces = (): Unit<void> =>
  onEmbedded((db) => {
    prepared(db, "INSERT INTO recall_terms (recall_terms, rank) VALUES ('merge', ?)").run(MOST_MERGED);
  });

type SaidPassage = { id: number; text: string };
/** The user's own sessions are also found by whoever reads `store.db`. */
const putSaid = (passages: readonly SaidPassage[]): Unit<void> =>
  onEmbedded((db) => {
    const insert = prepared(db, "INSERT INTO search_index (rowid, content) VALUES (?, ?)");
    for (const { id, text } of passages) insert.run(id, text);
  });

const removeSaid = (passages: readonly SaidPassage[]): Unit<void> =>
  onEmbedded((db) => {
    const remove = prepared(db, "INSERT INTO search_index (search_index, rowid, content) VALUES ('delete', ?, ?)");
    for (const { id, text } of passages) remove.run(id, text);
  });
