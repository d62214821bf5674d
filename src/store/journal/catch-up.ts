// Bringing the database up to its journal: lines that it does not have yet are applied, a lost journal is written anew.
import { closeSync, fstatSync, mkdirSync, openSync, readSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newId } from "../../base/id.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { type Fault, faultAt } from "../fault.ts";
import { type LogReport, readLog, tornTail } from "../read-log.ts";
import { type BusyOptions, type Database, whileBusy } from "../sqlite.ts";
import type { Capture } from "./capture.ts";
import {
  type ChangeLine,
  changeLines,
  headLine,
  isHead,
  isJournalLine,
  type SegmentHead,
  type WrittenLine,
} from "./line.ts";
import { addMark, dropMarks, isOwnJournal } from "./mark.ts";
import { createSegment, headOf, SEGMENT_BYTES, segmentPath, segmentSize, segmentsIn } from "./segment.ts";
import { type JournalState, type Position, readState, writeState } from "./state.ts";

export type JournalPlace = {
  folder: string;
  /** Where bytes go that are no lines. */
  quarantine: string;
  now: () => string;
};
export type CaughtUp = {
  /** Rows put or deleted. */
  rows: number;
  /** Rows that the database did not take. */
  skipped: number;
  /** Bytes that are no lines: passed over, or moved to quarantine. */
  damaged: { segment: number; offset: number; bytes: number; file?: string }[];
  /** Whether a row was deleted by what was applied. */
  deleted: (table: string, row: Record<string, unknown>) => boolean;
};

type Sum = CaughtUp & { deletions: Set<string> };
type Parts = JournalPlace & { db: Database; capture: Capture; busy?: BusyOptions };
type Step =
  | { type: "level" }
  | { type: "adopt"; state: JournalState }
  | { type: "renew"; journal: string; segment: number }
  | { type: "roll"; state: JournalState }
  | { type: "read"; state: JournalState; isLast: boolean }
  | { type: "foreign"; why: string };

const PIECE = 4 * 1024 * 1024;
const ROWS = 500;

/** Without `begin`, a database that has no rows to write down gets no journal yet. */
type CatchUpOptions = { begin?: boolean; segmentBytes?: number | undefined };

export async function catchUpJournal(parts: Parts, options: CatchUpOptions = {}): Promise<Result<CaughtUp, Fault>> {
  const deletions = new Set<string>();
  const sum: Sum = {
    ...{ rows: 0, skipped: 0, damaged: [], deletions },
    deleted: (table, row) => deletions.has(parts.capture.keyOf(table, row)),
  };
  while (true) {
    const step = nextStep(parts, options);
    if (step.type === "level") return ok(sum);
    const path = parts.db.location() ?? "memory";
    if (step.type === "foreign") return fail(faultAt("store_corrupt", path, step.why));
    const outcome = await take(step, parts, sum);
    if (!outcome.ok) return outcome;
  }
}

function nextStep(
  { db, folder, capture }: Parts,
  { begin = false, segmentBytes: limit = SEGMENT_BYTES }: CatchUpOptions,
): Step {
  const state = readState(db);
  const segments = segmentsIn(folder);
  const [first] = segments;
  const last = segments.at(-1);
  if (first === undefined && !state && !begin && !capture.hasRows()) return { type: "level" };
  if (first === undefined || last === undefined)
    return { type: "renew", journal: state?.journal ?? newId(), segment: (state?.segment ?? 0) + 1 };
  const { start, journal, isWhole } = extentOf(folder, segments);
  if (!state) return { type: "adopt", state: { journal: journal ?? newId(), segment: start ?? first, offset: 0 } };
  if (journal !== undefined && journal !== state.journal)
    return { type: "foreign", why: "it belongs to another home: its journal is not the one here" };
  const size = segmentSize(folder, state.segment) ?? -1;
  if (size !== -1 && !isOwnJournal(db, folder, state.segment, state.offset, size))
    return {
      type: "foreign",
      why: "it is a copy that went on elsewhere: its last changes are not those of the journal here",
    };
  if (size < state.offset || (!isWhole && last <= state.segment))
    return { type: "renew", journal: state.journal, segment: Math.max(last, state.segment) + 1 };
  if (size > state.offset || last > state.segment) return { type: "read", state, isLast: last === state.segment };
  return size >= limit ? { type: "roll", state } : { type: "level" };
}

