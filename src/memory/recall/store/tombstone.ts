// Tombstones: what a person had forgotten comes back from no log, feed or import. They hold none of its words.
import { hash, randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { prepared } from "./statement.ts";

/** What an item is recognised by when it comes again: by its id, or as the same text said at the same moment. */
type BuriedItem = { id: string; session?: string; time?: number; text?: string };

export const hasTombstones = (db: DatabaseSync): boolean =>
  prepared(db, "SELECT 1 FROM tombstone LIMIT 1").get() !== undefined;

/** Inside the caller's transaction. */
export function bury(db: DatabaseSync, item: BuriedItem): void {
  const salt = saltOf(db) ?? randomBytes(16).toString("hex");
  prepared(db, "INSERT OR IGNORE INTO tombstone (id, digest, salt) VALUES (?, ?, ?)").run(
    ...[item.id, digestOf(item, salt), salt],
  );
}

export function isBuried(db: DatabaseSync, item: BuriedItem): boolean {
  if (prepared(db, "SELECT 1 FROM tombstone WHERE id = ?").get(item.id)) return true;
  const salt = item.text === undefined ? undefined : saltOf(db);
  if (salt === undefined) return false;
  return prepared(db, "SELECT 1 FROM tombstone WHERE digest = ?").get(digestOf(item, salt)) !== undefined;
}

/** One salt for the whole store, so that a digest can be looked up. */
function saltOf(db: DatabaseSync): string | undefined {
  const row = prepared(db, "SELECT salt FROM tombstone LIMIT 1").get();
  return row && String(row["salt"]);
}

/** Empty for an item without a text: its id alone is recognised. */
const digestOf = ({ session, time, text }: BuriedItem, salt: string): string =>
  text === undefined ? "" : hash("sha256", JSON.stringify([salt, session, time, text]));

/** The turn of a session as the graph is fed with it. */
export const fedTurn = (session: string, turn: number | string): BuriedItem => ({ id: `graph:${session}:t${turn}` });
