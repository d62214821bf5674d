// A text that comes in thousands of small pieces. They are put together block by block, so that few of them live long.
import { releaseMemory } from "../base/release-memory.ts";

const BLOCK_CHARS = 256 * 1024;
/** So much text leaves several times as much garbage: pieces, events, what they were parsed from. */
const RELEASE_CHARS = 16 * 1024 * 1024;

export class GrowingText {
  #whole = "";
  #pieces: string[] = [];
  #chars = 0;
  #unreleased = 0;

  add(piece: string): void {
    this.#pieces.push(piece);
    this.#chars += piece.length;
    if (this.#chars > BLOCK_CHARS) this.#settle();
  }

  /** What has come so far. */
  get value(): string {
    this.#settle();
    return this.#whole;
  }

  #settle(): void {
    if (this.#pieces.length === 0) return;
    this.#whole += this.#pieces.join("");
    this.#unreleased += this.#chars;
    if (this.#unreleased > RELEASE_CHARS) {
      this.#unreleased = 0;
      releaseMemory();
    }
    this.#pieces = [];
    this.#chars = 0;
  }
}
