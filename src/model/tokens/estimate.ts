// Token numbers without a tokeniser: a sure upper bound, and an estimate that is usually within a tenth.

/** No token is shorter than one byte, so this is never below the exact count. */
export function upperBound(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

const SPACE = 0;
const LETTER = 1;
const DIGIT = 2;
const SIGN = 3;
const OTHER = 4;

/** Words, numbers, signs and line breaks weighed as the o200k tokeniser usually splits them; linear, no tables. */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let at = 0;
  while (at < text.length) {
    const kind = kindOf(text.charCodeAt(at));
    const end = runEnd(text, at, kind);
    tokens += weight(kind, end - at, text.charCodeAt(at));
    at = end;
  }
  return Math.ceil(tokens);
}

/** Runs of one kind; a capital after a small letter starts a new word. */
function runEnd(text: string, from: number, kind: number): number {
  let end = from + 1;
  while (end < text.length) {
    const unit = text.charCodeAt(end);
    if (kindOf(unit) !== kind) break;
    if (kind === LETTER && unit < 97 && text.charCodeAt(end - 1) >= 97) break;
    end++;
  }
  return end;
}

/** Fitted to prose, source code, JSON and Markdown. */
function weight(kind: number, length: number, first: number): number {
  switch (kind) {
    case SPACE:
      return length > 1 ? 0.9 + length / 80 : first === 10 ? 0.8 : 0;
    case LETTER:
      return length <= 7 ? 1 : 1 + (length - 7) / 4;
    case DIGIT:
      return Math.ceil(length / 3);
    case SIGN:
      return Math.max(0.9, length / 2.8);
    default:
      return length * 0.7;
  }
}

function kindOf(unit: number): number {
  if (unit >= 128) return OTHER;
  if (unit === 32 || (unit >= 9 && unit <= 13)) return SPACE;
  if ((unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90)) return LETTER;
  return unit >= 48 && unit <= 57 ? DIGIT : SIGN;
}
