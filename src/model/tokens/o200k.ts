// Counts o200k tokens. The tables are gpt-tokenizer's; the merging is ours, because theirs is slow on hostile text.
import { remembering } from "../../base/remember.ts";

export const TOKENISER = "o200k";
const NONE = 0x7fffffff;
const LONGEST_PIECE = 256;
/** Text repeats itself: identifiers, indentation, one letter a million times. */
const MOST_REMEMBERED = 20_000;

/** Pieces that are not ASCII, before the table of bytes is worth its time. */
const FEW_PIECES = 200;

export type CountSlice = (slice: string) => number;

let loading: Promise<CountSlice> | undefined;

/** Loads the tables once: about 0.2 s and 60 MB; more for texts that are not mostly ASCII. */
export function loadO200k(): Promise<CountSlice> {
  loading ??= build();
  return loading;
}

async function build(): Promise<CountSlice> {
  const [{ default: tokens }, { O200K_TOKEN_SPLIT_REGEX }] = await Promise.all([
    import("gpt-tokenizer/bpeRanks/o200k_base"),
    import("gpt-tokenizer/encodingParams/constants"),
  ]);
  const texts = new Map<string, number>();
  for (const [rank, token] of tokens.entries()) if (typeof token === "string") texts.set(token, rank);
  const ascii = counterOf(texts);
  // What is not ASCII is mostly a token as it stands, a dash or a bullet. Else its bytes are merged: the first pieces by
  // looking each part up as text, which needs no table; the table takes time.
  let bytes = counterOf(textRanks(texts, tokens));
  let few = FEW_PIECES;
  return (slice) => {
    let count = 0;
    for (const [piece] of slice.matchAll(O200K_TOKEN_SPLIT_REGEX)) {
      if (texts.has(piece)) count++;
      else if (isAscii(piece)) count += ascii(piece);
      else {
        if (few-- === 0) bytes = counterOf(byteRanks(tokens));
        count += bytes(byteText(piece));
      }
    }
    return count;
  };
}

/** A token as text, or as bytes when it is no whole text. */
type Token = string | readonly number[];
/** Keys are UTF-8 bytes as a string of one unit each, which is what tokens are made of. */
type Ranks = Pick<ReadonlyMap<string, number>, "get" | "has">;
type PieceCounter = (bytes: string) => number;

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);
const byteText = (text: string): string => (isAscii(text) ? text : Buffer.from(text, "utf8").toString("latin1"));

function byteRanks(tokens: readonly Token[]): Ranks {
  const ranks = new Map<string, number>();
  for (const [rank, token] of tokens.entries())
    ranks.set(typeof token === "string" ? byteText(token) : String.fromCharCode(...token), rank);
  return ranks;
}

/** The same ranks without a table of all tokens: only those that are no whole text have one. */
function textRanks(texts: Ranks, tokens: readonly Token[]): Ranks {
  const partial = new Map<string, number>();
  for (const [rank, token] of tokens.entries())
    if (typeof token !== "string") partial.set(String.fromCharCode(...token), rank);
  const get = (bytes: string): number | undefined => {
    const text = Buffer.from(bytes, "latin1").toString("utf8");
    return partial.get(bytes) ?? (byteText(text) === bytes ? texts.get(text) : undefined);
  };
  return { get, has: (bytes) => get(bytes) !== undefined };
}

function counterOf(ranks: Ranks): PieceCounter {
  const countOf = remembering(MOST_REMEMBERED, merger(ranks));
  return (bytes) => {
    if (bytes.length === 1 || ranks.has(bytes)) return 1;
    let count = 0;
    for (const part of parts(bytes)) count += countOf(part);
    return count;
  };
}

/** Merging is quadratic, so long pieces are cut, between characters. */
function* parts(bytes: string): Generator<string> {
  let start = 0;
  while (bytes.length - start > LONGEST_PIECE) {
    let end = start + LONGEST_PIECE;
    while ((bytes.charCodeAt(end) & 0xc0) === 0x80) end--;
    yield bytes.slice(start, end);
    start = end;
  }
  yield start === 0 ? bytes : bytes.slice(start);
}

/** How many tokens byte pair encoding makes of a piece: the pair of lowest rank is merged until none is left. */
function merger(ranks: Ranks): (bytes: string) => number {
  const starts = new Int32Array(LONGEST_PIECE + 1);
  const pairs = new Int32Array(LONGEST_PIECE + 1);
  const rankAt = (bytes: string, at: number): number =>
    ranks.get(bytes.slice(starts[at] ?? 0, starts[at + 2] ?? 0)) ?? NONE;
  return (bytes) => {
    let count = bytes.length;
    for (let at = 0; at <= count; at++) starts[at] = at;
    for (let at = 0; at < count - 1; at++) pairs[at] = rankAt(bytes, at);
    for (;;) {
      let lowest = NONE;
      let best = -1;
      for (let at = 0; at < count - 1; at++) {
        const rank = pairs[at] ?? NONE;
        if (rank < lowest) {
          lowest = rank;
          best = at;
        }
      }
      if (best === -1) return count;
      starts.copyWithin(best + 1, best + 2, count + 1);
      pairs.copyWithin(best + 1, best + 2, count - 1);
      count--;
      if (best < count - 1) pairs[best] = rankAt(bytes, best);
      if (best > 0) pairs[best - 1] = rankAt(bytes, best - 1);
    }
  };
}
