// Cuts text into slices that a tokeniser takes in linear time, whatever the text is.
const LONGEST_RUN = 256;
const LONGEST_SLICE = 65_536;

/**
 * Slices that join to the text. No stretch inside one, of white space or without any, is longer than 256 units, and
 * none is much longer than 64 Ki units (under 256 KB of UTF-8). A text without long stretches is only cut before white
 * space, where tokens end anyway.
 */
export function* slices(text: string): Generator<string> {
  let start = 0;
  let runStart = 0;
  let runIsSpace = false;
  for (let at = 0; at < text.length; at++) {
    const space = isSpace(text.charCodeAt(at));
    if (space !== runIsSpace) {
      runStart = at;
      runIsSpace = space;
      if (!space || at - start < LONGEST_SLICE) continue;
      yield text.slice(start, at);
      start = at;
    } else if (at - runStart >= LONGEST_RUN) {
      const cut = isTrailing(text.charCodeAt(at)) ? at - 1 : at;
      yield text.slice(start, cut);
      start = cut;
      runStart = cut;
    }
  }
  if (start < text.length) yield text.slice(start);
}

const isTrailing = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** White space as regular expressions know it. */
function isSpace(unit: number): boolean {
  if (unit < 0xa0) return unit === 32 || (unit >= 9 && unit <= 13);
  if (unit >= 0x2000 && unit <= 0x200a) return true;
  return [0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff].includes(unit);
}
