// Rows of the board as SQLite keeps them, and reading them.
import type { Database } from "../../store/sqlite.ts";
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
export function listItems(db: Database, { repository, branch }: BoardPlace): BoardItem[] {
  return db
    .prepare("SELECT * FROM dynamic_context_items WHERE repository = ? AND branch = ? ORDER BY src = 'agent', name")
    .all(repository, branch)
    .map(itemOf);
}

export function findItem(db: Database, { repository, branch }: BoardPlace, src: Src, name: string) {
  const row = db
    .prepare("SELECT * FROM dynamic_context_items WHERE repository = ? AND branch = ? AND src = ? AND name = ?")
    .get(repository, branch, src, name);
  return row && itemOf(row);
}

/** All of a row, counters too: in the middle of a transaction that has decided what stands there. */
export function writeRow(db: Database, { repository, branch }: BoardPlace, item: BoardItem): void {
  db.prepare(
    `INSERT OR REPLACE INTO dynamic_context_items (repository, branch, src, name, description, content, read_count, count,
       version, author, source, created_at, updated_at, last_read_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    ...[repository, branch, item.src, item.name, item.description, item.content, item.readCount, item.count],
    ...[item.version, item.author, JSON.stringify(item.source), item.createdAt, item.updatedAt, item.lastReadAt],
  );
}

export function deleteRow(db: Database, { repository, branch }: BoardPlace, src: Src, name: string): void {
  db.prepare("DELETE FROM dynamic_context_items WHERE repository = ? AND branch = ? AND src = ? AND name = ?").run(
    repository,
    branch,
    src,
    name,
  );
}

export function countItems(db: Database, { repository, branch }: BoardPlace): { all: number; user: number } {
  const row = db
    .prepare(
      "SELECT count(*) AS n, total(src = 'user') AS own FROM dynamic_context_items WHERE repository = ? AND branch = ?",
    )
    .get(repository, branch);
  return { all: Number(row?.["n"] ?? 0), user: Number(row?.["own"] ?? 0) };
}
