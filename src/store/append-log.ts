// The append-only log of JSON lines, opened for writing: repaired first, then one write a call, cut back when it fails.
import { constants, ftruncateSync, type Stats, statSync, writeSync } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { newId } from "../base/id.ts";
import { encodeLine } from "../base/json-line.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { type Fault, faultAt, faultOf } from "./fault.ts";
import { type LogReport, openLogFile, type ReadOptions, scanLog, tornTail } from "./read-log.ts";

/** Longer text goes to a file of its own first (spill.ts) and the record points to it. */
export const MAX_LINE = 8 * 1024 * 1024;
const CHUNK = 1024 * 1024;

type LogRow = { readonly id: string };
/** The three calls that can fail on a disk, so that a test can plan their failures. */
export type LogIo = {
  write(fd: number, bytes: Buffer): number;
  truncate(fd: number, length: number): void;
  sync(handle: FileHandle): Promise<void>;
};
const systemIo: LogIo = { write: writeSync, truncate: ftruncateSync, sync: (handle) => handle.datasync() };

type AppendLogOptions = ReadOptions & {
  /** Folder and first part of the name for bytes that are moved away. */
  quarantine: { folder: string; label: string };
  /** How much of the log the caller has already: it is not read again. */
  skip?: (log: FileHandle) => Promise<{ bytes: number; lines: number }>;
  /** Asked after reading: a log that is not ours to repair stays as it is. */
  keep?: () => boolean;
  io?: LogIo;
};

/** Reads the log, moves a damaged tail to quarantine and opens it for appending. The caller holds the log's lock. */
export async function openLog(
  path: string,
  options: AppendLogOptions,
): Promise<Result<{ log: AppendLog; report: LogReport }, Fault>> {
  const { O_RDWR, O_APPEND, O_CREAT } = constants;
  let handle: FileHandle | undefined;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const opened = await openLogFile(path, O_RDWR | O_APPEND | O_CREAT);
    if (!opened.ok) return opened;
    handle = opened.value;
    const { bytes: from, lines } = (await options.skip?.(handle)) ?? { bytes: 0, lines: 0 };
    const report = await scanLog(handle, { ...options, from });
    for (const damage of report.damaged) damage.line += lines;
    const size = options.keep?.() ? report.size : await repair(handle, report, options.quarantine);
    return ok({ log: new AppendLog(path, handle, await handle.stat(), size, options.io ?? systemIo), report });
  } catch (error) {
    await handle?.close();
    return fail(faultOf(error, path));
  }
}

/** Copy first, then cut: a crash in between moves the same bytes once more. Gives the new size. */
async function repair(handle: FileHandle, report: LogReport, to: AppendLogOptions["quarantine"]): Promise<number> {
  const tail = tornTail(report);
  if (tail) {
    await mkdir(to.folder, { recursive: true, mode: 0o700 });
    tail.file = join(to.folder, `${to.label}-${tail.offset}-${newId().slice(0, 8)}`);
    await copyRange(handle, tail.offset, tail.file);
    await handle.truncate(tail.offset);
  }
  const size = tail?.offset ?? report.size;
  if (report.terminated) return size;
  await handle.write("\n");
  return size + 1;
}

async function copyRange(from: FileHandle, offset: number, path: string): Promise<void> {
  const to = await open(path, "wx", 0o600);
  try {
    for (let at = offset; ; at += CHUNK) {
      const { bytesRead, buffer } = await from.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, at);
      if (bytesRead > 0) await to.writeFile(buffer.subarray(0, bytesRead));
      if (bytesRead < CHUNK) break;
    }
    await to.sync();
  } finally {
    await to.close();
  }
}

export class AppendLog {
  readonly path: string;
  readonly #handle: FileHandle;
  readonly #file: Pick<Stats, "dev" | "ino">;
  readonly #io: LogIo;
  /** Records that a failed sync may make the caller send again. */
  readonly #unsynced = new Set<string>();
  #size: number;
  #torn = false;

  constructor(path: string, handle: FileHandle, file: Stats, size: number, io: LogIo) {
    this.path = path;
    this.#handle = handle;
    this.#file = { dev: file.dev, ino: file.ino };
    this.#size = size;
    this.#io = io;
  }

  /** Bytes of whole records; the offset of the next one. */
  get size(): number {
    return this.#size;
  }

  /** Writes the records as lines, all in one write or none. A record sent again after a failed sync is not written twice. */
  append(...records: readonly LogRow[]): Result<{ offset: number; bytes: number }, Fault> {
    const fresh = records.filter((record) => !this.#unsynced.has(record.id));
    const lines = fresh.map((record) => Buffer.from(encodeLine(record)));
    const large = lines.find((line) => line.length > MAX_LINE);
    if (large) return fail(faultAt("too_large", this.path, `a record of ${large.length} bytes is over ${MAX_LINE}`));
    const bytes = Buffer.concat(lines);
    const offset = this.#size;
    if (!this.#isThere()) return fail(faultAt("store_gone", this.path, "the file was removed or replaced"));
    try {
      if (this.#torn) this.#cutBack();
      if (bytes.length > 0) this.#write(bytes);
    } catch (error) {
      this.#leaveWhole();
      return fail(faultOf(error, this.path));
    }
    for (const record of fresh) this.#unsynced.add(record.id);
    return ok({ offset, bytes: bytes.length });
  }

  /** A file that was removed takes every write without a word, and nobody will ever read it. */
  #isThere(): boolean {
    const stat = statSync(this.path, { throwIfNoEntry: false });
    return stat?.ino === this.#file.ino && stat.dev === this.#file.dev;
  }

  #write(bytes: Buffer): void {
    const written = this.#io.write(this.#handle.fd, bytes);
    if (written < bytes.length) {
      throw Object.assign(new Error(`only ${written} of ${bytes.length} bytes could be written`), { code: "ENOSPC" });
    }
    this.#size += bytes.length;
  }

  #leaveWhole(): void {
    this.#torn = true;
    try {
      this.#cutBack();
    } catch {
      // the disk refuses this too: it is done before the next write, or by the repair of the next opening
    }
  }

  #cutBack(): void {
    this.#io.truncate(this.#handle.fd, this.#size);
    this.#torn = false;
  }

  /** Makes what was appended so far survive a loss of power. */
  async sync(): Promise<Result<void, Fault>> {
    const ids = [...this.#unsynced];
    try {
      await this.#io.sync(this.#handle);
    } catch (error) {
      return fail(faultOf(error, this.path));
    }
    for (const id of ids) this.#unsynced.delete(id);
    return ok(undefined);
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
