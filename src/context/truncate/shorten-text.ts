// A long text with its middle left out: head and tail stay, cut where a reader would cut.

const HEAD_SHARE = 0.6;
/** How far a cut moves to stand at a line end. */
const LINE_WITHIN = 200;
/** Enough around a cut to see which character it stands in. */
const WINDOW = 48;

export type Marker = (omittedChars: number) => string;

/** At most `chars` UTF-16 units, marker included; never longer than the text. The marker alone when there is room for no more. */
export function shortenText(text: string, chars: number, marker: Marker): string {
  if (text.length <= chars) return text;
  const room = Math.max(0, chars - marker(text.length).length);
  const headRoom = Math.floor(room * HEAD_SHARE);
  const headEnd = lineEndBefore(text, characterStart(text, headRoom));
  const tailStart = lineStartAfter(text, characterEnd(text, text.length - (room - headRoom)));
  const short = text.slice(0, headEnd) + marker(tailStart - headEnd) + text.slice(tailStart);
  return short.length < text.length ? short : text;
}

function lineEndBefore(text: string, at: number): number {
  const from = Math.max(0, at - LINE_WITHIN);
  const lineEnd = text.slice(from, at).lastIndexOf("\n") + 1;
  return lineEnd === 0 ? at : from + lineEnd;
}

function lineStartAfter(text: string, at: number): number {
  if (at === 0 || text[at - 1] === "\n") return at;
  const lineStart = text.slice(at, at + LINE_WITHIN).indexOf("\n") + 1;
  return at + lineStart;
}

let segmenter: Intl.Segmenter | undefined;

/** The character around a position, as a reader sees characters: accents, joined emoji and pairs are one. */
function characterAt(text: string, at: number): { start: number; end: number } {
  if (at <= 0 || at >= text.length) return { start: at, end: at };
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  const from = wholePair(text, Math.max(0, at - WINDOW));
  const segment = segmenter.segment(text.slice(from, wholePair(text, at + WINDOW))).containing(at - from);
  if (!segment) return { start: at, end: at };
  const start = from + segment.index;
  return { start, end: start === at ? at : start + segment.segment.length };
}
const characterStart = (text: string, at: number): number => characterAt(text, at).start;
const characterEnd = (text: string, at: number): number => characterAt(text, at).end;

/** The position itself, or the one before it when it stands inside a surrogate pair. */
function wholePair(text: string, at: number): number {
  const inside = isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1));
  return inside ? at - 1 : at;
}
const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
