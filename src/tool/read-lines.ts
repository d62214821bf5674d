// A range of a file's lines in one pass with flat memory, however long the file or its lines are.
import { readSync } from "node:fs";
import { setImmediate as nextLoop } from "node:timers/promises";
import { clipLine, MAX_LINE } from "./clean.ts";

type ReadRange = {
  /** 1-based, inclusive; Infinity for all that follow. */
  from: number;
  to: number;
  /** Room for the lines as given by `render`. */
  maxBytes: number;
  render: (line: string, number: number) => string;
  /** Go on after the range, to know the number of lines. */
  toTheEnd: boolean;
  signal: AbortSignal;
};

type FileLines = {
  lines: string[];
  /** Lines seen; all of the file's when `ended`. */
  count: number;
  ended: boolean;
  /** The range did not fit: this is the first line left out. */
  next: number | undefined;
};

const CHUNK = 256 * 1024;
/** More of a line is never needed: it is clipped anyway, and four bytes are the longest character. */
const LINE_BYTES = MAX_LINE * 4 + 4;

/** The file in pieces, from its start; a piece is only valid until the next one. */
export function* chunksOf(fd: number): Generator<Buffer> {
  const chunk = Buffer.alloc(CHUNK);
  for (let at = 0, n = readSync(fd, chunk, 0, CHUNK, 0); n > 0; n = readSync(fd, chunk, 0, CHUNK, at)) {
    at += n;
    yield chunk.subarray(0, n);
  }
}

export async function readLines(chunks: Iterable<Buffer>, range: ReadRange): Promise<FileLines> {
  const result: FileLines = { lines: [], count: 0, ended: false, next: undefined };
  let room = range.maxBytes;
  let line: Buffer[] = [];
  let keptBytes = 0;
  let length = 0;

  const wanted = () => result.next === undefined && result.count + 1 >= range.from && result.count + 1 <= range.to;
  const take = (part: Buffer) => {
    length += part.length;
    if (!wanted() || keptBytes >= LINE_BYTES) return;
    const piece = Buffer.from(part.subarray(0, LINE_BYTES - keptBytes));
    line.push(piece);
    keptBytes += piece.length;
  };
  const endLine = () => {
    if (wanted()) {
      const text = Buffer.concat(line).toString("utf8").replace(/\r$/, "");
      const more = length > keptBytes ? ` [… ${length} bytes in this line]` : "";
      const shown = range.render(clipLine(text) + more, result.count + 1);
      room -= Buffer.byteLength(shown) + 1;
      if (room < 0) result.next = result.count + 1;
      else result.lines.push(shown);
    }
    result.count++;
    line = [];
    keptBytes = 0;
    length = 0;
  };

  for (const bytes of chunks) {
    if (range.signal.aborted) return result;
    let start = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      if (wanted() || length > 0) {
        take(bytes.subarray(start, end));
        endLine();
      } else result.count++;
      start = end + 1;
    }
    take(bytes.subarray(start));
    if (!range.toTheEnd && (result.count >= range.to || result.next !== undefined)) return result;
    await nextLoop(); // a long file must not hold up everything else
  }
  if (length > 0) endLine();
  return { ...result, ended: true };
}
