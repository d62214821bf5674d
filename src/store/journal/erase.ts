// Deleted text leaves the lines that were written before: its rows become gaps of equal length, in place.
import { hash } from "node:crypto";
import { closeSync, constants, openSync, writeSync } from "node:fs";
import { isRecord } from "../../base/json.ts";
import { encodeLine } from "../../base/json-line.ts";
import { ok, type Result } from "../../base/result.ts";
import { codeOf, type Fault } from "../fault.ts";
import { readLog } from "../read-log.ts";
import { removeQuarantined } from "../rebuild/quarantine.ts";
import { type Database, whileBusy } from "../sqlite.ts";
import { type Cell, type ChangeLine, isChangeLine, isJournalLine, type RowChange } from "./line.ts";
import { segmentPath, segmentsIn } from "./segment.ts";
import { isBefore, type Position } from "./state.ts";
import type { JournalledTables } from "./tables.ts";

/** What a text was about, such as a memory and its id. */
export type Subject = { kind: string; id: string };
export const subjectText = ({ kind, id }: Subject): string => `${kind}:${id}`;

/** The id of what several columns name holds none of their words, since it stays in the journal. */
export const subjectId = (names: readonly string[]): string =>
  names.length === 1 ? (names[0] ?? "") : hash("sha256", JSON.stringify(names));

/** Finishes what the database notes as not yet blanked; a crash, or a segment that cannot be changed now, leaves it noted. */
export async function eraseTexts(
  db: Database,
  { folder, quarantine, tables }: { folder: string; quarantine: string; tables: JournalledTables },
): Promise<void> {
  const subjects = new Map<string, Position>();
  for (const row of db.prepare("SELECT * FROM journal_erasure").all())
    subjects.set(String(row["subject"]), { segment: Number(row["segment"]), offset: Number(row["journal_offset"]) });
  if (subjects.size === 0) return;
  try {
    for (const segment of segmentsIn(folder)) {
      const erased = await eraseIn(folder, segment, subjects, tables);
      if (!erased.ok) return;
    }
    await removeQuarantined(quarantine, [...subjects.keys()]);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return;
  }
  const remove = db.prepare("DELETE FROM journal_erasure WHERE subject = ?");
  await whileBusy(db.location() ?? "memory", () => [...subjects.keys()].map((subject) => remove.run(subject)), {});
}

async function eraseIn(
  folder: string,
  segment: number,
  subjects: ReadonlyMap<string, Position>,
  tables: JournalledTables,
): Promise<Result<void, Fault>> {
  const path = segmentPath(folder, segment);
  const blanks: { offset: number; bytes: Buffer }[] = [];
  const read = await readLog(path, {
    accept: isJournalLine,
    onRecord: ({ value, offset, bytes }) => {
      if (!isChangeLine(value)) return;
      const isMeant = (subject: string): boolean => {
        const until = subjects.get(subject);
        return until !== undefined && isBefore({ segment, offset }, until);
      };
      const blank = blankLine(value, isMeant, [...subjects.keys()], tables);
      if (blank?.length === bytes) blanks.push({ offset, bytes: blank });
    },
  });
  if (!read.ok) return read;
  if (blanks.length === 0) return ok(undefined);
  const fd = openSync(path, constants.O_RDWR | constants.O_NOFOLLOW);
  try {
    for (const { offset, bytes } of blanks) writeSync(fd, bytes, 0, bytes.length, offset);
  } finally {
    closeSync(fd);
  }
  return ok(undefined);
}

/** Undefined: nothing in it is meant. */
function blankLine(
  line: ChangeLine,
  isMeant: (subject: string) => boolean,
  subjects: readonly string[],
  tables: JournalledTables,
): Buffer | undefined {
  const isAbout = ({ table, row }: RowChange): boolean => {
    const { subject, mentions } = tables[table] ?? {};
    const id = subject && subjectId(subject.columns.map((column) => String(row[column])));
    if (subject && id !== undefined && isMeant(subjectText({ kind: subject.kind, id }))) return true;
    if (mentions === undefined) return false;
    const quoted = subjects.filter((one) => one.startsWith(`${mentions}:`) && isMeant(one));
    return quoted.some((one) =>
      Object.values(row).some((cell) => typeof cell === "string" && cell.includes(one.slice(mentions.length + 1))),
    );
  };
  const isText = (change: RowChange): boolean => change.op === "put" && isAbout(change);
  if (!line.changes.some(isText)) return undefined;
  const changes = line.changes.map((change) =>
    isText(change) ? { ...change, op: "gap", row: mapValues(change.row, blankCell) } : change,
  );
  return Buffer.from(encodeLine({ ...line, changes }).slice(0, -1));
}

const mapValues = (row: RowChange["row"], change: (cell: Cell) => Cell): RowChange["row"] =>
  Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, change(cell)]));

/** The gap has as many bytes as the text in the line. */
function blankCell(cell: Cell): Cell {
  if (typeof cell === "string") return " ".repeat(Buffer.byteLength(encodeLine(cell)) - 3);
  return isRecord(cell) ? { base64: " ".repeat(cell.base64.length) } : cell;
}
