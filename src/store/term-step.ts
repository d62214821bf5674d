// What units ask of the index of recall: passages under their terms and marks, and numbers that many writers add to.

/** Tokens any of which stands for one thing that is looked for, and beginnings of tokens that do. */
export type TermGroup = { tokens: readonly string[]; beginnings?: readonly string[] };

/** Where passages are looked for: marks that they must have and must not have. */
export type TermFrame = {
  /** The scopes of everything of an owner that are concerned. A store may keep its terms apart by them. */
  realms: readonly number[];
  /** One mark of each list. */
  and: readonly (readonly string[])[];
  /** The scopes whose marks the first list of `and` holds: rows name them too. */
  scopes?: readonly number[];
  /** None of these. */
  not: readonly string[];
  /** The same as `not` by what is left, for a match that demands nothing else. */
  left?: readonly string[];
};

/** Passages that hold something of every group. With the rarest group first it costs least. */
export type TermMatch = { groups: readonly TermGroup[]; frame: TermFrame };

export type TermQuestion = {
  match: TermMatch;
  /**
   * `ids`: all passages, or the newest; `few`: all of them when they are fewer than `most`; `count`: how many there are.
   */
  want: "ids" | "few" | "count";
  /** How many at most; for `ids` the newest. */
  most?: number;
  /** Only of items of that time: since, and before. */
  time?: readonly [since: number, before: number];
};
/** `ids` are the highest first where `most` was asked for. */
export type TermAnswer = { count: number; ids?: number[] };

/** A passage with what it is found by; both lists are separated by spaces. */
export type PassageTerms = { passage: number; tokens: string };
/** `realm` is the scope of everything of the owner. */
export type TermPlace = { realm: number; marks: string };
export type TermTable = "recall_terms" | "recall_terms_next";

/** What a scope gains or loses. */
export type ScopeGain = { scope: number; passages: number; words: number };

export type TermStep =
  | { type: "reserve"; table: "recall_item" | "recall_passage"; count: number }
  | { type: "put_terms" | "remove_terms"; table: TermTable; place: TermPlace; passages: readonly PassageTerms[] }
  | { type: "ask_terms"; questions: readonly TermQuestion[]; mayGoOn: () => boolean }
  | { type: "terms_within"; match: TermMatch }
  | { type: "tally"; gains: readonly ScopeGain[] }
  | { type: "note_removal" | "removals" };
