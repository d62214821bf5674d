// The latest request of each lane, for one figure: how many bytes the next one shares with it.
import { commonPrefix } from "../body/common-prefix.ts";

const MAX_BYTES = 12 * 1024 * 1024;

/** Mostly stretches of what the client sent, which is kept anyway: a copy of its own would be garbage of the same size. */
type Sent = { chunks: readonly Buffer[]; weight: number };

export class LastSent {
  readonly #sent = new Map<number, Sent>();
  #held = 0;

  /** Bytes that the two begin with alike; undefined for the first request of a lane. */
  share(lane: number, chunks: readonly Buffer[]): number | undefined {
    const before = this.#sent.get(lane);
    this.#drop(lane);
    const weight = weightOf(chunks);
    this.#sent.set(lane, { chunks, weight });
    this.#held += weight;
    for (const [oldest] of this.#sent) {
      if (this.#held <= MAX_BYTES) break;
      this.#drop(oldest);
    }
    return before && sharedBytes(before.chunks, chunks);
  }

  #drop(lane: number): void {
    this.#held -= this.#sent.get(lane)?.weight ?? 0;
    this.#sent.delete(lane);
  }
}

/** A stretch keeps all of the buffer that it is a part of. */
const weightOf = (chunks: readonly Buffer[]): number =>
  [...new Set(chunks.map(({ buffer }) => buffer))].reduce((sum, { byteLength }) => sum + byteLength, 0);

function sharedBytes(before: readonly Buffer[], after: readonly Buffer[]): number {
  let shared = 0;
  let [one, other] = [before[0], after[0]];
  for (let [i, j] = [0, 0]; one && other; ) {
    const most = Math.min(one.length, other.length);
    const same = commonPrefix(one.subarray(0, most), other.subarray(0, most));
    shared += same;
    if (same < most) break;
    one = most === one.length ? before[++i] : one.subarray(most);
    other = most === other.length ? after[++j] : other.subarray(most);
  }
  return shared;
}
