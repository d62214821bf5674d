// One sentence: its times, its clauses, and the rule that explains each of them whole.
import { clip } from "../../../base/text.ts";
import { type EntityDraft, type Extraction, MAX_FACT_TEXT, type SourceMessage } from "./draft.ts";
import { keywords, matchPattern, type Pattern, type PatternMatch, pattern } from "./pattern.ts";
import { type PhraseContext, TEAM, user, WE, WORKSPACE } from "./phrase.ts";
import { type EntityLabel, relationRule } from "./relation.ts";
import { CHANGE_ROWS } from "./row/change.ts";
import { CODE_ROWS } from "./row/code.ts";
import { PERSONAL_ROWS } from "./row/personal.ts";
import { PLAIN_ROWS } from "./row/plain.ts";
import type { Row } from "./row/row.ts";
import { type StatedTime, takeTimes } from "./time.ts";
import { type Token, tokenise } from "./token.ts";
import { ADVERBS, OPENINGS, UNREAL } from "./word-list.ts";

export const ROWS: readonly Row[] = [...PERSONAL_ROWS, ...CODE_ROWS, ...CHANGE_ROWS, ...PLAIN_ROWS];

type CompiledRow = { row: Row; order: number; elements: Pattern };
const BY_KEYWORD = new Map<string, CompiledRow[]>();
for (const [order, row] of ROWS.entries()) {
  const elements = pattern(row.pattern);
  for (const word of keywords(elements))
    BY_KEYWORD.set(word, [...(BY_KEYWORD.get(word) ?? []), { row, order, elements }]);
}

const ASKS = new Set(
  "is are was were am do does did can could should would will has have may might shall what why who whom whose which where how when".split(
    " ",
  ),
);
const MAX_TOKENS = 120;
const DIVIDERS = new Set([";", ":", "—", "(", ")", ".", "!", "…", "but", "whereas"]);
/** What follows one of these depends on the clause before it. */
const SUBORDINATE = new Set(["because", "although", "though", "while", "so", "which", "who", "where", "since"]);
const SIDE_PHRASES: readonly (readonly string[])[] = [
  ["these", "days"],
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
  /^(?:moved|switched|migrated|decided|agreed|chosen|stopped|dropped|left|joined|replaced|renamed|settled|picked|swapped|changed|opened|filed|bumped|raised)$/;

export type SentenceContext = { role: SourceMessage["role"]; speaker: string; at: string };
export type SentenceFacts = Pick<Extraction, "facts" | "endings"> & { mentions: EntityDraft[] };

export function readSentence(sentence: string, context: SentenceContext): SentenceFacts {
  const tokens = tokenise(sentence);
  const result: SentenceFacts = { facts: [], endings: [], mentions: tokens.flatMap(({ entity }) => entity ?? []) };
  if (tokens.length < 3 || tokens.length > MAX_TOKENS || isQuestion(tokens)) return result;
  const { tokens: timeless, time } = takeTimes(sentence, tokens, context.at);
  const plain = normalised(timeless);
  const unreal = timeless.filter(isUnreal);
  const text = clip(sentence.replace(/\s+/g, " "), MAX_FACT_TEXT);
  const state = (clause: Clause): boolean => {
    const match = rowFor(clause, context, unreal);
    if (match) add(result, match, clause, { ...context, text, time });
    return match !== undefined;
  };
  for (const segment of divided(plain.tokens)) readSegment({ ...plain, tokens: segment }, state);
  return result;
}

/** The whole segment, else the parts between its commas and "and"s; a part without a subject takes the last one's. */
function readSegment(segment: Clause, state: (clause: Clause) => boolean): void {
  if (state(segment)) return;
  let last: readonly Token[] | undefined;
  for (const tokens of parted(segment.tokens)) {
    if (state({ ...segment, tokens })) last = tokens;
    else if (last) {
      const verb = last.findIndex(({ lower }) => BY_KEYWORD.has(lower));
      if (verb > 0) state({ ...segment, tokens: [...last.slice(0, verb), ...tokens] });
    }
  }
}

type Clause = {
  tokens: readonly Token[];
  now: boolean;
  /** "No longer": what it states has ended. */
  ended: boolean;
};

/** Without openings, adverbs and auxiliaries that change nothing, with what they tell as flags. */
function normalised(tokens: readonly Token[]): Clause {
  const rest: Token[] = [];
  let [now, ended] = [false, false];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if (!token) break;
    const phrase = SIDE_PHRASES.find((words) => words.every((word, k) => tokens[i + k]?.lower === word));
    const [next, second] = [tokens[i + 1], tokens[i + 2]];
    if (phrase) {
      now ||= phrase.includes("now");
      ended ||= phrase[0] === "any" && dropNegation(rest);
      i += phrase.length - 1;
    } else if (token.kind === "word" && (token.lower === "now" || token.lower === "currently")) now = true;
    else if (token.lower === "anymore") ended ||= dropNegation(rest);
    else if (token.lower === "no" && next?.lower === "longer") {
      ended = true;
      i++;
    } else if (token.lower === "stopped" && next?.lower === "using") {
      ended = true;
      rest.push({ ...next, text: "use", lower: "use" });
      i++;
    } else if ((token.lower === "has" || token.lower === "have") && next && PERFECT.has(next.lower) && second) {
      const verb = PERFECT.get(next.lower) ?? "";
      rest.push({ ...next, text: verb, lower: verb });
      i++;
    } else if ((token.lower === "has" || token.lower === "have") && next && CHANGED.test(next.lower)) continue;
    else if (token.kind === "word" && ADVERBS.has(token.lower)) continue;
    else rest.push(token);
  }
  return { tokens: opened(rest), now, ended };
}