type Extent = {
  /** The segment with every row that reading begins with. */
  start?: number;
  journal?: string;
  /** Nothing is missing from there on. */
  isWhole: boolean;
};

export function extentOf(folder: string, segments: readonly number[]): Extent {
  let journal: string | undefined;
  for (const [i, segment] of [...segments.entries()].reverse()) {
    const head = headOf(folder, segment);
    journal ??= head?.journal;
    if (!head?.whole) continue;
    const isWhole = (segments.at(-1) ?? 0) - segment === segments.length - 1 - i;
    return { start: segment, ...optional("journal", journal), isWhole };
  }
  return { ...optional("journal", journal), isWhole: false };
}

async function take(
  step: Exclude<Step, { type: "level" | "foreign" }>,
  parts: Parts,
  sum: Sum,
): Promise<Result<unknown, Fault>> {
  const { folder, now } = parts;
  if (step.type === "read") return readPiece(parts, step, sum);
  return applying(parts, () => {
    if (step.type === "adopt") return readState(parts.db) ?? writeState(parts.db, step.state);
    const head = { at: now(), whole: step.type === "renew" };
    const journal = step.type === "renew" ? step.journal : step.state.journal;
    const segment = step.type === "renew" ? step.segment : step.state.segment + 1;
    if (segmentsIn(folder).includes(segment)) return undefined; // another process was first: it is read next
    const rows = step.type === "renew" ? changeLines(parts.capture.allRows(), now()) : [];
    const offset = createSegment(folder, segment, texts(headLine({ ...head, journal, segment }), rows));
    writeState(parts.db, { journal, segment, offset });
    dropMarks(parts.db, segment);
    return undefined;
  });
}

function* texts(first: string, rest: Iterable<WrittenLine>): Generator<string> {
  yield first;
  for (const { text } of rest) yield text;
}

async function readPiece(
  parts: Parts,
  { state, isLast }: Extract<Step, { type: "read" }>,
  sum: Sum,
): Promise<Result<unknown, Fault>> {
  const path = segmentPath(parts.folder, state.segment);
  let report: LogReport | undefined;
  let records: JournalRecord[] = [];
  for (let limit = PIECE; ; limit *= 2) {
    records = [];
    const read = await readLog(path, {
      accept: isJournalLine,
      onRecord: ({ value, offset, bytes }) =>
        records.push({ value: value as ChangeLine | SegmentHead, offset, end: offset + bytes }),
      from: state.offset,
      limit,
    });
    if (!read.ok) return read;
    report = read.value;
    const isEnd = report.size < state.offset + limit;
    if (records.length === 0 && !isEnd) continue; // one long line, or damage that goes on
    if (!isEnd)
      report = { ...report, damaged: report.damaged.slice(0, report.tornBytes > 0 ? -1 : undefined), tornBytes: 0 };
    return applyRecords(parts, { state, isLast, path, records, report, isEnd }, sum);
  }
}

type JournalRecord = { value: ChangeLine | SegmentHead; offset: number; end: number };
type Piece = {
  state: JournalState;
  isLast: boolean;
  path: string;
  records: readonly JournalRecord[];
  report: LogReport;
  isEnd: boolean;
};

