// A query taken apart: terms for each channel, phrases, names, cues. Every character of it is data.
import { humpsOf, type Name, namesOf } from "../text/identifier.ts";
import { LIGHT, LIGHT_STEMS } from "../text/light-words.ts";
import { NO_RELATED_WORDS, type RelatedWords } from "../text/related.ts";
import { stem } from "../text/stem.ts";
import { STOP_WORDS } from "../text/stop-words.ts";
import { nameToken, stemToken } from "../text/tokens.ts";
import { gramsOf, runsOf } from "../text/words.ts";
import type { Channel } from "./weights.ts";

export type QueryTerm = {
  channel: Channel;
  /** What is compared with the terms of a passage; for a `prefix`, their beginning. */
  text: string;
  /** The tokens of the index that stand for it, any of them. */
  tokens: string[];
  prefix?: boolean;
  /** How much of its rarity counts; all by default. */
  weight?: number;
  /** Not asked for: it helps what the question found, and is no reason to show anything. */
  hint?: boolean;
  /** For the channel `near`: the stems any of which stands for the query's own, which is the term's text. */
  related?: readonly string[];
  /** Looked for when the term itself stands nowhere: words that begin like it. */
  kin?: QueryTerm;
};
export type Query = {
  text: string;
  /** To compare with other texts. */
  folded: string;
  terms: QueryTerm[];
  /** The quoted phrases, folded. */
  phrases: string[];
  /** Identifiers and paths as they were written. */
  names: Name[];
  /** Whose words are asked for. */
  speaker?: "user" | "assistant";
  /** Whether the latest or the earliest is asked for. */
  age?: "newest" | "oldest";
  /** Everything there is, or an order of events, is asked for: many sessions rather than the best one. */
  isBroad?: true;
};

