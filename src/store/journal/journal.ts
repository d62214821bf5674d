// The change journal of a database: rows that stand nowhere else are appended to it in the transaction that changes them.
import { systemClock } from "../../base/clock.ts";
import type { Result } from "../../base/result.ts";
import type { Fault } from "../fault.ts";
import { inodeOf } from "../rebuild/suspect.ts";
import { accompany, type BusyOptions, type Companion, companionOf, type Database, OutOfStep } from "../sqlite.ts";
import { Capture } from "./capture.ts";
import { type CaughtUp, catchUpJournal, type JournalPlace } from "./catch-up.ts";
import { eraseTexts, type Subject, subjectText } from "./erase.ts";
import { changeLines } from "./line.ts";
import { addMark } from "./mark.ts";
import { appendTo, cutBack, SEGMENT_BYTES, type SegmentIo, segmentPath, segmentSize } from "./segment.ts";
import { isBefore, type Position, readState, writeState } from "./state.ts";
import type { JournalledTables } from "./tables.ts";

export type JournalOptions = Omit<JournalPlace, "now"> & {
  tables: JournalledTables;
  now?: () => string;
  io?: SegmentIo;
  segmentBytes?: number;
};

/** SQLite's word for a damaged file: see fault.ts. */
const REPLACED = { code: "ERR_SQLITE_ERROR", errcode: 11 };

/** From now on every change of these tables through `write()` stands in the journal first; others throw. */
export async function openJournal(
  db: Database,
  options: JournalOptions,
  busy: BusyOptions = {},
): Promise<Result<CaughtUp, Fault>> {
  const journal = new Journal(db, options);
  const level = await journal.catchUp(busy);
  if (!level.ok) return level;
  accompany(db, journal);
  await journal.finishErasures();
  return level;
}

/**
 * Inside a transaction: what older lines say about the subject is blanked once this is committed. `later`: it is noted,
 * and blanked with the next that is not, or when the database is opened again: each time the whole journal is read.
 */
export function eraseFromJournal(db: Database, subject: Subject, when: "now" | "later" = "now"): void {
  const journal = companionOf(db);
  if (journal instanceof Journal) journal.erase(subject, when);
}

/** Inside a transaction: all that is noted is blanked once this is committed. */
export function eraseNoted(db: Database): void {
  const journal = companionOf(db);
  if (journal instanceof Journal) journal.eraseNoted();
}

class Journal implements Companion {
  readonly #db: Database;
  readonly #options: JournalOptions & JournalPlace;
  readonly #capture: Capture;
  readonly #path: string | null;
  readonly #inode: number | undefined;
  /** What the running transaction appended. */
  #written: (Position & { from: number }) | undefined;
  /** The running transaction has texts leave the journal. */
  #erases = false;
  /** A transaction that did was committed. */
  #isErasing = false;
  /** One after the other: what one blanks the other does not write again. */
  #erasing: Promise<void> = Promise.resolve();

  constructor(db: Database, options: JournalOptions) {
    this.#db = db;
    this.#options = { now: () => systemClock.now(), ...options };
    this.#capture = new Capture(db, options.tables);
    this.#path = db.location();
    this.#inode = this.#inodeNow();
  }

  begin(): void {
    // Rows in a file that nobody finds again would be lost.
    if (this.#inode !== this.#inodeNow())
      throw Object.assign(new Error("the file was removed or replaced while it was in use"), REPLACED);
    this.#written = undefined;
    this.#erases = false;
    this.#capture.begin("noting");
  }

  erase(subject: Subject, when: "now" | "later"): void {
    this.#capture.erase(subjectText(subject));
    if (when === "now") this.eraseNoted();
  }

  eraseNoted(): void {
    this.#erases = true;
  }

  beforeCommit(): void {
    this.#isErasing ||= this.#erases;
    if (this.#capture.isEmpty) {
      this.#capture.end();
      return;
    }
    const { folder, now, segmentBytes = SEGMENT_BYTES, io } = this.#options;
    const state = readState(this.#db);
    const size = state && segmentSize(folder, state.segment);
    if (!state || size !== state.offset || size >= segmentBytes) throw new OutOfStep();
    const { erased } = this.#capture;
    const lines = [...changeLines(this.#capture.changes(), now(), erased)];
    const bytes = Buffer.from(lines.map(({ text }) => text).join(""));
    const offset = state.offset + bytes.length;
    appendTo(segmentPath(folder, state.segment), bytes, state.offset, io);
    // Somebody with another database file was quicker; what was appended stays and is read.
    if (segmentSize(folder, state.segment) !== offset) throw new OutOfStep();
    this.#written = { segment: state.segment, offset, from: state.offset };
    writeState(this.#db, { ...state, offset });
    for (let at = state.offset, i = 0; i < lines.length; i++) {
      const { id = "", text = "" } = lines[i] ?? {};
      const end = at + Buffer.byteLength(text);
      addMark(this.#db, { segment: state.segment, start: at, end, line: id });
      at = end;
    }
    const put = this.#db.prepare(
      "INSERT OR REPLACE INTO journal_erasure (subject, segment, journal_offset) VALUES (?, ?, ?)",
    );
    for (const subject of erased) put.run(subject, state.segment, state.offset);
    this.#capture.end();
  }

  undo(): void {
    this.#capture.end();
    if (this.#written)
      cutBack(segmentPath(this.#options.folder, this.#written.segment), this.#written.from, this.#options.io);
    this.#written = undefined;
  }

  wasCommitted(): boolean {
    const written = this.#written;
    if (!written) return false;
    try {
      this.#db.exec("BEGIN IMMEDIATE");
      const state = readState(this.#db);
      const isThere = state !== undefined && !isBefore(state, written);
      if (!isThere) this.undo();
      this.#db.exec("ROLLBACK");
      return isThere;
    } catch {
      return false; // unknown: whoever opens the database next finds the bytes and applies them
    }
  }

  async afterCommit(): Promise<void> {
    if (!this.#isErasing) return;
    this.#isErasing = false;
    await this.finishErasures();
  }

  bringUp(): Promise<Result<CaughtUp, Fault>> {
    return this.catchUp({}, true);
  }

  catchUp(busy: BusyOptions, begin = false): Promise<Result<CaughtUp, Fault>> {
    const { segmentBytes } = this.#options;
    const parts = { ...this.#options, db: this.#db, capture: this.#capture, busy };
    return catchUpJournal(parts, { begin, segmentBytes });
  }

  finishErasures(): Promise<void> {
    const erasing = this.#erasing.then(() => eraseTexts(this.#db, this.#options));
    this.#erasing = erasing.catch(() => undefined); // whoever asked is told
    return erasing;
  }

  #inodeNow(): number | undefined {
    return this.#path === null ? undefined : inodeOf(this.#path);
  }
}
