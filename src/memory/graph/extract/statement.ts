// A clause against the table of rules, and the facts and endings that a match states.

import type { Clause } from "./clause.ts";
import type { EntityDraft, Extraction, SourceMessage } from "./draft.ts";
import { type PhraseContext, TEAM, user, WE, WORKSPACE } from "./noun.ts";
import { keywords, matchPattern, type Pattern, type PatternMatch, pattern } from "./pattern.ts";
import { type EntityLabel, relationRule } from "./relation.ts";
import { CHANGE_ROWS } from "./row/change.ts";
import { CODE_ROWS } from "./row/code.ts";
import { PERSONAL_ROWS } from "./row/personal.ts";
import { PLAIN_ROWS } from "./row/plain.ts";
import type { RuleRow } from "./row/row.ts";
import type { Token } from "./token.ts";

/** The first row that explains a clause is the one that counts. */
export const ROWS: readonly RuleRow[] = [...PERSONAL_ROWS, ...CODE_ROWS, ...CHANGE_ROWS, ...PLAIN_ROWS];

type CompiledRow = { row: RuleRow; order: number; elements: Pattern };
const BY_KEYWORD = new Map<string, CompiledRow[]>();
for (const [order, row] of ROWS.entries()) {
  const elements = pattern(row.pattern);
  for (const word of keywords(elements))
    BY_KEYWORD.set(word, [...(BY_KEYWORD.get(word) ?? []), { row, order, elements }]);
}

/** A word by which some row begins its match; in most clauses the verb. */
export const isKeyword = (word: string): boolean => BY_KEYWORD.has(word);

export type StatementContext = { role: SourceMessage["role"]; speaker: string; at: string; text: string };
export type Statements = Pick<Extraction, "facts" | "endings">;

export type RowMatch = PatternMatch & { row: RuleRow };

/** `unreal` are the hedges that concern the clause: a row must name each of them itself. */
export function rowFor(
  { tokens, now, ended }: Clause,
  { role, speaker }: StatementContext,
  unreal: readonly Token[],
): RowMatch | undefined {
  const candidates = new Set<CompiledRow>();
  for (const { lower } of tokens) for (const row of BY_KEYWORD.get(lower) ?? []) candidates.add(row);
  const context: PhraseContext = { role, speaker, now };
  const isPersonal = role === "user" || role === "system";
  for (const { row, elements } of [...candidates].sort((a, b) => a.order - b.order)) {
    if ((row.personal && !isPersonal) || (row.now && !now) || (row.subject === "speaker" && role !== "user")) continue;
    if (ended && (row.ends || row.follows !== undefined || row.holds || row.pattern.includes("{before:"))) continue;
    const match = matchPattern(elements, tokens, context);
    if (match && agrees(match) && unreal.every((token) => match.words.has(token))) return { ...match, row };
  }
  return undefined;
}

const BASE_FORM =
  /^(?:use|live|reside|work|run|listen|depend|rely|require|need|sit|apply|block|own|maintain|prefer|like|adopt|are)$/;
const THIRD_PERSON = /^(?:\w+s)$/;

/** "Agents use", "an agent uses": where verb and subject do not agree, the verb is a noun or the subject is not one. */
function agrees({ slots, spans, words }: PatternMatch): boolean {
  const verb = [...words].find(
    ({ lower }) => BASE_FORM.test(lower) || BASE_FORM.test(lower.replace(/(?<=s)es$|s$/, "")),
  );
  const [first] = spans.subject ?? [];
  const subjects = slots.subject ?? [];
  if (!verb || !first || verb.start < first.start) return true;
  const base = BASE_FORM.test(verb.lower);
  if (subjects.length > 1) return base;
  const [subject] = subjects;
  if (!subject || subject === WE || first.lower === "i") return base || first.lower !== "i";
  const plural = /[^s']s$|\b(?:people|data|children|criteria|media)$|\b(?:team|staff|crew|squad)$/i.test(subject.name);
  return base ? plural : THIRD_PERSON.test(verb.lower);
}

export function addStatements(
  result: Statements,
  match: RowMatch,
  { ended, time }: Clause,
  context: StatementContext,
): void {
  const { row, slots } = match;
  const subjects = slots.subject ?? [row.subject === "speaker" ? user(context.speaker) : WE];
  const purpose = slots.purpose?.[0]?.name.toLowerCase();
  const { validAt = context.at, validUntil } = time;
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
  if (row.follows !== undefined || row.holds) addConsequence(result, match, time, context);
}

/** What was decided is so from then on: "decided to use X" is "we use X" as well, "decided that the api uses X" is just that. */
function addConsequence(
  result: Statements,
  { row, spans }: RowMatch,
  time: Clause["time"],
  context: StatementContext,
): void {
  const word = (text: string): Token => ({ text, lower: text, kind: "word", start: 0, end: 0 });
  const decided = spans.object ?? [];
  const tokens = row.holds ? decided : [word("we"), ...(row.follows ? [word(row.follows)] : []), ...decided];
  const clause: Clause = { tokens, time, now: false, ended: false };
  const isOurs = (spans.subject ?? []).every(({ lower }) => /^(?:we|the|team|our)$/.test(lower));
  const match = isOurs ? rowFor(clause, context, []) : undefined;
  if (match && match.row.follows === undefined && !match.row.holds) addStatements(result, match, clause, context);
}

function subjectOf(subject: EntityDraft, relation: string, row: RuleRow): EntityDraft {
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
