// Homes with a store and its journal, for tests.
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStoreAt } from "../open-store.ts";
import type { StorePlace, StoreRebuilt } from "../rebuild/rebuild-file.ts";
import { type Database, write } from "../sqlite.ts";
import { segmentPath, segmentsIn } from "./segment.ts";
import { storeJournal } from "./tables.ts";

export type JournalHome = StorePlace & { home: string };

export function newHome(): JournalHome {
  const home = mkdtempSync(join(tmpdir(), "everlong-journal-"));
  const under = (name: string): string => join(home, name);
  return {
    home,
    store: under("store.db"),
    journal: under("journal"),
    quarantine: under("quarantine"),
    locks: under("locks"),
  };
}

/** The store, and what was said if it had to be made anew. */
export async function openHome(place: JournalHome): Promise<{ db: Database; rebuilt: StoreRebuilt | undefined }> {
  let rebuilt: StoreRebuilt | undefined;
  const opened = await openStoreAt(place, {
    onRebuilt: (one) => {
      rebuilt = one;
    },
  });
  if (!opened.ok) throw new Error(opened.error.what);
  return { db: opened.value, rebuilt };
}

const MEMORY = `INSERT INTO memories (id, scope, user, subject, fact, fact_hash, reason, status, source, author, trust, created_at, updated_at)
  VALUES (?, 'user', 'me', ?, ?, ?, 'why', 'active', '{}', '{}', 1, '2026-01-01', '2026-01-01')`;

/** A memory with a citation, in one transaction. */
export async function addMemory(db: Database, id: string, fact = `fact of ${id}`): Promise<void> {
  const outcome = await write(db, () => {
    db.prepare(MEMORY).run(id, "subject", fact, `hash-${id}`);
    db.prepare(
      "INSERT INTO memory_text (rowid, subject, fact) SELECT seq, subject, fact FROM memories WHERE id = ?",
    ).run(id);
    db.prepare("INSERT INTO memory_citations (memory, position, raw, kind, state) VALUES (?, 0, ?, 'file', 'ok')").run(
      id,
      `src/${id}.ts:1`,
    );
  });
  if (!outcome.ok) throw new Error(outcome.error.what);
}

export const memoryIds = (db: Database): string[] =>
  db
    .prepare("SELECT id FROM memories ORDER BY seq")
    .all()
    .map((row) => String(row["id"]));

/** Every row of every journalled table, and what is made from them. */
export const rowsOf = (db: Database): Record<string, unknown[]> =>
  Object.fromEntries(
    [...Object.keys(storeJournal), "memory_text"].map((table) => {
      const columns = table === "memory_text" ? "rowid, subject, fact" : "*";
      return [
        table,
        db
          .prepare(`SELECT ${columns} FROM ${table} ORDER BY 1, 2`)
          .all()
          .map((row) => ({ ...row })),
      ];
    }),
  );

export const journalText = ({ journal }: StorePlace): string =>
  segmentsIn(journal)
    .map((segment) => readFileSync(segmentPath(journal, segment), "utf8"))
    .join("");
