// One record, one line: writing with every line separator escaped, and splitting bytes on 0x0A only.
const SEPARATORS = /[\u2028\u2029\u0085]/g;
const ESCAPED: Record<string, string> = { "\u2028": "\\u2028", "\u2029": "\\u2029", "\u0085": "\\u0085" };

export function encodeLine(record: unknown): string {
  return `${JSON.stringify(record).replace(SEPARATORS, (c) => ESCAPED[c] ?? c)}\n`;
}

/** `length` counts without the newline; `bytes` is empty when the line is longer than the splitter's limit. */
export type RawLine = { bytes: Buffer; offset: number; length: number; terminated: boolean };

const LEAST_CHUNK = 4096;

/** Bytes to read at a time with so many left: thousands of small files must not ask for the memory of large ones. */
export const chunkSize = (left: number, most: number): number => Math.min(most, Math.max(LEAST_CHUNK, left));

/** Splits a growing byte stream into lines without ever holding more than one line and one chunk. */
export class LineSplitter {
  #rest: Buffer[] = [];
  #restLength = 0;
  #offset: number;
  readonly #maxLine: number;

  constructor(options: { maxLine?: number; offset?: number } = {}) {
    this.#maxLine = options.maxLine ?? Number.POSITIVE_INFINITY;
    this.#offset = options.offset ?? 0;
  }

  *push(chunk: Buffer): Generator<RawLine> {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      yield this.#take(chunk.subarray(start, end), true);
      start = end + 1;
    }
    if (start < chunk.length) {
      this.#restLength += chunk.length - start;
      if (this.#restLength > this.#maxLine) this.#rest = [];
      else this.#rest.push(chunk.subarray(start));
    }
  }

  *end(): Generator<RawLine> {
    if (this.#restLength > 0) yield this.#take(Buffer.alloc(0), false);
  }

  #take(tail: Buffer, terminated: boolean): RawLine {
    const length = this.#restLength + tail.length;
    const whole = this.#restLength === 0 ? tail : Buffer.concat([...this.#rest, tail]);
    const offset = this.#offset;
    this.#offset += length + (terminated ? 1 : 0);
    this.#rest = [];
    this.#restLength = 0;
    return { bytes: length > this.#maxLine ? Buffer.alloc(0) : whole, offset, length, terminated };
  }
}
