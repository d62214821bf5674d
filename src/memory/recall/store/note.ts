// Small facts about a store, kept in it: which embedder it uses, whether something was taken out or is still to be put in.

import { runUnit } from "../../../store/embedded-store.ts";
import type { Database } from "../../../store/sqlite.ts";
import { allRows, execute, oneRow, type Unit } from "../../../store/unit.ts";
import { ANALYSER } from "../text/tokens.ts";

type Name = "embedder" | "linedUp" | "removed" | "rebuild" | "filled" | "analyser" | "analysing" | "extractorUse";

export function* readNote(name: Name): Unit<string | undefined> {
  const row = yield* oneRow("SELECT value FROM recall_note WHERE name = ?", name);
  return row && String(row["value"]);
}

export function* writeNote(name: Name, value: string | undefined): Unit<void> {
  if (value === undefined) yield* execute("DELETE FROM recall_note WHERE name = ?", name);
  else
    yield* execute(
      "INSERT INTO recall_note (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      ...[name, value],
    );
}

export const noteOf = (db: Database, name: Name): string | undefined => runUnit(db, readNote(name));

/** Inside the caller's transaction. */
export const setNote = (db: Database, name: Name, value: string | undefined): void =>
  runUnit(db, writeNote(name, value));

/** While a new analyser reads the texts anew, their new words stand here. */
export const NEXT_TERMS = "recall_terms_next";

/** What a change of the index goes by. */
type IndexNotes = {
  /** The last item whose words are read anew; undefined while none are. */
  analysed: number | undefined;
  hasAnalyser: boolean;
  /** Whether new passages are to get a vector. */
  embeds: boolean;
};

export function* indexNotes(): Unit<IndexNotes> {
  const rows = yield* allRows(
    "SELECT name, value FROM recall_note WHERE name IN ('analysing', 'analyser', 'embedder')",
  );
  const notes = new Map(rows.map((row) => [row["name"], String(row["value"])]));
  const [version, last] = notes.get("analysing")?.split(" ") ?? [];
  return {
    analysed: version === ANALYSER ? Number(last) : undefined,
    hasAnalyser: notes.has("analyser"),
    embeds: (notes.get("embedder") ?? "none") !== "none",
  };
}

export const analysing = (db: Database): number | undefined => runUnit(db, indexNotes()).analysed;

export const keepsVectors = (db: Database): boolean => runUnit(db, indexNotes()).embeds;
