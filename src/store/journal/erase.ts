// Deleted text leaves the lines that were written before: its rows become gaps of equal length, in place.
import { hash } from "node:crypto";
import { closeSync, constants, openSync, readSync, writeSync } from "node:fs";
import { isRecord, parseJson } from "../../base/json.ts";
import { encodeLine } from "../../base/json-line.ts";
import { paced } from "../../base/pace.ts";
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

/** How long others may wait while texts are blanked. */
const SLICE_MS = 5;
/** So many notes are taken off at a time. */
const NOTES_AT_ONCE = 500;

/** Finishes what the database notes as not yet blanked; a crash, or a segment that cannot be changed now, leaves it noted. */
export async function eraseTexts(
  db: Database,
  { folder, quarantine, tables }: { folder: string; quarantine: string; tables: JournalledTables },
): Promise<void> {
  const notes = db.prepare("SELECT subject, segment, journal_offset FROM journal_erasure").all() as Note[];
  if (notes.length === 0) return;
  const breathe = paced(SLICE_MS);
  try {
    const erasure = new Erasure(notes, tables);
    for (const segment of segmentsIn(folder)) {
      const erased = await eraseIn(folder, segment, erasure, breathe);
      if (!erased.ok) return;
    }
    const subjects = notes.map(({ subject }) => subject);
    await removeQuarantined(quarantine, subjects);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return;
  }
  for (let at = 0; at < notes.length; at += NOTES_AT_ONCE) {
    await breathe();
    if (!db.isOpen) return;
    await takeOff(db, notes.slice(at, at + NOTES_AT_ONCE));
  }
}

type Note = { subject: string; segment: number; journal_offset: number };

/** A subject that was noted again meanwhile, for later lines, stays noted. */
async function takeOff(db: Database, notes: readonly Note[]): Promise<void> {
  const remove = db.prepare(
    `DELETE FROM journal_erasure WHERE (subject, segment, journal_offset) IN
       (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?))`,
  );
  const list = notes.map((note) => [note.subject, note.segment, note.journal_offset]);
  await whileBusy(db.location() ?? "memory", () => remove.run(JSON.stringify(list)), {});
}

/** What is to be blanked, and in lines up to where. */
class Erasure {
  readonly tables: JournalledTables;
  readonly #until: ReadonlyMap<string, Position>;
  readonly #quotable = new Map<string, string[]>();

  constructor(notes: readonly Note[], tables: JournalledTables) {
    this.tables = tables;
    const position = (note: Note): Position => ({ segment: note.segment, offset: note.journal_offset });
    this.#until = new Map(notes.map((note) => [note.subject, position(note)]));
  }

  isMeant(subject: Subject, at: Position): boolean {
    const until = this.#until.get(subjectText(subject));
    return until !== undefined && isBefore(at, until);
  }

  /** The ids of all subjects of a kind, for rows that name them anywhere. */
  idsOf(kind: string): readonly string[] {
    const cached = this.#quotable.get(kind);
    if (cached) return cached;
    const start = subjectText({ kind, id: "" });
    const ids = [...this.#until.keys()].filter((one) => one.startsWith(start)).map((one) => one.slice(start.length));
    this.#quotable.set(kind, ids);
    return ids;
  }
}

async function eraseIn(
  folder: string,
  segment: number,
  erasure: Erasure,
  breathe: () => Promise<void>,
): Promise<Result<void, Fault>> {
  const path = segmentPath(folder, segment);
  const lines: { offset: number; bytes: number }[] = [];
  const isMeant = (change: RowChange, offset: number) => isText(change, { segment, offset }, erasure);
  const read = await readLog(path, {
    accept: isJournalLine,
    onRecord: ({ value, offset, bytes }) => {
      if (isChangeLine(value) && value.changes.some((change) => isMeant(change, offset))) lines.push({ offset, bytes });
    },
  });
  if (!read.ok) return read;
  if (lines.length === 0) return ok(undefined);
  const fd = openSync(path, constants.O_RDWR | constants.O_NOFOLLOW);
  try {
    for (const { offset, bytes } of lines) {
      await breathe();
      // As it stands now: another process may have blanked other texts of it since it was read.
      const line = Buffer.alloc(bytes);
      readSync(fd, line, 0, bytes, offset);
      const blank = blankLine(line, (change) => isMeant(change, offset));
      if (blank?.length === bytes) writeSync(fd, blank, 0, bytes, offset);
    }
  } finally {
    closeSync(fd);
  }
  return ok(undefined);
}

/** Undefined: it is no line of changes any more. */
function blankLine(bytes: Buffer, isMeant: (change: RowChange) => boolean): Buffer | undefined {
  const parsed = parseJson(bytes.toString());
  if (!parsed.ok || !isRecord(parsed.value) || !isChangeLine(parsed.value)) return undefined;
  const line: ChangeLine = parsed.value;
  const changes = line.changes.map((change) =>
    isMeant(change) ? { ...change, op: "gap", row: mapValues(change.row, blankCell) } : change,
  );
  return Buffer.from(encodeLine({ ...line, changes }).slice(0, -1));
}

const isText = (change: RowChange, at: Position, erasure: Erasure): boolean =>
  change.op === "put" && isAbout(change, at, erasure);

function isAbout({ table, row }: RowChange, at: Position, erasure: Erasure): boolean {
  const { subject, about, mentions } = erasure.tables[table] ?? {};
  const isMeant = (kind: string, names: readonly string[]): boolean =>
    erasure.isMeant({ kind, id: subjectId(names) }, at);
  if (
    subject &&
    isMeant(
      subject.kind,
      subject.columns.map((column) => String(row[column])),
    )
  )
    return true;
  if (about?.columns.some((column) => isMeant(about.kind, [String(row[column])]))) return true;
  if (mentions === undefined) return false;
  const texts = Object.values(row).filter((cell) => typeof cell === "string");
  return erasure.idsOf(mentions).some((id) => texts.some((cell) => cell.includes(id)) && isMeant(mentions, [id]));
}

const mapValues = (row: RowChange["row"], change: (cell: Cell) => Cell): RowChange["row"] =>
  Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, change(cell)]));

/** The gap has as many bytes as the text in the line. */
function blankCell(cell: Cell): Cell {
  if (typeof cell === "string") return " ".repeat(Buffer.byteLength(encodeLine(cell)) - 3);
  return isRecord(cell) ? { base64: " ".repeat(cell.base64.length) } : cell;
}
