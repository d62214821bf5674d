// Small facts about a store, kept in it: which embedder it uses, whether something was taken out or is still to be put in.
import type { DatabaseSync } from "node:sqlite";
import { prepared } from "./statement.ts";

type Name = "embedder" | "linedUp" | "removed" | "rebuild" | "filled" | "analyser" | "analysing" | "extractorUse";

export function noteOf(db: DatabaseSync, name: Name): string | undefined {
  const row = prepared(db, "SELECT value FROM recall_note WHERE name = ?").get(name);
  return row ? String(row["value"]) : undefined;
}

/** Inside the caller's transaction. */
export function setNote(db: DatabaseSync, name: Name, value: string | undefined): void {
  if (value === undefined) prepared(db, "DELETE FROM recall_note WHERE name = ?").run(name);
  else prepared(db, "INSERT OR REPLACE INTO recall_note (name, value) VALUES (?, ?)").run(name, value);
}

/** The version of `text/`: to be raised with every change that makes other tokens of the same text. */
export const ANALYSER = "2";
/** While a new analyser reads the texts anew, their new words stand here. */
export const NEXT_TERMS = "recall_terms_next";

/** The last item whose words are read anew; undefined while none are. */
export function analysing(db: DatabaseSync): number | undefined {
  const [version, last] = noteOf(db, "analysing")?.split(" ") ?? [];
  return version === ANALYSER ? Number(last) : undefined;
}

/** Whether new passages are to get a vector. */
export const keepsVectors = (db: DatabaseSync): boolean => (noteOf(db, "embedder") ?? "none") !== "none";
