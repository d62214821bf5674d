// What a caller sent, made safe and then checked: secrets are taken out before anything else looks at it.
import { isRecord } from "../../base/json.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { Filtered, FilteredText, Redactor } from "../secret/filter.ts";
import { readCitation, splitCitations } from "./citation.ts";
import type { Citation, Direction } from "./contract.ts";
import { type BadField, filterFailed, invalidInputs, memorySecret } from "./failure.ts";
import { contentWords, fold, length } from "./fold.ts";
import type { MemoryFailure } from "./write-contract.ts";

export const BOUNDS = { subject: 100, fact: 500, reason: 1000, citations: 20, citation: 300 } as const;

type InputTexts = {
  subject: FilteredText;
  fact: FilteredText;
  reason: FilteredText;
  citations: Citation<FilteredText>[];
};
export type ReadStore = InputTexts & { scope: unknown; redactions: number };
export type ReadVote = { fact: FilteredText; reason: FilteredText; direction: Direction; redactions: number };

type Fields = Readonly<Record<string, string>>;
type Clean = { texts: Record<string, FilteredText>; found: Record<string, number>; redactions: number };

const MARK = /\[redacted:[^\]]*\]/g;
/** They name a secret and say nothing by themselves. */
const SECRET_WORDS =
  /^(?:api|access|auth|tokens?|keys?|apikey|passwords?|passwd|pwd|pass|passphrase|secrets?|credentials?|logins?|pins?|private|value)$/;

/** Filtered as it came, then folded and filtered again: folding may bring together what line ends held apart. */
function clean(redactor: Redactor, fields: Fields): Result<Clean, MemoryFailure> {
  const first = redactor.fields(fields);
  if (!first.ok) return fail(filterFailed());
  const folded = Object.fromEntries(Object.entries(first.value).map(([name, { text }]) => [name, fold(text)]));
  const second = redactor.fields(folded);
  if (!second.ok) return fail(filterFailed());
  const names = Object.keys(fields);
  const countIn = (all: Record<string, Filtered>, name: string): number => all[name]?.findings.length ?? 0;
  const findings = Object.fromEntries(names.map((n) => [n, countIn(first.value, n) + countIn(second.value, n)]));
  return ok({
    texts: Object.fromEntries(names.flatMap((n) => (second.value[n] ? [[n, second.value[n].text]] : []))),
    found: findings,
    redactions: names.reduce((sum, name) => sum + (findings[name] ?? 0), 0),
  });
}

const CITE = "citation ";

/** None where there are more than may be stored: those are refused unread. */
function citationFields(value: unknown): Fields {
  if (typeof value !== "string" && !(Array.isArray(value) && value.every((one) => typeof one === "string"))) return {};
  const all = splitCitations(value);
  if (all.length > BOUNDS.citations) return {};
  return Object.fromEntries(all.map((one, i) => [`${CITE}${i}`, one]));
}

const textFields = (input: Record<string, unknown>, names: readonly string[]): Fields =>
  Object.fromEntries(names.flatMap((name) => (typeof input[name] === "string" ? [[name, input[name]]] : [])));

/** The first two steps of a store. */
export function readStore(redactor: Redactor, value: unknown): Result<ReadStore, MemoryFailure> {
  const input = isRecord(value) ? value : {};
  const cleaned = clean(redactor, {
    ...textFields(input, ["subject", "fact", "reason"]),
    ...citationFields(input["citations"]),
  });
  if (!cleaned.ok) return cleaned;
  const { texts, found, redactions } = cleaned.value;
  const { subject, fact, reason } = texts;
  if (saysNothing(fact, found["fact"] ?? 0)) return fail(memorySecret(undefined));
  if (input["scope"] === "user" && redactions > 0) return fail(memorySecret("user"));
  const cites = Object.keys(texts).flatMap((name) => (name.startsWith(CITE) && texts[name] ? [texts[name]] : []));
  const bad = [
    ...badText("subject", subject, input["subject"], BOUNDS.subject),
    ...badText("fact", fact, input["fact"], BOUNDS.fact),
    ...badCitations(input["citations"], cites),
    ...badText("reason", reason, input["reason"], BOUNDS.reason),
  ];
  if (bad.length > 0 || !subject || !fact || !reason) return fail(invalidInputs(bad));
  return ok({ subject, fact, reason, citations: cites.map(readCitation), scope: input["scope"], redactions });
}

