// Sentences that give a lasting order or preference, and when one of them replaces another.
import { plainText, readBlocks } from "../graph/extract/block.ts";
import { stem } from "../recall/text/stem.ts";
import { STOP_WORDS } from "../recall/text/stop-words.ts";

const MIN_CHARS = 10;
const MAX_CHARS = 300;
const MAX_SENTENCES = 5;

/** An order begins with its cue, or somebody is told that they should; "the build always fails" is a report. */
const ORDERS: readonly RegExp[] = [
  /^(?:always|never)\s+(?!mind\b|had\b|has\b|have\b|is\b|was\b|were\b|been\b|again\b)\w+/i,
  /^(?:from now on|remember to|do not ever|don['’]t ever|please don['’]t ever)\b/i,
  /\bfrom now on[.!]?$/i,
  /^(?:i|we)(?:['’]d| would)? prefer\b/i,
  /\b(?:you (?:should|must|are to|have to)|make sure (?:to|you)) (?:always|never)\b/i,
  /^(?:whenever|each time|every time)\b[^,]*\byou\b/i,
  /^(?:whenever|each time|every time)\b[^,]+,\s*(?:please\s+)?(?!(?:i|it|its|the|this|that|there|they|we|he|she|everything|nothing|my|our|a|an)\b)\w+/i,
];
const OPENING = /^(?:(?:also|and|but|ok|okay|so|then|well|hey|please|oh)[,:]?\s+)+/i;

/** From the user's own prose; fences, quotations and code are somebody else's. */
export function standingSentences(text: string): string[] {
  const sentences = readBlocks(plainText(text).split("\n")).flatMap((block) =>
    block.kind === "sentence" ? [block.text] : [],
  );
  return sentences
    .map((sentence) => sentence.trim())
    .filter(isStanding)
    .slice(0, MAX_SENTENCES);
}

function isStanding(sentence: string): boolean {
  if (sentence.length < MIN_CHARS || sentence.length > MAX_CHARS || /[?？]|^["'“‘«`]/.test(sentence)) return false;
  const order = sentence.replace(OPENING, "");
  return ORDERS.some((pattern) => pattern.test(order));
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
const CUES = new Set(
  "always never from now on whenever each every time prefer ever remember please instead longer any more anymore stop don't do not no".split(
    " ",
  ),
);
const NEGATIONS = /\b(?:never|not|don['’]t|no longer|stop|without)\b/i;
const CHANGES = /\b(?:from now on|instead|no longer|any ?more)\b/i;

export const isSameOrder = (a: string, b: string): boolean => wordsOf(a).join(" ") === wordsOf(b).join(" ");

/** The later one is about the same and says otherwise: the reverse, an open change, or another value in the same words. */
export function isContrary(earlier: string, later: string): boolean {
  const [before, after] = [subjectOf(earlier), subjectOf(later)];
  const common = [...before].filter((word) => after.has(word)).length;
  const share = common / Math.max(1, new Set([...before, ...after]).size);
  if (NEGATIONS.test(earlier) !== NEGATIONS.test(later)) return share >= 0.6;
  return (share >= 0.5 && CHANGES.test(later)) || isOtherValue(wordsOf(earlier), wordsOf(later));
}

function subjectOf(text: string): Set<string> {
  return new Set(
    wordsOf(text)
      .filter((word) => !CUES.has(word) && !STOP_WORDS.has(word))
      .map(stem),
  );
}

/** "Answer in German" and "answer in English": one word differs, behind a word that a value follows. */
function isOtherValue(before: readonly string[], after: readonly string[]): boolean {
  if (before.length !== after.length) return false;
  const places = before.flatMap((word, at) => (word === after[at] ? [] : [at]));
  const [at = 0] = places;
  return places.length === 1 && /^(?:in|with|as|to)$/.test(before[at - 1] ?? "");
}
