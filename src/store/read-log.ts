// Reads an append-only log of JSON lines as a stream, whatever state it is in.
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { chunkSize, LineSplitter, type RawLine } from "../base/json-line.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { type Fault, faultAt, faultOf } from "./fault.ts";
import { type Accept, isBlank, recordIn, salvage } from "./salvage.ts";

export type LogRecord = {
  value: Record<string, unknown>;
  /** From 1; counted from the place where reading began. */
  line: number;
  offset: number;
  bytes: number;
};
/** Bytes that are no record; neighbouring bad lines are one damage. `file`: where they were moved to. */
export type Damage = { line: number; offset: number; bytes: number; file?: string };
export type LogReport = {
  records: number;
  /** Records left out because their id had been read before. */
  doubled: number;
  /** In the order of the file; the tail, if there is one, last. */
  damaged: Damage[];
  /** Bytes after the last whole record that are none: a torn write, NULs, garbage. */
  tornBytes: number;
  size: number;
  /** The end of the last whole record's line: reading can go on from here. */
  end: number;
  /** False when the last record lacks its newline. */
  terminated: boolean;
};
/** The damage that the log ends with. */
export const tornTail = (report: LogReport): Damage | undefined =>
  report.tornBytes > 0 ? report.damaged.at(-1) : undefined;

export type ReadOptions = {
  accept: Accept;
  /** Called for each record, in order, a doubled id once. */
  onRecord: (record: LogRecord) => void;
  /** Start of the line to begin with. */
  from?: number;
  /** Reading ends after about so many bytes; what is unfinished there counts as torn, and `end` is where to go on. */
  limit?: number;
  signal?: AbortSignal;
};

/** Longer lines are damage that is never held in memory; our own are at most 8 MiB. */
const MAX_READ_LINE = 64 * 1024 * 1024;
const CHUNK = 1024 * 1024;

export async function readLog(path: string, options: ReadOptions): Promise<Result<LogReport, Fault>> {
  const opened = await openLogFile(path, constants.O_RDONLY);
  if (!opened.ok) return opened;
  try {
    return ok(await scanLog(opened.value, options));
  } catch (error) {
    return fail(faultOf(error, path));
  } finally {
    await opened.value.close();
  }
}

/** A plain file, never through a link. */
export async function openLogFile(path: string, flags: number): Promise<Result<FileHandle, Fault>> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600);
    if ((await handle.stat()).isFile()) return ok(handle);
    await handle.close();
    return fail(faultAt("unsafe_path", path, "it is not a plain file"));
  } catch (error) {
    await handle?.close();
    return fail(faultOf(error, path));
  }
}

export async function scanLog(handle: FileHandle, options: ReadOptions): Promise<LogReport> {
  const from = options.from ?? 0;
  const lines = new LineSplitter({ maxLine: MAX_READ_LINE, offset: from });
  const scan = new Scan(options, from);
  const { size } = await handle.stat();
  let position = from;
  while (true) {
    options.signal?.throwIfAborted();
    const buffer = Buffer.allocUnsafe(chunkSize(size - position, CHUNK));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    for (const line of lines.push(buffer.subarray(0, bytesRead))) scan.take(line);
    if (position - from >= (options.limit ?? Number.POSITIVE_INFINITY)) break;
  }
  for (const line of lines.end()) scan.take(line);
  return scan.report(position);
}

class Scan {
  readonly #options: ReadOptions;
  /** Ids so far, in order; looked up through `#known` from the first record on that does not follow the one before it. */
  readonly #ids: string[] = [];
  #known: Set<string> | undefined;
  readonly #damaged: Damage[] = [];
  /** Damage that the next record will end; at the end of the file it is the tail. */
  #open: Damage | undefined;
  #line = 0;
  #records = 0;
  #doubled = 0;
  #end: number;
  #terminated = true;

  constructor(options: ReadOptions, from: number) {
    this.#options = options;
    this.#end = from;
  }

  take({ bytes, offset, length, terminated }: RawLine): void {
    this.#line++;
    const value = recordIn(bytes, this.#options.accept);
    if (value) this.#good(value, offset, length);
    else if (length > bytes.length) this.#bad(offset, length);
    else this.#pick(bytes, offset, terminated);
    if (terminated && this.#open === undefined) {
      this.#end = offset + length + 1;
      this.#terminated = true;
    }
  }

  /** A line that is not one record: what is whole counts, what is left over is damage. */
  #pick(bytes: Buffer, offset: number, terminated: boolean): void {
    let at = 0;
    const rest = (end: number) => {
      if (!isBlank(bytes.subarray(at, end))) this.#bad(offset + at, end - at);
    };
    for (const piece of salvage(bytes, this.#options.accept, terminated)) {
      rest(piece.start);
      this.#good(piece.value, offset + piece.start, piece.end - piece.start);
      at = piece.end;
    }
    rest(bytes.length);
  }

  #good(value: Record<string, unknown>, offset: number, bytes: number): void {
    if (this.#open) this.#damaged.push(this.#open);
    this.#open = undefined;
    this.#end = offset + bytes;
    this.#terminated = false;
    if (this.#isDoubled(value)) {
      this.#doubled++;
      return;
    }
    this.#records++;
    this.#options.onRecord({ value, line: this.#line, offset, bytes });
  }

  /** While each record names the one before it as its parent, none of them can be there twice. */
  #isDoubled({ id, parentId }: Record<string, unknown>): boolean {
    if (typeof id !== "string") return false;
    if (!this.#known && (this.#ids.length === 0 || parentId === this.#ids.at(-1))) {
      this.#ids.push(id);
      return false;
    }
    this.#known ??= new Set(this.#ids);
    const before = this.#known.size;
    return this.#known.add(id).size === before;
  }

  #bad(offset: number, bytes: number): void {
    this.#open ??= { line: this.#line, offset, bytes };
    this.#open.bytes = offset + bytes - this.#open.offset;
  }

  report(size: number): LogReport {
    const tail = this.#open && { ...this.#open, bytes: size - this.#open.offset };
    return {
      records: this.#records,
      doubled: this.#doubled,
      damaged: tail ? [...this.#damaged, tail] : this.#damaged,
      tornBytes: tail?.bytes ?? 0,
      size,
      end: this.#end,
      terminated: this.#terminated,
    };
  }
}
