// How far the database has the journal: a row of the database itself, moved in the transaction of each change.
import type { Database } from "../sqlite.ts";

export type Position = { segment: number; offset: number };
export type JournalState = Position & { journal: string };

export function readState(db: Database): JournalState | undefined {
  const row = db.prepare("SELECT journal, segment, journal_offset FROM journal_state").get();
  return (
    row && { journal: String(row["journal"]), segment: Number(row["segment"]), offset: Number(row["journal_offset"]) }
  );
}

export function writeState(db: Database, { journal, segment, offset }: JournalState): void {
  db.prepare("INSERT OR REPLACE INTO journal_state (one, journal, segment, journal_offset) VALUES (1, ?, ?, ?)").run(
    journal,
    segment,
    offset,
  );
}

export const isBefore = (a: Position, b: Position): boolean =>
  a.segment < b.segment || (a.segment === b.segment && a.offset < b.offset);