/** "We do not use Jenkins any more" is an ending: its "do not" is taken back. */
function dropNegation(tokens: Token[]): boolean {
  const at = tokens.findIndex(({ lower }, i) => /^do(?:es)?$/.test(lower) && tokens[i + 1]?.lower === "not");
  if (at === -1) return false;
  tokens.splice(at, 2);
  return true;
}

function opened(tokens: readonly Token[]): readonly Token[] {
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

/** The first segment is the whole sentence when a rule names a divider itself, such as "Decision:". */
function divided(tokens: readonly Token[]): (readonly Token[])[] {
  if (tokens[0]?.lower === "decision" && tokens[1]?.text === ":") return [tokens];
  const segments: Token[][] = [[]];
  let subordinate = false;
  for (const token of tokens) {
    const divides = DIVIDERS.has(token.text) || (token.kind === "word" && DIVIDERS.has(token.lower));
    if (divides) {
      segments.push([]);
      subordinate = false;
    } else if (token.kind === "word" && SUBORDINATE.has(token.lower) && segments.at(-1)?.length) subordinate = true;
    else if (!subordinate) segments.at(-1)?.push(token);
  }
  return segments.map(trimmed).filter(({ length }) => length >= 3);
}

function parted(tokens: readonly Token[]): (readonly Token[])[] {
  const parts: Token[][] = [[]];
  for (const token of tokens) {
    if (token.text === "," || token.lower === "and") parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts.length === 1 ? [] : parts.filter(({ length }) => length >= 2).slice(0, 12);
}

function isQuestion(tokens: readonly Token[]): boolean {
  if (tokens.some(({ text, kind }) => kind === "mark" && /^[?？]$/.test(text))) return true;
  const first = opened(tokens)[0];
  return first?.kind === "word" && ASKS.has(first.lower);
}

const isUnreal = ({ lower, text, kind }: Token): boolean => kind === "word" && UNREAL.has(lower) && text !== "May";

type RowMatch = PatternMatch & { row: Row };

function rowFor(
  { tokens, now, ended }: Clause,
  { role, speaker }: SentenceContext,
  unreal: readonly Token[],
): RowMatch | undefined {
  const candidates = new Set<CompiledRow>();
  for (const { lower } of tokens) for (const row of BY_KEYWORD.get(lower) ?? []) candidates.add(row);
  const context: PhraseContext = { role, speaker, now };
  const isPersonal = role === "user" || role === "system";
  for (const { row, elements } of [...candidates].sort((a, b) => a.order - b.order)) {
    if ((row.personal && !isPersonal) || (row.now && !now) || (row.subject === "speaker" && role !== "user")) continue;
    if (ended && (row.ends || row.follows !== undefined || row.pattern.includes("{before:"))) continue;
    const match = matchPattern(elements, tokens, context);
    if (match && unreal.every((token) => match.words.has(token))) return { ...match, row };
  }
  return undefined;
}

type StatementContext = SentenceContext & { text: string; time: StatedTime };

function add(result: SentenceFacts, match: RowMatch, { ended }: Clause, context: StatementContext): void {
  const { row, slots } = match;
  const subjects = slots.subject ?? [row.subject === "speaker" ? user(context.speaker) : WE];
  const purpose = slots.purpose?.[0]?.name.toLowerCase();
  const { validAt = context.at, validUntil } = context.time;
  if (validUntil !== undefined && validUntil <= validAt) return;
  for (const raw of subjects) {
    for (const [object, ends] of [
      ...(slots.object ?? []).map((o) => [o, row.ends ?? ended] as const),
      ...(slots.before ?? []).map((b) => [b, true] as const),
    ]) {
      const relation =
        typeof row.relation === "string" ? row.relation : row.relation(raw, (slots.object ?? [])[0] ?? object);
      if (relation === undefined) continue;
      const subject = fitted(subjectOf(raw, relation, row), relationRule(relation).subject);
      const target = fitted(object === WE ? WORKSPACE : object, relationRule(relation).object);
      if (!subject || !target || sameEntity(subject, target)) continue;
      const edge = { subject, relation, object: target, text: context.text };
      if (ends) result.endings.push({ ...edge, at: validAt });
      else
        result.facts.push({
          ...edge,
          validAt,
          ...(validUntil !== undefined && { validUntil }),
          ...(purpose !== undefined && { slot: purpose }),
        });
    }
  }
  if (row.follows !== undefined) addConsequence(result, match, context);
}

/** What was decided holds from then on: "decided to use X" is "we use X" as well. */
function addConsequence(result: SentenceFacts, { row, spans }: RowMatch, context: StatementContext): void {
  const word = (text: string): Token => ({ text, lower: text, kind: "word", start: 0, end: 0 });
  const tokens = [word("we"), ...(row.follows ? [word(row.follows)] : []), ...(spans.object ?? [])];
  const clause: Clause = { tokens, now: false, ended: false };
  const isOurs = (spans.subject ?? []).every(({ lower }) => /^(?:we|the|team|our)$/.test(lower));
  const match = isOurs ? rowFor(clause, context, []) : undefined;
  if (match && match.row.follows === undefined) add(result, match, clause, context);
}

function subjectOf(subject: EntityDraft, relation: string, row: Row): EntityDraft {
  if (subject === WE) return relationRule(relation).subject?.includes("User") ? TEAM : WORKSPACE;
  return row.attribute === undefined ? subject : { name: `${subject.name} ${row.attribute}`, label: "Term" };
}

/** Where a relation has one kind of end, that is what stands there; where it has several, another kind is a misreading. */
function fitted(entity: EntityDraft, labels: readonly EntityLabel[] | undefined): EntityDraft | undefined {
  const [only, ...others] = labels ?? [entity.label];
  if (labels?.includes(entity.label) || only === undefined) return entity;
  return others.length === 0 ? { name: entity.name, label: only } : undefined;
}

const sameEntity = (a: EntityDraft, b: EntityDraft): boolean => a.name.toLowerCase() === b.name.toLowerCase();
