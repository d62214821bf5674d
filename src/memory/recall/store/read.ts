// Rows of the index as values: passages with their items, neighbours in a conversation, whole texts.
import { allRows, arrayRows, eachRows, oneRow, type SqlRow, type Unit } from "../../../store/unit.ts";
import type { ItemPlace, Kind } from "../item.ts";
import type { IndexedItem, StoredPassage } from "./indexed-item.ts";
import { type KnownPlace, KnownRows } from "./known-rows.ts";
import type { SmallIndex } from "./small-index.ts";

/** The columns of an item, of a table named `i`. */
export const ITEM =
  "i.id, i.key, i.kind, i.role, i.time, i.seq, i.turn, i.item, i.place, i.home, i.rewound, i.path, i.line";

/** Numbers of other items may stand between those of an item's passages where many write at once. */
const OF_ITEM = `FROM recall_item i JOIN recall_passage p ON p.id >= i.passage AND p.id < i.passage + i.passages
  AND p.item = i.id`;
const MESSAGE = "SELECT id, place, seq FROM recall_item WHERE home = ?1 AND kind = 'turn' AND words > 0 AND time < ?3";
const PREVIOUS = `${MESSAGE} AND seq < ?2 ORDER BY seq DESC LIMIT 2`;
const NEXT = `${MESSAGE} AND seq > ?2 ORDER BY seq LIMIT 2`;

export function itemOf(row: SqlRow): IndexedItem {
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
    ...(row["line"] === null ? {} : { line: lineOf(row["line"] as number | string) }),
  };
}

/** A number is one however its column keeps it. */
const lineOf = (line: number | string): number | string =>
  typeof line === "string" && /^\d{1,15}$/.test(line) ? Number(line) : line;

/** What `rows` has is not read again; without it, rows are known within one unit of work. */
export class Reader {
  readonly #known: KnownRows;
  readonly #small: SmallIndex | undefined;

  constructor(rows = new KnownRows(), small?: SmallIndex) {
    this.#known = rows;
    this.#small = small;
  }

  *passages(ids: readonly number[]): Unit<StoredPassage[]> {
    const sql = "SELECT id, item, start, text FROM recall_passage WHERE id IN (SELECT 0 + value FROM json_each(?))";
    const { passages } = this.#known;
    return yield* rowsOf(passages, ids, function* (missing) {
      const rows = (yield* arrayRows(sql, JSON.stringify(missing))) as PassageRow[];
      for (const row of rows) passageOf(row, passages);
    });
  }

  /** The beginnings of items: enough to see what a message is about. */
  *beginnings(items: readonly number[]): Unit<StoredPassage[]> {
    const sql = `SELECT p.id, p.item, p.start, p.text ${OF_ITEM} WHERE i.id IN (SELECT 0 + value FROM json_each(?))
      AND p.id < i.passage + 3 AND p.words > 0`;
    const { beginnings, passages } = this.#known;
    const lists = yield* rowsOf(beginnings, items, function* (missing) {
      for (const id of missing) beginnings.set(id, []);
      const rows = (yield* arrayRows(sql, JSON.stringify(missing))) as PassageRow[];
      for (const row of rows) beginnings.get(row[1])?.push(passageOf(row, passages));
    });
    return lists.flat();
  }

  /** The passages of one item in order; a very long item gives its first ones. */
  *passagesOf(item: number, limit = 500): Unit<StoredPassage[]> {
    const sql = `SELECT p.id, p.item, p.start, p.text ${OF_ITEM} WHERE i.id = ? AND p.words > 0 ORDER BY p.id LIMIT ?`;
    return (yield* allRows(sql, item, limit)) as StoredPassage[];
  }

  *items(ids: readonly number[]): Unit<IndexedItem[]> {
    const sql = `SELECT ${ITEM} FROM recall_item i WHERE i.id IN (SELECT 0 + value FROM json_each(?))`;
    const { items } = this.#known;
    return yield* rowsOf(items, ids, function* (missing) {
      for (const row of yield* allRows(sql, JSON.stringify(missing))) items.set(Number(row["id"]), itemOf(row));
    });
  }

  *item(key: string): Unit<IndexedItem | undefined> {
    const row = yield* oneRow(`SELECT ${ITEM} FROM recall_item i WHERE i.key = ?`, key);
    return row && itemOf(row);
  }

  /** The exact text, as it went in. */
  *text(item: number): Unit<string> {
    const rows = yield* allRows(`SELECT p.text ${OF_ITEM} WHERE i.id = ? ORDER BY p.id`, item);
    return rows.map((r) => String(r["text"])).join("");
  }

  /** For each item the messages before and after it in its session, two on each side, the nearest first. */
  *neighbours(items: readonly IndexedItem[], before: number): Unit<[NeighbourMessage[], NeighbourMessage[]][]> {
    const small = this.#small;
    if (small) return items.map(({ home, seq }) => small.around(home, seq, before));
    const lists = items.map((item) => [item.home, item.seq, before]);
    const previous = (yield* eachRows(PREVIOUS, lists)) as MessageRow[][];
    const next = (yield* eachRows(NEXT, lists)) as MessageRow[][];
    return items.map((_, i) => [nearest(previous[i] ?? [], -1), nearest(next[i] ?? [], 1)]);
  }

  /** Their places can be had from then on. */
  *loadPlaces(ids: Iterable<number>): Unit<void> {
    const sql = "SELECT id, place, scopes FROM recall_place WHERE id IN (SELECT 0 + value FROM json_each(?))";
    const { places } = this.#known;
    yield* rowsOf(places, [...new Set(ids)], function* (missing) {
      for (const row of yield* allRows(sql, JSON.stringify(missing)))
        places.set(Number(row["id"]), {
          place: JSON.parse(String(row["place"])) as ItemPlace,
          scopes: String(row["scopes"]).split(" ").map(Number),
        });
    });
  }

  place(id: number): KnownPlace {
    const place = this.#known.places.get(id);
    if (!place) throw new Error(`place ${id} was not loaded`);
    return place;
  }
}

type PassageRow = [id: number, item: number, start: number, text: string];

/** One object a passage: what is remembered by its text is then found without looking at the text. */
function passageOf([id, item, start, text]: PassageRow, passages: Map<number, StoredPassage>): StoredPassage {
  const passage = passages.get(id) ?? { id, item, start, text };
  passages.set(id, passage);
  return passage;
}

/** The rows of these numbers; `load` reads those that are missing. */
function* rowsOf<Row>(
  rows: ReadonlyMap<number, Row>,
  ids: readonly number[],
  load: (missing: readonly number[]) => Unit<void>,
): Unit<Row[]> {
  const missing = ids.filter((id) => !rows.has(id));
  if (missing.length > 0) yield* load(missing);
  return ids.flatMap((id) => rows.get(id) ?? []);
}

type NeighbourMessage = { id: number; place: number };
type MessageRow = [id: number, place: number, seq: number];

const nearest = (rows: MessageRow[], direction: 1 | -1): NeighbourMessage[] =>
  rows.sort((a, b) => direction * (a[2] - b[2])).map(([id, place]) => ({ id, place }));
