// The latest request of each lane, for one figure: how many bytes the next one shares with it.
import { commonPrefix } from "../body/common-prefix.ts";

const MAX_BYTES = 12 * 1024 * 1024;

export class LastSent {
  readonly #bytes = new Map<number, Buffer>();
  #held = 0;

  /** Bytes that the two begin with alike; undefined for the first request of a lane. */
  share(lane: number, sent: Buffer): number | undefined {
    const before = this.#bytes.get(lane);
    this.#drop(lane);
    this.#bytes.set(lane, sent);
    this.#held += sent.length;
    for (const [oldest] of this.#bytes) {
      if (this.#held <= MAX_BYTES) break;
      this.#drop(oldest);
    }
    return before && commonPrefix(before, sent);
  }

  #drop(lane: number): void {
    this.#held -= this.#bytes.get(lane)?.length ?? 0;
    this.#bytes.delete(lane);
  }
}
