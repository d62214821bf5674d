// The index of recall as units use it.
import type {
  PassageTerms,
  ScopeGain,
  TermAnswer,
  TermMatch,
  TermPlace,
  TermQuestion,
  TermTable,
} from "./term-step.ts";
import type { SqlPiece, Unit } from "./unit.ts";

/** Numbers for new rows, ascending; nobody else gets them. */
export function* reserve(table: "recall_item" | "recall_passage", count: number): Unit<number[]> {
  return count === 0 ? [] : ((yield { type: "reserve", table, count }) as number[]);
}

export function* putTerms(table: TermTable, place: TermPlace, passages: readonly PassageTerms[]): Unit<void> {
  if (passages.length > 0) yield { type: "put_terms", table, place, passages };
}

/** With the very tokens under which they were put. */
export function* removeTerms(table: TermTable, place: TermPlace, passages: readonly PassageTerms[]): Unit<void> {
  if (passages.length > 0) yield { type: "remove_terms", table, place, passages };
}

/** One answer for each question; fewer when `mayGoOn` said no. */
export function* askTerms(questions: readonly TermQuestion[], mayGoOn: () => boolean): Unit<TermAnswer[]> {
  return questions.length === 0 ? [] : ((yield { type: "ask_terms", questions, mayGoOn }) as TermAnswer[]);
}

/** A query of the `id` of passages to stand in another one. */
export function* termsWithin(match: TermMatch): Unit<SqlPiece> {
  return (yield { type: "terms_within", match }) as SqlPiece;
}

export function* tally(gains: readonly ScopeGain[]): Unit<void> {
  if (gains.length > 0) yield { type: "tally", gains };
}

/** Something was taken out of the index or marked in it: what was counted or remembered before may be wrong. */
export function* noteRemoval(): Unit<void> {
  yield { type: "note_removal" };
}

/** Another text each time that something was taken out or marked. */
export function* removals(): Unit<string> {
  return (yield { type: "removals" }) as string;
}
