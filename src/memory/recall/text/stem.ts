// Porter's stemmer for words of the Latin alphabet without accents; all other words are their own stem.

const STEP2 = pairs(
  "ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous ization:ize ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble logi:log",
);
const STEP3 = pairs("icate:ic ative: alize:al iciti:ic ical:ic ful: ness:");
const STEP4 = pairs("al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: ou: ism: ate: iti: ous: ive: ize:");

/** Longest suffix first. */
function pairs(text: string): [string, string][] {
  return text
    .split(" ")
    .map((p): [string, string] => [p.slice(0, p.indexOf(":")), p.slice(p.indexOf(":") + 1)])
    .sort((a, b) => b[0].length - a[0].length);
}

/** Letters as codes: 97 is a. A y after a consonant is a vowel. */
function isVowel(word: string, i: number): boolean {
  switch (word.charCodeAt(i)) {
    case 97:
    case 101:
    case 105:
    case 111:
    case 117:
      return true;
    case 121:
      return i > 0 && !isVowel(word, i - 1);
    default:
      return false;
  }
}

/** How often a consonant follows a vowel in the first `end` letters. */
function measure(word: string, end: number): number {
  let count = 0;
  let vowel = false;
  for (let i = 0; i < end; i++) {
    const now = isVowel(word, i);
    if (vowel && !now) count++;
    vowel = now;
  }
  return count;
}

function hasVowel(word: string, end: number): boolean {
  for (let i = 0; i < end; i++) if (isVowel(word, i)) return true;
  return false;
}

function endsCvc(word: string): boolean {
  const n = word.length;
  return n > 2 && !isVowel(word, n - 3) && isVowel(word, n - 2) && !isVowel(word, n - 1) && !/[wxy]$/.test(word);
}

/** The longest suffix that fits decides, whether or not what stands before it is long enough. */
function replaceSuffix(word: string, list: [string, string][], least: number): string {
  for (const [suffix, by] of list) {
    if (!word.endsWith(suffix)) continue;
    const end = word.length - suffix.length;
    return measure(word, end) > least ? word.slice(0, end) + by : word;
  }
  return word;
}

function plural(word: string): string {
  if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2);
  return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

function past(word: string): string {
  if (word.endsWith("eed")) return measure(word, word.length - 3) > 0 ? word.slice(0, -1) : word;
  const cut = word.endsWith("ed") ? 2 : word.endsWith("ing") ? 3 : 0;
  if (cut === 0 || !hasVowel(word, word.length - cut)) return word;
  const base = word.slice(0, -cut);
  if (/(?:at|bl|iz)$/.test(base)) return `${base}e`;
  if (/([^aeioulsz])\1$/.test(base)) return base.slice(0, -1);
  return measure(base, base.length) === 1 && endsCvc(base) ? `${base}e` : base;
}

function porter(word: string): string {
  let w = past(plural(word));
  if (w.endsWith("y") && hasVowel(w, w.length - 1)) w = `${w.slice(0, -1)}i`;
  w = replaceSuffix(w, STEP2, 0);
  w = replaceSuffix(w, STEP3, 0);
  if (w.endsWith("sion") || w.endsWith("tion")) w = measure(w, w.length - 3) > 1 ? w.slice(0, -3) : w;
  else w = replaceSuffix(w, STEP4, 1);
  if (w.endsWith("e")) {
    const base = w.slice(0, -1);
    const m = measure(base, base.length);
    if (m > 1 || (m === 1 && !endsCvc(base))) w = base;
  }
  return w.endsWith("ll") && measure(w, w.length - 1) > 1 ? w.slice(0, -1) : w;
}

const stems = new Map<string, string>();
const MOST_KNOWN = 100_000;

export function stem(word: string): string {
  if (word.length < 3) return word;
  const cached = stems.get(word);
  if (cached !== undefined) return cached;
  if (!/^[a-z]+$/.test(word)) return word;
  const stemmed = porter(word);
  if (stems.size >= MOST_KNOWN) stems.clear();
  stems.set(word, stemmed);
  return stemmed;
}
