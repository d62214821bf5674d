// Sentences divided into clauses, and a clause without what changes nothing in it: openings, adverbs, auxiliaries, times.
import type { StatedTime, Token } from "./token.ts";
import { ADVERBS, OPENINGS } from "./word-list.ts";

export type Clause = {
  tokens: readonly Token[];
  time: StatedTime;
  now: boolean;
  /** "No longer": what it states has ended. */
  ended: boolean;
};

const DIVIDERS = new Set([";", ":", "—", ".", "!", "…", "but", "whereas"]);
/** What follows one of these depends on the clause before it. */
const SUBORDINATE = new Set(["because", "although", "though", "while", "so", "which", "who", "where", "since"]);
const SIDE_PHRASES: readonly (readonly string[])[] = [
  ["these", "days"],
  ["or", "later"],
  ["or", "newer"],
  ["or", "higher"],
  ["any", "more"],
  ["at", "the", "moment"],
  ["right", "now"],
  ["from", "now", "on"],
  ["for", "now"],
  ["as", "well"],
  ["by", "the", "way"],
  ["by", "default"],
  ["under", "the", "hood"],
];
const PERFECT = new Map([
  ["lived", "lives"],
  ["worked", "works"],
  ["used", "uses"],
  ["owned", "owns"],
  ["maintained", "maintains"],
]);
const CHANGED =
  /^(?:moved|switched|migrated|decided|agreed|chosen|stopped|dropped|left|joined|replaced|renamed|settled|picked|swapped|changed|opened|filed|bumped|raised|taken|merged|closed|reopened)$/;

const BASES = new Map([
  ["using", "use"],
  ["running", "run"],
  ["depending", "depend"],
  ["relying", "rely"],
]);

/** "Marco used to live there": what he does no longer. */
const FORMER = /^(?:use|live|work|run|depend|rely|own|maintain)$/;

/** The verb as it stands behind this word. */
const present = (verb: string, subject: string): string =>
  /^(?:i|we|they)$|[^s']s$/.test(subject) ? verb : `${verb}s`.replace(/ys$/, "ies");

/** "We are using Vite" says "we use Vite"; "the server is running" tells a state. */
const isProgressive = (be: string, verb: string, after: string | undefined): boolean =>
  /^(?:am|is|are)$/.test(be) && BASES.has(verb) && (verb === "using" || after === "on");

/** What is left out is told by the flags. */
export function clauseOf(tokens: readonly Token[]): Clause {
  const rest: Token[] = [];
  const time: StatedTime = {};
  let [now, ended] = [false, false];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if (!token) break;
    const { lower, kind } = token;
    const phrase = SIDE_PHRASES.find((words) => words.every((word, k) => tokens[i + k]?.lower === word));
    const next = tokens[i + 1];
    const perfect = lower === "has" || lower === "have" ? next?.lower : undefined;
    if (token.time) Object.assign(time, token.time);
    else if (phrase) {
      now ||= phrase.includes("now") || phrase[0] === "these";
      ended ||= phrase[0] === "any" && dropNegation(rest);
      i += phrase.length - 1;
    } else if (kind === "word" && (lower === "now" || lower === "currently")) now = true;
    else if (lower === "anymore") ended ||= dropNegation(rest);
    else if (lower === "no" && next?.lower === "longer") {
      ended = true;
      i++;
    } else if (lower === "stopped" && next?.lower === "using") {
      ended = true;
      rest.push({ ...next, text: "use", lower: "use" });
      i++;
    } else if (lower === "used" && next?.lower === "to" && FORMER.test(tokens[i + 2]?.lower ?? "")) {
      ended = true;
      const verb = present(tokens[i + 2]?.lower ?? "", rest.at(-1)?.lower ?? "");
      rest.push({ ...next, text: verb, lower: verb });
      i += 2;
    } else if (next && isProgressive(lower, next.lower, tokens[i + 2]?.lower)) {
      const verb = present(BASES.get(next.lower) ?? "", lower === "is" ? "" : "we");
      rest.push({ ...next, text: verb, lower: verb });
      i++;
    } else if (perfect !== undefined && next && PERFECT.has(perfect)) {
      const verb = PERFECT.get(perfect) ?? perfect;
      rest.push({ ...next, text: verb, lower: verb });
      i++;
    } else if (!(perfect !== undefined && CHANGED.test(perfect)) && !isPassedOver(token, next)) rest.push(token);
  }
  return { tokens: withoutOpening(rest), time, now, ended };
}

/** "On Tuesdays only" says more than "on Tuesdays"; in "we only use Redis" it adds nothing. */
const isPassedOver = ({ kind, lower }: Token, next: Token | undefined): boolean =>
  kind === "word" && ADVERBS.has(lower) && !(lower === "only" && next === undefined);

/** "We do not use Jenkins any more" is an ending: its "do not" is taken back. */
function dropNegation(tokens: Token[]): boolean {
  const at = tokens.findIndex(({ lower }, i) => /^do(?:es)?$/.test(lower) && tokens[i + 1]?.lower === "not");
  if (at === -1) return false;
  const [be, , verb] = tokens.slice(at, at + 3);
  if (be?.lower === "does" && verb) {
    const lower = present(verb.lower, "");
    tokens.splice(at, 3, { ...verb, text: lower, lower });
  } else tokens.splice(at, 2);
  return true;
}

export function withoutOpening(tokens: readonly Token[]): readonly Token[] {
  let rest = trimmed(tokens);
  for (let more = true; more; ) {
    const opening = OPENINGS.find((words) => words.every((word, k) => rest[k]?.lower === word));
    // "No" and "so" open a sentence only before a comma or another clause; "no service uses it" stays whole.
    more = opening !== undefined && rest.length > opening.length && !(opening[0] === "no" && rest[1]?.text !== ",");
    if (more && opening) rest = trimmed(rest.slice(opening.length));
  }
  return rest;
}

