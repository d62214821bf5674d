// Text that came through a shell or JSON with its line breaks written out is given them back; paths are left alone.
import { wordBreaks } from "./word-breaks.ts";

const CRLF = /\r+\n/g;
const LINE_BREAK = /[\r\n]/;
/** Each is read from right to left, so that a break just made counts as white space for the one before it. */
const ESCAPE = /\\r\\n|\\n|\\t|\\"|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}/g;
/** Quotes and brackets may stand before a path. */
const PATH = /^["'`([{<]*(?:[a-z]:\\|\\\\|\.{1,2}\\|~\\|%[^%\s\\]+%\\)/i;
/** The end, white space, or a mark of a list, heading, quote or table with a space after it. */
const STARTS_LINE = /^(?:$|\s|(?:[-*+•>|]|#{1,6}|\d{1,3}[.)])\s)/;
const STARTS_WITH_CAPITAL = /^\p{Lu}/u;
const ENDS_SENTENCE = /[\p{L}\p{N}][.!?:](?:\\r\\n|\\n)*$/u;
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]$/u;
/** So many characters are enough to see how what follows begins. */
const AHEAD = 16;
/** So many characters are enough to see how a sentence ended, however many breaks are written out after it. */
const BEHIND = 64;

/** Idempotent. A text with a real line break only loses its carriage returns. */
export function normalise(text: string): string {
  let now = text.replace(CRLF, "\n");
  while (!LINE_BREAK.test(now)) {
    const next = restore(now);
    if (next === now) break;
    now = next;
  }
  return now;
}

/** One pass. It makes no new escapes, so a few passes settle every text. */
function restore(text: string): string {
  const isBareQuote = /(?:^|[^\\])"/.test(text);
  const inPath = pathTokens(text);
  const breaks = wordBreaks(text);
  let end = text.length;
  let ahead = "";
  const pieces: string[] = [];
  const take = (piece: string): void => {
    pieces.push(piece);
    ahead = (piece + ahead).slice(0, AHEAD);
  };
  for (const { index, 0: written } of [...text.matchAll(ESCAPE)].reverse()) {
    const after = index + written.length;
    take(text.slice(after, end));
    end = index;
    const isQuoted = text[index - 1] === "\\" || inPath(index);
    const before = text.slice(Math.max(0, index - BEHIND), index);
    take(
      isQuoted
        ? written
        : meant(written, { before, isFirst: index <= BEHIND, ahead, isBareQuote, isBetween: breaks.has(index) }),
    );
  }
  take(text.slice(0, end));
  return pieces.reverse().join("");
}

/** `isFirst`: what stands before begins with the text. `isBetween`: words stand on both sides. */
type Around = { before: string; isFirst: boolean; ahead: string; isBareQuote: boolean; isBetween: boolean };

function meant(written: string, { before, isFirst, ahead, isBareQuote, isBetween }: Around): string {
  if (written === '\\"') return isBareQuote ? written : '"';
  if (written === "\\t") return isLineStart(before, isFirst) && startsLine(ahead) ? "\t" : written;
  if (written.startsWith("\\u")) return character(written);
  const isBreak = isBetween || startsLine(ahead) || (ENDS_SENTENCE.test(before) && STARTS_WITH_CAPITAL.test(ahead));
  return isBreak ? "\n" : written;
}

const startsLine = (ahead: string): boolean => STARTS_LINE.test(ahead);

/** A tab is meant only at the start, or after a break that is written out before it. */
const isLineStart = (before: string, isFirst: boolean): boolean =>
  /\\n(?:\\t)*$/.test(before) || (isFirst && /^(?:\\t)*$/.test(before));

/** A written-out backslash stays: it would begin an escape that was never there. */
function character(written: string): string {
  const units = written.split("\\u").slice(1);
  const text = String.fromCharCode(...units.map((unit) => Number.parseInt(unit, 16)));
  return text !== "\\" && PRINTABLE.test(text) ? text : written;
}

/** Whether a position stands in a token, bounded by white space, that begins like a path. */
function pathTokens(text: string): (at: number) => boolean {
  const ranges: [number, number][] = [];
  for (const { index, 0: token } of text.matchAll(/\S+/g)) {
    if (PATH.test(token)) ranges.push([index, index + token.length]);
  }
  return (at) => {
    // Asked from right to left: what ends behind the position is not needed again.
    while ((ranges.at(-1)?.[0] ?? -1) > at) ranges.pop();
    const [start, end] = ranges.at(-1) ?? [0, 0];
    return start <= at && at < end;
  };
}
