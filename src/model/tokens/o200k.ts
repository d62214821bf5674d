// Counts o200k tokens. How text is split is gpt-tokenizer's; the merging is ours, because theirs is slow on hostile text.
import { remembering } from "../../base/remember.ts";
import { loadRanks, NO_RANK, type RankOf } from "./token-table.ts";

export const TOKENISER = "o200k";
const LONGEST_PIECE = 256;
/** Text repeats itself: identifiers, indentation, one letter a million times. */
const MOST_REMEMBERED = 20_000;

export type CountSlice = (slice: string) => number;

let loading: Promise<CountSlice> | undefined;

/** Loads the table once. */
export function loadO200k(): Promise<CountSlice> {
  loading ??= build();
  return loading;
}

async function build(): Promise<CountSlice> {
  const { O200K_TOKEN_SPLIT_REGEX } = await import("gpt-tokenizer/encodingParams/constants");
  const rankOf = loadRanks();
  const merged = remembering(MOST_REMEMBERED, merger(rankOf));
  let bytes = Buffer.alloc(4096);
  return (slice) => {
    let count = 0;
    for (const piece of slice.match(O200K_TOKEN_SPLIT_REGEX) ?? []) {
      if (piece.length * 3 > bytes.length) bytes = Buffer.alloc(piece.length * 3);
      const length = encode(piece, bytes);
      count += length === 1 || rankOf(bytes, 0, length) !== NO_RANK ? 1 : merged(piece);
    }
    return count;
  };
}

/** Writes the text as UTF-8 and gives its length. Nearly all pieces are short and ASCII: a loop is quicker than a call. */
function encode(text: string, into: Buffer): number {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit > 0x7f) return into.write(text);
    into[at] = unit;
  }
  return text.length;
}

/** How many tokens byte pair encoding makes of a piece. Merging is quadratic, so long pieces are cut, between characters. */
function merger(rankOf: RankOf): (piece: string) => number {
  const merge = partMerger(rankOf);
  return (piece) => {
    const bytes = Buffer.from(piece);
    let count = 0;
    let start = 0;
    while (bytes.length - start > LONGEST_PIECE) {
      let end = start + LONGEST_PIECE;
      while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
      count += merge(bytes, start, end);
      start = end;
    }
    return count + merge(bytes, start, bytes.length);
  };
}

/** The pair of lowest rank is merged until none is left. */
function partMerger(rankOf: RankOf): (bytes: Uint8Array, from: number, to: number) => number {
  const starts = new Int32Array(LONGEST_PIECE + 1);
  const pairs = new Int32Array(LONGEST_PIECE + 1);
  return (bytes, from, to) => {
    const rankAt = (at: number): number => rankOf(bytes, starts[at] ?? 0, starts[at + 2] ?? 0);
    let count = to - from;
    for (let at = 0; at <= count; at++) starts[at] = from + at;
    for (let at = 0; at < count - 1; at++) pairs[at] = rankAt(at);
    for (;;) {
      let lowest = NO_RANK;
      let best = -1;
      for (let at = 0; at < count - 1; at++) {
        const rank = pairs[at] ?? NO_RANK;
        if (rank < lowest) {
          lowest = rank;
          best = at;
        }
      }
      if (best === -1) return count;
      starts.copyWithin(best + 1, best + 2, count + 1);
      pairs.copyWithin(best + 1, best + 2, count - 1);
      count--;
      if (best < count - 1) pairs[best] = rankAt(best);
      if (best > 0) pairs[best - 1] = rankAt(best - 1);
    }
  };
}
