// The files of the journal: their names, their heads, and appending that leaves no half line behind.
import {
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../base/failure.ts";
import { newId } from "../../base/id.ts";
import { isRecord, parseJson } from "../../base/json.ts";
import { isHead, type SegmentHead } from "./line.ts";

/** The next line goes to a new segment. */
export const SEGMENT_BYTES = 64 * 1024 * 1024;
const HEAD_BYTES = 512;
const NAME = /^(\d{6,})\.jsonl$/;

export const segmentPath = (folder: string, segment: number): string =>
  join(folder, `${String(segment).padStart(6, "0")}.jsonl`);

/** Numbers in order, of plain files; a missing folder has none. */
export function segmentsIn(folder: string): number[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .flatMap((entry) => (entry.isFile() ? (NAME.exec(entry.name)?.[1] ?? []) : []))
      .map(Number)
      .sort((a, b) => a - b);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** The two calls that can fail on a disk, so that a test can plan their failures. */
export type SegmentIo = {
  write(fd: number, bytes: Buffer): number;
  truncate(path: string, length: number): void;
};
const systemIo: SegmentIo = { write: writeSync, truncate: truncateSync };

/** Undefined: there is no such segment. */
export const segmentSize = (folder: string, segment: number): number | undefined =>
  statSync(segmentPath(folder, segment), { throwIfNoEntry: false })?.size;

/** All in one write, or nothing. Whoever appends holds the database's write lock. */
export function appendTo(path: string, bytes: Buffer, at: number, io: SegmentIo = systemIo): void {
  const fd = openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW);
  try {
    const written = io.write(fd, bytes);
    if (written === bytes.length) return;
    throw Object.assign(new Error("the disk is full"), { code: "ENOSPC" });
  } catch (error) {
    cutBack(path, at, io);
    throw error;
  } finally {
    closeSync(fd);
  }
}

export function cutBack(path: string, to: number, io: SegmentIo = systemIo): void {
  try {
    io.truncate(path, to);
  } catch {
    // a disk that refuses this too keeps the bytes: the next opening reads them as what they are
  }
}

/** Writes a segment beside its place and renames it: it is there whole, or not at all. Gives its size. */
export function createSegment(folder: string, segment: number, lines: Iterable<string>): number {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = segmentPath(folder, segment);
  const temporary = join(folder, `.${segment}.${newId().slice(0, 8)}.tmp`);
  const fd = openSync(temporary, "wx", 0o600);
  let size = 0;
  try {
    for (const line of lines) {
      const bytes = Buffer.from(line);
      writeFileSync(fd, bytes);
      size += bytes.length;
    }
    fsyncSync(fd);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
  renameSync(temporary, path);
  return size;
}

/** The first line of a segment; undefined when it is damaged or missing. */
export function headOf(folder: string, segment: number): SegmentHead | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(segmentPath(folder, segment), constants.O_RDONLY | constants.O_NOFOLLOW);
    const buffer = Buffer.alloc(HEAD_BYTES);
    const bytes = buffer.subarray(0, readSync(fd, buffer, 0, HEAD_BYTES, 0));
    const end = bytes.indexOf(10);
    const parsed = end === -1 ? undefined : parseJson(bytes.subarray(0, end).toString());
    return parsed?.ok && isRecord(parsed.value) && isHead(parsed.value) ? parsed.value : undefined;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
