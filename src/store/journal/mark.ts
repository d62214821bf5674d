// Whether the journal beside a database is the one that it wrote: it knows by which line ended where.
import { closeSync, constants, openSync } from "node:fs";
import { isRecord, parseJson } from "../../base/json.ts";
import { readAt } from "../../host/files.ts";
import type { Database } from "../sqlite.ts";
import { segmentPath } from "./segment.ts";

/** `end`: after the newline. */
type JournalMark = { segment: number; start: number; end: number; line: string };

export function addMark(db: Database, { segment, start, end, line }: JournalMark): void {
  db.prepare("INSERT OR REPLACE INTO journal_mark (segment, line_start, line_end, line) VALUES (?, ?, ?, ?)").run(
    segment,
    start,
    end,
    line,
  );
}

/** Marks of earlier segments go: nobody goes back to them. */
export const dropMarks = (db: Database, segment: number): void =>
  void db.prepare("DELETE FROM journal_mark WHERE segment <> ?").run(segment);

/** The last line that the database knows to end at this place or before it. */
function lastMark(db: Database, segment: number, until: number): JournalMark | undefined {
  const row = db
    .prepare("SELECT * FROM journal_mark WHERE segment = ? AND line_end <= ? ORDER BY line_end DESC LIMIT 1")
    .get(segment, until);
  return row && { segment, start: Number(row["line_start"]), end: Number(row["line_end"]), line: String(row["line"]) };
}

/**
 * False: the journal has other lines where the database knows its own, or lines that it does not know where it has read
 * already. Then the two went on apart, on two machines or in two copies of the home. `offset`: how far it has read.
 */
export function isOwnJournal(db: Database, folder: string, segment: number, offset: number, size: number): boolean {
  const mark = lastMark(db, segment, Math.min(offset, size));
  if (!mark) return true; // nothing is known
  const fd = openSync(segmentPath(folder, segment), constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    if (idIn(readAt(fd, mark.start, mark.end - mark.start)) !== mark.line) return false;
    return offset <= size || idIn(firstLine(readAt(fd, mark.end, size - mark.end))) === undefined;
  } finally {
    closeSync(fd);
  }
}

const firstLine = (bytes: Buffer): Buffer => bytes.subarray(0, Math.max(0, bytes.indexOf(10)));

function idIn(bytes: Buffer): string | undefined {
  const parsed = parseJson(bytes.toString());
  return parsed.ok && isRecord(parsed.value) && typeof parsed.value["id"] === "string" ? parsed.value["id"] : undefined;
}
