// Rows of the index as values: passages with their items, neighbours in a conversation, whole texts.
import type { DatabaseSync } from "node:sqlite";
import type { ItemPlace, Kind } from "../item.ts";
import { prepared } from "./statement.ts";

export type IndexedItem = {
  id: number;
  key: string;
  kind: Kind;
  role: string;
  time?: number;
  seq: number;
  turn?: number;
  index?: number;
  place: number;
  home: number;
  rewound: boolean;
  path?: string;
  line?: number | string;
};
export type StoredPassage = { id: number; item: number; start: number; text: string };

type Row = Record<string, unknown>;
/** The columns of an item, of a table named `i`. */
export const ITEM =
  "i.id, i.key, i.kind, i.role, i.time, i.seq, i.turn, i.item, i.place, i.home, i.rewound, i.path, i.line";

const OF_ITEM = "FROM recall_item i JOIN recall_passage p ON p.id >= i.passage AND p.id < i.passage + i.passages";
const MESSAGE = "SELECT id, place FROM recall_item WHERE home = ?1 AND kind = 'turn' AND words > 0 AND time < ?3";
const PREVIOUS = `${MESSAGE} AND seq < ?2 ORDER BY seq DESC LIMIT 2`;
const NEXT = `${MESSAGE} AND seq > ?2 ORDER BY seq LIMIT 2`;

export function itemOf(row: Row): IndexedItem {
  return {
    id: Number(row["id"]),
    key: String(row["key"]),
    kind: row["kind"] as Kind,
    role: String(row["role"]),
    seq: Number(row["seq"]),
    place: Number(row["place"]),
    home: Number(row["home"]),
    rewound: row["rewound"] === 1,
    ...(row["time"] === 0 ? {} : { time: Number(row["time"]) }),
    ...(row["turn"] === null ? {} : { turn: Number(row["turn"]) }),
    ...(row["item"] === null ? {} : { index: Number(row["item"]) }),
    ...(row["path"] === null ? {} : { path: String(row["path"]) }),
    ...(row["line"] === null ? {} : { line: row["line"] as number | string }),
  };
}

export class Reader {
  readonly #db: DatabaseSync;
  readonly #places = new Map<number, { place: ItemPlace; scopes: number[] }>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  passages(ids: readonly number[]): StoredPassage[] {
    const sql = "SELECT id, item, start, text FROM recall_passage WHERE id IN (SELECT value FROM json_each(?))";
    return this.#all(sql, JSON.stringify(ids)) as StoredPassage[];
  }

  /** The beginnings of items: enough to see what a message is about. */
  beginnings(items: readonly number[]): StoredPassage[] {
    const sql = `SELECT p.id, p.item, p.start, p.text ${OF_ITEM} WHERE i.id IN (SELECT value FROM json_each(?))
      AND p.id < i.passage + 3 AND p.words > 0`;
    return this.#all(sql, JSON.stringify(items)) as StoredPassage[];
  }

  /** The passages of one item in order; a very long item gives its first ones. */
  passagesOf(item: number, limit = 500): StoredPassage[] {
    const sql = `SELECT p.id, p.item, p.start, p.text ${OF_ITEM} WHERE i.id = ? AND p.words > 0 ORDER BY p.id LIMIT ?`;
    return this.#all(sql, item, limit) as StoredPassage[];
  }

  items(ids: readonly number[]): IndexedItem[] {
    const sql = `SELECT ${ITEM} FROM recall_item i WHERE i.id IN (SELECT value FROM json_each(?))`;
    return this.#all(sql, JSON.stringify(ids)).map(itemOf);
  }

  item(key: string): IndexedItem | undefined {
    const row = this.#get(`SELECT ${ITEM} FROM recall_item i WHERE i.key = ?`, key);
    return row && itemOf(row);
  }

  /** The exact text, as it went in. */
  text(item: number): string {
    const rows = this.#all(`SELECT p.text ${OF_ITEM} WHERE i.id = ? ORDER BY p.id`, item);
    return rows.map((r) => String(r["text"])).join("");
  }

  /** Messages before and after an item in its session, two on each side, the nearest first. */
  neighbours(item: IndexedItem, before: number): { id: number; place: number }[][] {
    return [PREVIOUS, NEXT].map((sql) =>
      (prepared(this.#db, sql, true).all(item.home, item.seq, before) as unknown as [number, number][]).map(
        ([id, place]) => ({ id, place }),
      ),
    );
  }

  place(id: number): { place: ItemPlace; scopes: number[] } {
    const cached = this.#places.get(id);
    if (cached) return cached;
    const row = this.#get("SELECT place, scopes FROM recall_place WHERE id = ?", id);
    if (!row) throw new Error(`place ${id} is not stored`);
    const item = {
      place: JSON.parse(String(row["place"])) as ItemPlace,
      scopes: String(row["scopes"]).split(" ").map(Number),
    };
    this.#places.set(id, item);
    return item;
  }

  #get(sql: string, ...values: (string | number)[]): Row | undefined {
    return prepared(this.#db, sql).get(...values);
  }
  #all(sql: string, ...values: (string | number)[]): Row[] {
    return prepared(this.#db, sql).all(...values);
  }
}
