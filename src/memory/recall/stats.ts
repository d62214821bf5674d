// How much is in the index, and how far its vectors are.
import type { DatabaseSync } from "node:sqlite";
import type { Kind } from "./item.ts";
import { noteOf } from "./store/note.ts";

export type RecallStats = {
  items: number;
  passages: number;
  sessions: number;
  kinds: Partial<Record<Kind, number>>;
  /** `none` while texts are found by their words alone. */
  embedder: string;
  vectors: number;
  /** Passages without a vector yet, and those that were given up. */
  waiting: number;
  parked: number;
};

/** Counts every row: for a thread of its own. */
export function statsOf(db: DatabaseSync): RecallStats {
  const count = (sql: string): number => Number(db.prepare(sql).get()?.["n"] ?? 0);
  const kinds = db.prepare("SELECT kind, count(*) AS n FROM recall_item GROUP BY kind ORDER BY kind").all();
  const parked = count("SELECT count(*) AS n FROM recall_waiting WHERE tries >= 3");
  return {
    items: kinds.reduce((sum, row) => sum + Number(row["n"]), 0),
    passages: count("SELECT sum(passages) AS n FROM recall_scope WHERE type = 'all'"),
    sessions: count("SELECT count(*) AS n FROM recall_scope WHERE type = 'session' AND passages > 0"),
    kinds: Object.fromEntries(kinds.map((row) => [String(row["kind"]), Number(row["n"])])),
    embedder: noteOf(db, "embedder") ?? "none",
    vectors: count("SELECT count(*) AS n FROM recall_vector"),
    waiting: count("SELECT count(*) AS n FROM recall_waiting") - parked,
    parked,
  };
}
