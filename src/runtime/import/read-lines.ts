// A file of JSON lines as a stream: never more than one line and one chunk in memory, whatever the file holds.
import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";
import { createZstdDecompress } from "node:zlib";
import { isRecord } from "../../base/json.ts";
import { chunkSize, LineSplitter, type RawLine } from "../../base/json-line.ts";
import type { Result } from "../../base/result.ts";
import type { Fault } from "../../store/fault.ts";
import { openLogFile } from "../../store/read-log.ts";

/** `end`: the offset behind its line. Without a value the line is bad, or blank when there is no reason either. */
type LineRecord = { line: number; end: number; value?: Record<string, unknown>; reason?: string };

/** A document is parsed as a whole; a larger one is not. */
export const MOST_DOCUMENT = 256 * 1024 * 1024;
/** Longer lines are never held in memory. */
const MAX_LINE = 64 * 1024 * 1024;
const CHUNK = 256 * 1024;

/** For reading only, never through a link; where the system allows it, its time of access stays too. */
export async function openSource(path: string): Promise<Result<FileHandle, Fault>> {
  const quiet = await openLogFile(path, constants.O_RDONLY | (constants.O_NOATIME ?? 0));
  return quiet.ok ? quiet : openLogFile(path, constants.O_RDONLY);
}

/** What is not a whole line yet at the end is left for the next time. */
export async function* readRecords(
  chunks: AsyncIterable<Buffer>,
  from: { offset: number; line: number },
): AsyncGenerator<LineRecord[]> {
  const splitter = new LineSplitter({ maxLine: MAX_LINE, offset: from.offset });
  let line = from.line;
  const recordOf = (raw: RawLine): LineRecord => {
    line++;
    return { line, end: raw.offset + raw.length + (raw.terminated ? 1 : 0), ...parsed(raw, line) };
  };
  for await (const chunk of chunks) yield [...splitter.push(chunk)].map(recordOf);
  const last = [...splitter.end()].map(recordOf).filter(({ value, reason }) => value || reason === undefined);
  if (last.length > 0) yield last;
}

/** From an offset to the end that the file has when it is reached. */
export async function* chunksOf(handle: FileHandle, from: number): AsyncGenerator<Buffer> {
  const { size } = await handle.stat();
  for (let position = from; ; ) {
    const buffer = Buffer.allocUnsafe(chunkSize(size - position, CHUNK));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** The same of a file that was packed with zstd. */
export function unpackedChunks(handle: FileHandle): AsyncIterable<Buffer> {
  const unpacked = createZstdDecompress();
  // The error reaches whoever reads the stream.
  Readable.from(chunksOf(handle, 0))
    .on("error", (error) => unpacked.destroy(error))
    .pipe(unpacked);
  return unpacked;
}

const NUL = /^\0+|\0+$/g;

function parsed({ bytes, length }: RawLine, line: number): Pick<LineRecord, "value" | "reason"> {
  if (length > bytes.length) return { reason: `a line of ${Math.round(length / 1024 / 1024)} MB` };
  // A crash leaves zeros where the file system had no time to write.
  let text = bytes.toString("utf8").replace(NUL, "");
  if (line === 1 && text.charCodeAt(0) === 0xfeff) text = text.slice(1);
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? { value } : { reason: "not an object" };
  } catch {
    return { reason: "not JSON" };
  }
}
