// Words and grams of a text: case and diacritics folded, scripts without word spaces set apart.

const ASCII = /^[\x00-\x7f]*$/;
const ASCII_WORD = /[a-z0-9]+/g;
const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ー々〆";
const RUN = new RegExp(`([${UNSPACED}]+)|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+`, "gu");
/** Accents of Latin, Greek and Cyrillic; vowel points of Hebrew and Arabic. */
const MARKS = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]+/g;
const LETTERS: Record<string, string> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ł: "l", ı: "i", ς: "σ" };
const SPECIAL = /[ßæœøđłıς]/g;
/** Longer words are cut, in index and query alike. */
const MAX_WORD = 64;

type Runs = { words: string[] /** Runs of unspaced scripts. */; runs: string[] };

/** Words and runs in their order, equal for texts that differ in case, accents or width only. */
export function runsOf(text: string): Runs {
  if (ASCII.test(text)) return { words: cut(text.toLowerCase().match(ASCII_WORD) ?? []), runs: [] };
  const words: string[] = [];
  const runs: string[] = [];
  for (const match of text.normalize("NFKC").toLowerCase().matchAll(RUN)) {
    if (match[1] !== undefined) runs.push(match[1]);
    else if (ASCII.test(match[0])) words.push(match[0]);
    else words.push(fold(match[0]));
  }
  return { words: cut(words.filter(Boolean)), runs };
}

/** Words in order; of scripts without spaces, each character. */
export function wordsOf(text: string): string[] {
  const { words, runs } = runsOf(text);
  return runs.length === 0 ? words : [...words, ...runs.flatMap((run) => [...run])];
}

const fold = (word: string): string =>
  word
    .normalize("NFKD")
    .replace(MARKS, "")
    .replace(SPECIAL, (letter) => LETTERS[letter] ?? letter);

const cut = (words: string[]): string[] =>
  words.some((w) => w.length > MAX_WORD) ? words.map((w) => w.slice(0, MAX_WORD)) : words;

/** Whether it is made of a to z alone: most words are, and looking is far cheaper than looking anything up. */
export function isPlain(word: string): boolean {
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i);
    if (code < 97 || code > 122) return false;
  }
  return true;
}

/** Overlapping pairs and triples; the last character of a run alone, so that one character can be found by its beginning. */
export function gramsOf(run: string): string[] {
  const letters = [...run];
  const grams: string[] = [];
  for (let i = 0; i < letters.length; i++) {
    const pair = letters.slice(i, i + 2).join("");
    grams.push(pair);
    if (i + 2 < letters.length) grams.push(pair + letters[i + 2]);
  }
  return grams;
}

const OPAQUE = /(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/=_-]{256,}/g;

/** The text with encoded runs (base64, hex) blanked; positions stay. */
export const withoutOpaque = (text: string): string =>
  text.length < 256 ? text : text.replace(OPAQUE, (run) => " ".repeat(run.length));

type Spot = { start: number; end: number; word: string; unspaced: boolean };

/** Words and unspaced runs with their places in the text, for snippets. */
export function spotsOf(text: string): Spot[] {
  const spots: Spot[] = [];
  if (ASCII.test(text)) {
    for (const match of text.matchAll(ASCII_RAW)) {
      const [raw] = match;
      const word = raw.toLowerCase().slice(0, MAX_WORD);
      spots.push({ start: match.index, end: match.index + raw.length, word, unspaced: false });
    }
    return spots;
  }
  for (const match of text.matchAll(RUN_RAW)) {
    const unspaced = match[1] !== undefined;
    const folded = match[0].normalize("NFKC").toLowerCase();
    const word = unspaced ? folded : (ASCII.test(folded) ? folded : fold(folded)).slice(0, MAX_WORD);
    spots.push({ start: match.index, end: match.index + match[0].length, word, unspaced });
  }
  return spots;
}
const RUN_RAW = new RegExp(RUN.source, "gu");
const ASCII_RAW = /[A-Za-z0-9]+/g;
