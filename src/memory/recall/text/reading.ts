// A passage as ranking sees it: read once, and remembered for the next question.
import { remembering } from "../../../base/remember.ts";
import { humpsOf, namesOf } from "./identifier.ts";
import { isQuestion } from "./question.ts";
import { stem } from "./stem.ts";
import { STOP_WORDS } from "./stop-words.ts";
import { gramsOf, runsOf } from "./words.ts";

export type PassageReading = {
  /** Distinct words with their stems and how often they stand there; the three lists belong together. */
  words: readonly string[];
  stems: readonly string[];
  counts: readonly number[];
  /** Stems of the words inside of camelCase names, with repetitions. */
  humps: readonly string[];
  /** Forms of names, paths and codes, with repetitions. */
  names: readonly string[];
  /** Runs of unspaced scripts and their grams, with repetitions. */
  runs: readonly string[];
  grams: readonly string[];
  /** Words and unspaced characters. */
  length: number;
  /** Words that say something. */
  content: number;
  asks: boolean;
};

function read(text: string): PassageReading {
  const { words, runs } = runsOf(text);
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const distinct = [...counts.keys()];
  const characters = runs.reduce((sum, run) => sum + [...run].length, 0);
  return {
    words: distinct,
    stems: distinct.map(stem),
    counts: [...counts.values()],
    humps: humpsOf(text).map(stem),
    names: namesOf(text).flatMap(({ forms }) => forms),
    runs,
    grams: runs.flatMap(gramsOf),
    length: words.length + runs.reduce((sum, run) => sum + run.length, 0),
    content: words.filter((word) => !STOP_WORDS.has(word)).length + characters,
    asks: isQuestion(text),
  };
}

/** The newest few thousand passages that were looked at: a conversation is asked about more than once. */
export const readingOf = remembering(4_000, read);