async function applyRecords(parts: Parts, piece: Piece, sum: Sum): Promise<Result<unknown, Fault>> {
  const { records, report, isEnd, isLast } = piece;
  let state = piece.state;
  for (let i = 0; i < records.length; ) {
    const from = i;
    let rows = 0;
    while (i < records.length && (i === from || rows < ROWS)) rows += rowsIn(records[i++]?.value);
    const batch = records.slice(from, i);
    const offset = i < records.length ? (batch.at(-1)?.end ?? 0) + 1 : report.end;
    const next: JournalState = { ...state, offset };
    const outcome = await applying(parts, () => {
      if (!isAt(parts.db, state)) return false;
      for (const { value, offset: start, end } of batch) {
        applyLine(parts, value, { ...state, offset: start }, sum);
        if (isLast) addMark(parts.db, { segment: state.segment, start, end: end + 1, line: value.id });
      }
      writeState(parts.db, next);
      return true;
    });
    if (!outcome.ok || !outcome.value) return outcome;
    state = next;
  }
  sum.damaged.push(...report.damaged.map((d) => ({ segment: state.segment, offset: d.offset, bytes: d.bytes })));
  if (!isEnd) return ok(undefined);
  return applying(parts, () => {
    if (!isAt(parts.db, state)) return;
    if (isLast) writeState(parts.db, { ...state, offset: repairEnd(parts, piece, state, sum) });
    else {
      const segment = segmentsIn(parts.folder).find((one) => one > state.segment) ?? state.segment;
      writeState(parts.db, { ...state, segment, offset: 0 });
      dropMarks(parts.db, segment);
    }
  });
}

const rowsIn = (value: ChangeLine | SegmentHead | undefined): number =>
  value && "changes" in value ? Math.max(1, value.changes.length) : 1;

/** `at`: where the line begins. Only what stands before it is blanked: the line itself says that the row is gone. */
function applyLine({ capture, db }: Parts, value: ChangeLine | SegmentHead, at: Position, sum: Sum): void {
  if (isHead(value)) {
    if (value.whole) capture.clear();
    return;
  }
  for (const change of value.changes) {
    if (change.op === "gap") continue;
    if (capture.apply(change)) sum.rows++;
    else sum.skipped++;
    if (change.op === "delete") sum.deletions.add(capture.keyOf(change.table, change.row));
    else if (sum.deletions.size > 0) sum.deletions.delete(capture.keyOf(change.table, change.row));
  }
  for (const subject of value.erase ?? [])
    db.prepare("INSERT OR REPLACE INTO journal_erasure VALUES (?, ?, ?)").run(subject, at.segment, at.offset);
}

const isAt = (db: Database, { segment, offset }: JournalState): boolean => {
  const now = readState(db);
  return now?.segment === segment && now.offset === offset;
};

/** Nobody appends while this transaction holds the lock. Copy first, then cut. Gives the new end. */
function repairEnd({ quarantine }: Parts, { path, report }: Piece, state: JournalState, sum: Sum): number {
  const { size } = statSync(path);
  if (size !== report.size) return state.offset; // there is more: the next look reads on
  const tail = tornTail(report);
  if (tail) {
    mkdirSync(quarantine, { recursive: true, mode: 0o700 });
    const file = join(quarantine, `journal-${state.segment}-${tail.offset}-${newId().slice(0, 8)}`);
    writeFileSync(file, bytesFrom(path, tail.offset), { flag: "wx", mode: 0o600 });
    truncateSync(path, tail.offset);
    const noted = sum.damaged.at(-1);
    if (noted) noted.file = file;
  }
  if (!report.terminated) writeFileSync(path, "\n", { flag: "a" });
  return statSync(path).size;
}

function bytesFrom(path: string, offset: number): Buffer {
  const fd = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(fstatSync(fd).size - offset);
    readSync(fd, bytes, 0, bytes.length, offset);
    return bytes;
  } finally {
    closeSync(fd);
  }
}

/** One transaction that is not journalled itself. Parents and children come in any order. */
async function applying<T>({ db, capture, busy = {} }: Parts, work: () => T): Promise<Result<T, Fault>> {
  return whileBusy(
    db.location() ?? "memory",
    () => {
      db.exec("PRAGMA foreign_keys = OFF");
      capture.begin("applying");
      try {
        db.exec("BEGIN IMMEDIATE");
        const value = work();
        db.exec("COMMIT");
        return value;
      } catch (error) {
        if (db.isTransaction) db.exec("ROLLBACK");
        throw error;
      } finally {
        capture.end();
        db.exec("PRAGMA foreign_keys = ON");
      }
    },
    busy,
  );
}