const MAX_QUERY = 4000;
const HINT = { names: 16, weight: 0.3 };
const KIN = { letters: 5, weight: 0.5 };
const QUOTED = /"([^"]{2,400})"|“([^“”]{2,400})”|«([^«»]{2,400})»|「([^「」]{1,400})」/g;
const YOU =
  /\b(?:did|have|had) you\b|\byou(?:'ve|r)? (?:say|said|tell|told|suggest\w*|recommend\w*|mention\w*|found|propose\w*|advi[cs]e\w*|idea|answer)|\bhast du\b|\bdu gesagt\b|\bas-tu\b|\bme (?:dijiste|recomendaste)\b/i;
/** Asks for one's own words, although it also speaks to the other side: "could you remind me what I told you". */
const TOLD_YOU = /\bI(?:'ve| have| had)? (?:say|said|tell|told|mention\w*|ask\w*|explain\w*|wrote|decid\w*)\b/i;
const ME = /\b(?:i|my|mine|we|our|ich|mein\w*|wir|unser\w*|je|mon|mes|nous|yo|mi|mis)\b|私|僕|我|저는|내가/i;
const NEWEST =
  /\b(?:current(?:ly)?|now|latest|most recent(?:ly)?|these days|at the moment|still|jetzt|aktuell\w*|derzeit)\b|現在|今の|现在|目前/i;
const BROAD =
  /\b(?:list|summari[sz]e|summary|overview|everything|every|all|in (?:which|what) order|over time|timeline|how (?:many|often)|steps|alle[ns]?|überblick|zusammenfass\w*|reihenfolge)\b/i;
/** A capital letter inside a sentence. */
const NAME_IN_SENTENCE = /(?<=[^.!?:\s"“(]\s+["“(]?)\p{Lu}[\p{L}'’]*/gu;
const EXACT: ReadonlySet<string> = new Set(
  `january february march april may june july august september october november december monday tuesday wednesday thursday
   friday saturday sunday one two three four five six seven eight nine ten eleven twelve hundred thousand million billion
   first second third last next`
    .split(/\s+/)
    .map(stem),
);
const OLDEST = /\b(?:first|original(?:ly)?|initial(?:ly)?|in the beginning|zuerst|anfangs|ursprünglich\w*)\b|最初/i;

/** `hints` add their names and paths only, and these count less. */
export function analyseQuery(raw: string, hints = "", relatedTo: RelatedWords = NO_RELATED_WORDS): Query {
  const text = readable(raw);
  const { words, runs } = runsOf(text);
  const distinct = [...new Set(words)];
  const content = distinct.filter((w) => !STOP_WORDS.has(w));
  const names = namesOf(text);
  const stems = new Set([...(content.length > 0 ? content : distinct), ...humpsOf(text)].map(stem));
  // A word of a sentence is no name; a word alone may be one.
  const wholes = new Set([...names.flatMap((n) => n.forms), ...(content.length === 1 ? content : [])]);
  const terms: QueryTerm[] = [
    ...distinct.map((w): QueryTerm => ({ channel: "plain", text: w, tokens: [w] })),
    ...[...stems].map(stemTerm),
    ...nearTerms(stems, text, relatedTo),
    ...[...wholes].map((f): QueryTerm => ({ channel: "ident", text: f, tokens: [nameToken(f)] })),
    ...gramTerms(runs),
  ];
  if (terms.length > 0) terms.push(...hintTerms(hints, wholes));
  const speaker = TOLD_YOU.test(text) ? "user" : YOU.test(text) ? "assistant" : ME.test(text) ? "user" : undefined;
  const age = NEWEST.test(text) ? "newest" : OLDEST.test(text) ? "oldest" : undefined;
  return {
    ...{ text, folded: foldText(text), terms, phrases: phrasesIn(raw), names },
    ...(speaker && { speaker }),
    ...(age && { age }),
    ...(BROAD.test(text) && { isBroad: true }),
  };
}

const readable = (raw: string): string => raw.slice(0, MAX_QUERY).toWellFormed().replaceAll("\0", " ");

/** `allergic` finds `allergy` when nobody said `allergic`: their stems differ, their beginnings do not. */
function stemTerm(root: string): QueryTerm {
  const term: QueryTerm = {
    ...{ channel: "stem", text: root, tokens: [root, stemToken(root)] },
    ...(LIGHT_STEMS.has(root) && { weight: LIGHT }),
  };
  if (root.length < KIN.letters || /\d/.test(root)) return term;
  const start = root.slice(0, KIN.letters);
  return { ...term, kin: { channel: "stem", text: start, tokens: [start], prefix: true, weight: KIN.weight } };
}

/** Names have no words of like use, and neither have times and numbers. */
function nearTerms(stems: ReadonlySet<string>, text: string, relatedTo: RelatedWords): QueryTerm[] {
  const names = new Set([...text.matchAll(NAME_IN_SENTENCE)].flatMap((m) => runsOf(m[0]).words.map(stem)));
  return [...stems].flatMap((root): QueryTerm[] => {
    if (names.has(root) || EXACT.has(root)) return [];
    const related = relatedTo(root).filter((other) => !EXACT.has(other) && !stems.has(other));
    const tokens = related.flatMap((other) => [other, stemToken(other)]);
    return related.length === 0 ? [] : [{ channel: "near", text: root, tokens, related }];
  });
}

function hintTerms(hints: string, ownForms: ReadonlySet<string>): QueryTerm[] {
  const wholes = namesOf(hints.slice(0, MAX_QUERY).toWellFormed()).flatMap((n) => n.forms.slice(0, 1));
  const others = [...new Set(wholes)].filter((f) => !ownForms.has(f)).slice(0, HINT.names);
  return others.map((f) => ({ channel: "ident", text: f, tokens: [nameToken(f)], weight: HINT.weight, hint: true }));
}

/** One character alone is looked for as the beginning of a pair. */
function gramTerms(runs: readonly string[]): QueryTerm[] {
  const single = new Set(runs.filter((run) => [...run].length === 1));
  const grams = new Set(runs.filter((run) => !single.has(run)).flatMap((run) => gramsOf(run).slice(0, -1)));
  return [
    ...[...grams].map((g): QueryTerm => ({ channel: "gram", text: g, tokens: [g] })),
    ...[...single].map((c): QueryTerm => ({ channel: "gram", text: c, tokens: [c], prefix: true })),
  ];
}

/** The quoted phrases of a query, folded. */
export function phrasesIn(raw: string): string[] {
  const phrases = [...readable(raw).matchAll(QUOTED)].map((m) => foldText(m[1] ?? m[2] ?? m[3] ?? m[4] ?? ""));
  return [...new Set(phrases)].filter(Boolean);
}

/** Words and unspaced runs with one blank between them: equal for texts that read the same. */
export function foldText(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, " ")
    .trim();
}