/** The first two steps of a vote. */
export function readVote(redactor: Redactor, value: unknown): Result<ReadVote, MemoryFailure> {
  const input = isRecord(value) ? value : {};
  const cleaned = clean(redactor, textFields(input, ["fact", "reason"]));
  if (!cleaned.ok) return cleaned;
  const { fact, reason } = cleaned.value.texts;
  const direction = DIRECTIONS.get(input["direction"]);
  const bad = [
    ...badText("fact", fact, input["fact"], BOUNDS.fact),
    ...(direction ? [] : [{ field: "direction", why: 'must be "upvote" or "downvote"' }]),
    ...badText("reason", reason, input["reason"], BOUNDS.reason),
  ];
  if (bad.length > 0 || !fact || !reason || !direction) return fail(invalidInputs(bad));
  return ok({ fact, reason, direction, redactions: cleaned.value.redactions });
}

const DIRECTIONS = new Map<unknown, Direction>([
  ["upvote", "upvote"],
  ["downvote", "downvote"],
]);

type ReadChange = { change: Partial<InputTexts>; redactions: number };

/** An edit: only the fields that are there. */
export function readChange(redactor: Redactor, input: Record<string, unknown>): Result<ReadChange, MemoryFailure> {
  const names = (["subject", "fact", "reason"] as const).filter((name) => input[name] !== undefined);
  const cleaned = clean(redactor, { ...textFields(input, names), ...citationFields(input["citations"]) });
  if (!cleaned.ok) return cleaned;
  const { texts, found, redactions } = cleaned.value;
  if (saysNothing(texts["fact"], found["fact"] ?? 0)) return fail(memorySecret(undefined));
  const cites = Object.keys(texts).flatMap((name) => (name.startsWith(CITE) && texts[name] ? [texts[name]] : []));
  const bad = [
    ...names.flatMap((name) => badText(name, texts[name], input[name], BOUNDS[name])),
    ...(input["citations"] === undefined ? [] : badCitations(input["citations"], cites)),
  ];
  if (bad.length > 0) return fail(invalidInputs(bad));
  const change: Partial<InputTexts> = {};
  for (const name of names) if (texts[name]) change[name] = texts[name];
  if (input["citations"] !== undefined) change.citations = cites.map(readCitation);
  return ok({ change, redactions });
}

function saysNothing(fact: string | undefined, secrets: number): boolean {
  if (fact === undefined || secrets === 0) return false;
  return contentWords(fact.replace(MARK, " ")).filter((word) => !SECRET_WORDS.test(word)).length < 3;
}

function badText(field: string, text: string | undefined, value: unknown, max: number): BadField[] {
  if (value === undefined) return [{ field, why: "is missing" }];
  if (text === undefined && typeof value !== "string") return [{ field, why: "must be text" }];
  if (!text) return [{ field, why: "is empty" }];
  const size = length(text);
  return size > max ? [{ field, why: `has ${size} characters, at most ${max} are allowed` }] : [];
}

function badCitations(value: unknown, cites: readonly string[]): BadField[] {
  const field = "citations";
  const why = (text: string): BadField[] => [{ field, why: text }];
  if (value === undefined) return why("is missing: say where the fact can be seen, such as src/a.ts:10");
  const isList = Array.isArray(value) && value.every((one) => typeof one === "string");
  if (typeof value !== "string" && !isList) return why("must be a text or a list of texts");
  const count = splitCitations(value as string | string[]).length;
  if (count > BOUNDS.citations) return why(`has ${count} entries, at most ${BOUNDS.citations} are allowed`);
  if (count === 0) return why("is empty");
  if (cites.length < count || cites.some((one) => one === "")) return why("has an empty entry");
  const long = cites.map(length).find((size) => size > BOUNDS.citation);
  return long ? why(`has an entry of ${long} characters, at most ${BOUNDS.citation} are allowed`) : [];
}
