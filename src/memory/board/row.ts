// Rows of the board as a store keeps them, and reading them.
import { allRows, execute, oneRow, type Unit } from "../../store/unit.ts";
import type { BoardItem, BoardPlace, ItemSource, Src } from "./item.ts";

type Row = Record<string, unknown>;

const text = (row: Row, name: string): string => String(row[name] ?? "");

export function itemOf(row: Row): BoardItem {
  return {
    src: text(row, "src") === "user" ? "user" : "agent",
    name: text(row, "name"),
    description: text(row, "description"),
    content: text(row, "content"),
    readCount: Number(row["read_count"]),
    count: Number(row["count"]),
    version: Number(row["version"]),
    author: text(row, "author"),
    source: JSON.parse(text(row, "source") || "{}") as ItemSource,
    createdAt: text(row, "created_at"),
    updatedAt: text(row, "updated_at"),
    lastReadAt: row["last_read_at"] === null ? null : text(row, "last_read_at"),
  };
}

/** The user's first, then by name. */
export function* listItems({ repository, branch }: BoardPlace): Unit<BoardItem[]> {
  const rows = yield* allRows(
    "SELECT * FROM dynamic_context_items WHERE repository = ? AND branch = ? ORDER BY src = 'agent', name",
    ...[repository, branch],
  );
  return rows.map(itemOf);
}

export function* findItem({ repository, branch }: BoardPlace, src: Src, name: string): Unit<BoardItem | undefined> {
  const row = yield* oneRow(
    "SELECT * FROM dynamic_context_items WHERE repository = ? AND branch = ? AND src = ? AND name = ?",
    ...[repository, branch, src, name],
  );
  return row && itemOf(row);
}

/** All of a row, counters too: in the middle of a transaction that has decided what stands there. */
export function* writeRow(place: BoardPlace, item: BoardItem): Unit<void> {
  yield* execute(
    `INSERT INTO dynamic_context_items (repository, branch, src, name, description, content, read_count, count,
       version, author, source, created_at, updated_at, last_read_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (repository, branch, src, name) DO UPDATE SET description = excluded.description,
       content = excluded.content, read_count = excluded.read_count, count = excluded.count, version = excluded.version,
       author = excluded.author, source = excluded.source, created_at = excluded.created_at,
       updated_at = excluded.updated_at, last_read_at = excluded.last_read_at`,
    ...[place.repository, place.branch, item.src, item.name, item.description, item.content],
    ...[item.readCount, item.count, item.version, item.author, JSON.stringify(item.source)],
    ...[item.createdAt, item.updatedAt, item.lastReadAt],
  );
}

export function* deleteRow({ repository, branch }: BoardPlace, src: Src, name: string): Unit<void> {
  yield* execute(
    "DELETE FROM dynamic_context_items WHERE repository = ? AND branch = ? AND src = ? AND name = ?",
    ...[repository, branch, src, name],
  );
}

export function* countItems({ repository, branch }: BoardPlace): Unit<{ all: number; user: number }> {
  const row = yield* oneRow(
    `SELECT count(*) AS n, count(*) FILTER (WHERE src = 'user') AS own FROM dynamic_context_items
     WHERE repository = ? AND branch = ?`,
    ...[repository, branch],
  );
  return { all: Number(row?.["n"] ?? 0), user: Number(row?.["own"] ?? 0) };
}
