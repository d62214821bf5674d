// The end of what a program printed: a gateway that runs for hours prints more than one text can hold.
/** More than the longest answer of a test, which is 100 MB. */
const MOST_BYTES = 128 * 1024 * 1024;

export class OutputTail {
  readonly #chunks: Buffer[] = [];
  readonly #most: number;
  #bytes = 0;
  #isCut = false;

  constructor(most = MOST_BYTES) {
    this.#most = most;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    while (this.#bytes > this.#most && this.#chunks.length > 1) {
      this.#bytes -= this.#chunks.shift()?.length ?? 0;
      this.#isCut = true;
    }
  }

  /** Whole lines only, when the beginning is gone. */
  text(): string {
    const kept = Buffer.concat(this.#chunks);
    return (this.#isCut ? kept.subarray(kept.indexOf("\n") + 1) : kept).toString();
  }
}
