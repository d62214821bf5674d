// Other readings of a text: escapes decoded, invisible characters removed, base64 opened; each maps back to the original.
type View = {
  text: string /** Where a position of the view stands in the original. */;
  original: (at: number) => number;
};

const ESCAPE =
  /[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+|\\u00(?:[2-7][0-9a-fA-F]|0[aAdD])|\\x[2-7][0-9a-fA-F]|%(?:[2-7][0-9a-fA-F]|0[aAdD])|&(?:quot|amp|apos|lt|gt|#x?[0-9a-fA-F]{2,3});/g;
const ENTITY: Record<string, string> = { quot: '"', amp: "&", apos: "'", lt: "<", gt: ">" };

function plain(code: string): string {
  if (code.startsWith("\\")) return String.fromCharCode(Number.parseInt(code.slice(2), 16));
  if (code.startsWith("%")) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
  if (!code.startsWith("&")) return "";
  const name = code.slice(1, -1);
  if (!name.startsWith("#")) return ENTITY[name] ?? code;
  return String.fromCharCode(name[1] === "x" ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10));
}

/** How much of the text around an escape is read again: an invisible character may stand amid a long key. */
const reachOf = (code: string): number => (/^[\\%&]/.test(code) ? 600 : 3000);

/** The stretches around escapes, decoded; none where there are no escapes. */
export function* unescaped(text: string): Generator<View> {
  let escapes: RegExpExecArray[] = [];
  let [start, end] = [0, 0];
  for (const match of text.matchAll(ESCAPE)) {
    const reach = reachOf(match[0]);
    if (escapes.length > 0 && match.index - reach > end) {
      yield decode(text, escapes, start, end);
      escapes = [];
    }
    if (escapes.length === 0) start = Math.max(0, match.index - reach);
    escapes.push(match);
    end = Math.max(end, match.index + match[0].length + reach);
  }
  if (escapes.length > 0) yield decode(text, escapes, start, end);
}

function decode(text: string, escapes: readonly RegExpExecArray[], start: number, end: number): View {
  const pieces: string[] = [];
  const viewEnds: number[] = [];
  const textEnds: number[] = [];
  let from = start;
  let length = 0;
  for (const { index, 0: code } of escapes) {
    const piece = text.slice(from, index) + plain(code);
    from = index + code.length;
    length += piece.length;
    pieces.push(piece);
    viewEnds.push(length);
    textEnds.push(from);
  }
  pieces.push(text.slice(from, end));
  const original = (at: number): number => {
    const before = countUpTo(at, viewEnds);
    return before === 0 ? start + at : (textEnds[before - 1] ?? 0) + at - (viewEnds[before - 1] ?? 0);
  };
  return { text: pieces.join(""), original };
}

/** How many of the rising numbers are not above the limit. */
function countUpTo(limit: number, rising: readonly number[]): number {
  let low = 0;
  let high = rising.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rising[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

type Base64Run = { start: number; end: number; text: string; isDataUri: boolean };

/** The text as numbers: far faster to walk than a string that is a slice of another. */
export function codeUnits(text: string): Uint16Array {
  const bytes = new Uint8Array(text.length * 2);
  Buffer.from(bytes.buffer).write(text, "utf16le");
  return new Uint16Array(bytes.buffer);
}

const IN_BASE64 = Uint8Array.from({ length: 128 }, (_, c) => Number(/[A-Za-z0-9+/_-]/.test(String.fromCharCode(c))));
const MIN_RUN = 24;

/** Runs of 24 characters or more that decode to readable text. */
export function base64Runs(text: string): Base64Run[] {
  return longRuns(text).flatMap(([start, stop]) => {
    const decoded = readable(text.slice(start, stop));
    if (decoded === undefined) return [];
    const isDataUri = text.slice(Math.max(0, start - 8), start).endsWith("base64,");
    const padding = text.startsWith("==", stop) ? 2 : text[stop] === "=" ? 1 : 0;
    return [{ start, end: stop + padding, text: decoded, isDataUri }];
  });
}

function longRuns(text: string): [start: number, stop: number][] {
  const units = codeUnits(text);
  const { length } = units;
  const runs: [number, number][] = [];
  let start = 0;
  for (let i = 0; i <= length; i++) {
    const c = i < length ? (units[i] ?? 0) : 0;
    if (c < 128 && IN_BASE64[c] === 1) continue;
    if (i - start >= MIN_RUN) runs.push([start, i]);
    start = i + 1;
  }
  return runs;
}

/** What a run decodes to, if that is text: the first letters tell for almost all that are not. */
function readable(run: string): string | undefined {
  if (!/^[A-Za-f].{3}[A-Za-f]/.test(run) || !READABLE.test(latin(run.slice(0, MIN_RUN)))) return undefined;
  const decoded = latin(run);
  return READABLE.test(decoded.slice(0, -2)) ? decoded : undefined;
}

const READABLE = /^[\t\n\r\x20-\x7e]+$/;
const latin = (run: string): string => Buffer.from(run, "base64").toString("latin1");
