// Small facts about a store, kept in it: which embedder it uses, whether something was taken out or is still to be put in.
import type { DatabaseSync } from "node:sqlite";
import { prepared } from "./statement.ts";

type Name = "embedder" | "linedUp" | "removed" | "rebuild" | "filled";

export function noteOf(db: DatabaseSync, name: Name): string | undefined {
  const row = prepared(db, "SELECT value FROM recall_note WHERE name = ?").get(name);
  return row ? String(row["value"]) : undefined;
}

/** Inside the caller's transaction. */
export function setNote(db: DatabaseSync, name: Name, value: string | undefined): void {
  if (value === undefined) prepared(db, "DELETE FROM recall_note WHERE name = ?").run(name);
  else prepared(db, "INSERT OR REPLACE INTO recall_note (name, value) VALUES (?, ?)").run(name, value);
}

/** Whether new passages are to get a vector. */
export const keepsVectors = (db: DatabaseSync): boolean => (noteOf(db, "embedder") ?? "none") !== "none";
