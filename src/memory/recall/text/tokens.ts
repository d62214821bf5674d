// The tokens under which a passage is found.
import { remembering } from "../../../base/remember.ts";
import { humpsOf, namesOf } from "./identifier.ts";
import { stem } from "./stem.ts";
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
