// The tokens under which a passage is found, and the passage as ranking reads it: one kind of word, one entry in each.
import { remembering } from "../../../base/remember.ts";
import type { Channel } from "../rank/weights.ts";
import { humpsOf, namesOf } from "./identifier.ts";
import { isQuestion } from "./question.ts";
import { stem } from "./stem.ts";
import { STOP_WORDS } from "./stop-words.ts";
import { gramsOf, isPlain, runsOf } from "./words.ts";

/** To be raised with every change that makes other tokens of the same text. */
export const ANALYSER = "2";

/** A mark in front tells the channels apart; the tokens of one passage are a set. */
export const stemToken = (form: string): string => `~${form}`;
export const nameToken = (form: string): string => `=${form}`;
export const scopeToken = (id: number): string => `@${id}`;
export const kindToken = (kind: string): string => `#${kind}`;
export const roleToken = (role: string): string => `%${role.toLowerCase().replace(/[^a-z0-9]+/g, "")}`;

const MAY_HAVE_NAMES = /[_/\\#$~@]|\p{Ll}\p{Lu}|[\p{L}\p{N}][.:+-]+[\p{L}\p{N}]|\p{L}\d|\d\p{L}|\s\.\p{L}|\+\+/u;

type Tokens = {
  /** Separated by spaces. */
  text: string;
  /** Words and grams with repetitions: the length of the passage. */
  length: number;
};

export function tokensOf(text: string): Tokens {
  const { words, runs } = runsOf(text);
  const tokens = new Set<string>(words);
  for (const word of [...tokens]) {
    // Only plain words have a stem.
    const root = isPlain(word) ? rootToken(word) : undefined;
    if (root !== undefined) tokens.add(root);
  }
  for (const hump of humpsOf(text)) tokens.add(stemToken(stem(hump)));
  let length = words.length;
  for (const run of runs) {
    for (const gram of gramsOf(run)) tokens.add(gram);
    length += run.length;
  }
  if (MAY_HAVE_NAMES.test(text))
    for (const { forms } of namesOf(text)) for (const form of forms) tokens.add(nameToken(form));
  return { text: [...tokens].join(" "), length };
}

/** A word that is its own stem is found by the word's token already. */
const rootToken = remembering(100_000, (word): string | undefined => {
  const root = stem(word);
  return root === word ? undefined : stemToken(root);
});

export type PassageReading = {
  /** Distinct words with their stems and how often they stand there; the three lists belong together. */
  words: readonly string[];
  stems: readonly string[];
  counts: readonly number[];
  /** What else it has for a channel, with repetitions: stems of words inside of camelCase names, forms of names, grams. */
  forms: readonly (readonly [Channel, readonly string[]])[];
  /** Runs of unspaced scripts. */
  runs: readonly string[];
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
    forms: [
      ["stem", humpsOf(text).map(stem)],
      ["ident", namesOf(text).flatMap(({ forms }) => forms)],
      ["gram", runs.flatMap(gramsOf)],
    ],
    runs,
    length: words.length + runs.reduce((sum, run) => sum + run.length, 0),
    content: words.filter((word) => !STOP_WORDS.has(word)).length + characters,
    asks: isQuestion(text),
  };
}

/** The newest few thousand passages that were looked at: a conversation is asked about more than once. */
export const readingOf = remembering(4_000, read);