function trimmed(tokens: readonly Token[]): readonly Token[] {
  const isMark = (token: Token | undefined): boolean => token?.kind === "mark" && /^[,.;:!—…-]$/.test(token.text);
  let [from, to] = [0, tokens.length];
  while (from < to && isMark(tokens[from])) from++;
  while (to > from && isMark(tokens[to - 1])) to--;
  return tokens.slice(from, to);
}

const PAST = new Map(
  ["bump", "rename", "replace", "move", "switch", "drop", "upgrade", "migrate"].map((verb) => [
    verb,
    verb === "drop" ? "dropped" : `${verb}${verb.endsWith("e") ? "d" : "ed"}`,
  ]),
);
const COMMIT_KIND = /^(?:build|chore|ci|docs|feat|fix|perf|refactor|style|test)!?$/;

/** The subject of a conventional commit, "chore(deps): bump zod from 3 to 4", tells what was done and not what to do. */
export function withCommitTense(tokens: readonly Token[]): readonly Token[] {
  const colon = COMMIT_KIND.test(tokens[0]?.text ?? "") ? tokens.findIndex(({ text }) => text === ":") : -1;
  const verb = tokens[colon + 1];
  const past = colon > 0 && colon <= 6 && verb ? PAST.get(verb.lower) : undefined;
  return past === undefined || !verb ? tokens : [{ ...verb, text: past, lower: past }, ...tokens.slice(colon + 2)];
}

/** A call in plain text, a placeholder and the author before a number: no phrase reaches across them. */
function spoils(tokens: readonly Token[], at: number): boolean {
  const [token, before] = [tokens[at], tokens[at - 1]];
  if (token?.text === "{") return true;
  if (token?.text !== "(") return false;
  const close = tokens.findIndex(({ text }, i) => i > at && text === ")");
  const after = close === -1 ? undefined : tokens[close + 1];
  return (before?.kind === "word" && before.end === token.start) || after?.entity?.label === "Task";
}

/** "`OPEN` (`1`) — the connection is open" explains a name; what it says is true of no moment. */
function isDefinition([first, second, ...others]: readonly Token[]): boolean {
  if (first?.kind !== "code" || !/^(?:Symbol|Term|Tool)$/.test(first.entity?.label ?? "") || !second) return false;
  const close = second.text === "(" ? others.findIndex(({ text }) => text === ")") : -1;
  return /^[:—–=-]$/.test((close === -1 ? second : others[close + 1])?.text ?? "");
}

/** "Is disabled until it is fixed" is so now; "was enabled until we removed it" is over. */
const isSubordinate = (word: string, before: readonly Token[]): boolean =>
  before.length > 0 &&
  (SUBORDINATE.has(word) || (word === "until" && !before.some(({ lower }) => /^(?:was|were|got|had)$/.test(lower))));

/** The first segment is the whole sentence when a rule names a divider itself, such as "Decision:". */
export function divided(tokens: readonly Token[], isVerb: (word: string) => boolean): (readonly Token[])[] {
  if (isDefinition(tokens)) return [];
  if (tokens[0]?.lower === "decision" && tokens[1]?.text === ":") return [tokens];
  const segments: Token[][] = [[]];
  let subordinate = false;
  let depth = 0;
  for (const [at, token] of tokens.entries()) {
    // What stands in brackets belongs to nobody's clause.
    if (token.kind === "mark" && /^[()[\]{}]$/.test(token.text)) {
      if (depth === 0 && spoils(tokens, at)) segments.at(-1)?.push(token);
      depth = Math.max(0, depth + (/[([{]/.test(token.text) ? 1 : -1));
      continue;
    }
    if (depth > 0) continue;
    const divides = DIVIDERS.has(token.text) || (token.kind === "word" && DIVIDERS.has(token.lower));
    if (divides) {
      segments.push([]);
      subordinate = false;
    } else if (token.kind === "word" && isSubordinate(token.lower, segments.at(-1) ?? [])) {
      subordinate = true;
      // "Nina, who is new, owns the search": the comma before the insertion goes with it.
      if (/^wh/.test(token.lower) && segments.at(-1)?.at(-1)?.text === ",") segments.at(-1)?.pop();
    } else if (subordinate && token.text === "," && isVerb(tokens[at + 1]?.lower ?? "")) subordinate = false;
    else if (!subordinate) segments.at(-1)?.push(token);
  }
  return segments.map(trimmed);
}

/** `comma` says that a part ends at one; `link` is what stood between it and the next. */
export type ClausePart = { tokens: Token[]; link: Token[]; comma: boolean };

export function parted(tokens: readonly Token[]): ClausePart[] {
  const parts: ClausePart[] = [{ tokens: [], link: [], comma: false }];
  for (const token of tokens) {
    const part = parts.at(-1);
    if (token.text === "," || token.lower === "and") {
      const open = part?.tokens.length === 0 ? parts.at(-2) : part;
      open?.link.push(token);
      if (open === part) {
        if (part) part.comma = token.text === ",";
        parts.push({ tokens: [], link: [], comma: false });
      }
    } else part?.tokens.push(token);
  }
  return parts.length === 1 ? [] : parts.slice(0, 12);
}

export const joinedParts = (parts: readonly ClausePart[]): Token[] =>
  parts.flatMap(({ tokens, link }, i) => (i === parts.length - 1 ? tokens : [...tokens, ...link]));
