// The tokens of o200k, found by their bytes. The list is read and hashed at first use, which takes some 15 ms and 5 MB.
import { readFileSync } from "node:fs";

/** The rank of what is no token: after that of every token. */
export const NO_RANK = 0x7fffffff;

const COUNT_BYTES = 4;
const SLOTS = 1 << 19;
/** No token is longer. */
const LONGEST = 128;

/** The rank of the token that these bytes are. */
export type RankOf = (bytes: Uint8Array, from: number, to: number) => number;

/** The build puts the list (`scripts/token-list.mjs`) beside the part that this file becomes. */
export function loadRanks(): RankOf {
  const list = readFileSync(new URL("o200k.bin", import.meta.url));
  const count = list.readUInt32LE(0);
  const starts = new Uint32Array(count + 1);
  /** A rank and one, at the hash of its token or at the next free place. */
  const slots = new Int32Array(SLOTS);
  starts[0] = COUNT_BYTES + count;
  for (let rank = 0; rank < count; rank++) {
    const start = starts[rank] ?? 0;
    const end = start + (list[COUNT_BYTES + rank] ?? 0);
    starts[rank + 1] = end;
    let slot = slotOf(list, start, end);
    while (slots[slot] !== 0) slot = (slot + 1) % SLOTS;
    slots[slot] = rank + 1;
  }
  return (bytes, from, to) => {
    const length = to - from;
    if (length > LONGEST) return NO_RANK;
    for (let slot = slotOf(bytes, from, to); ; slot = (slot + 1) % SLOTS) {
      const rank = (slots[slot] ?? 0) - 1;
      if (rank < 0) return NO_RANK;
      const start = starts[rank] ?? 0;
      let same = (starts[rank + 1] ?? 0) - start === length ? 0 : -1;
      while (same >= 0 && same < length && list[start + same] === bytes[from + same]) same++;
      if (same === length) return rank;
    }
  };
}

/** FNV-1a, its upper bits folded in. */
function slotOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return (hash ^ (hash >>> 15)) & (SLOTS - 1);
}
