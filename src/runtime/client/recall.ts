// Questions to what was said and stored, for the faces.
import type { Original } from "../../memory/recall/list.ts";
import type { OriginalOutcome as SaidText } from "../recall/original.ts";
import type { RecallFound } from "../recall/query.ts";
import type { ResultPromise } from "./open.ts";

export { foundText, labelOf, snippetText } from "../recall/found-text.ts";
export { itemsText } from "../recall/original.ts";

/** What a question may say beside its words. */
export type RecallFilters = {
  scope?: string;
  all?: boolean;
  session?: string;
  repo?: string;
  branch?: string;
  kind?: string[];
  role?: string[];
  since?: string;
  until?: string;
  before?: string;
  asOf?: string;
  order?: string;
  around?: string;
  window?: number;
  limit?: number;
  cursor?: string;
  full?: boolean;
  explain?: boolean;
};

/** What was found, and what was searched in words. */
export type RecallMatches = { found: RecallFound; searched: string };

/** The exact words of a ref, the item of an id, or what was found. */
export type RecallReply =
  | { type: "originals"; items: SaidText[] }
  | { type: "item"; item: Original }
  | ({ type: "found" } & RecallMatches);

/** A measurement for programs, and as a table. */
export type Measurement = { data: unknown; text: string };

export type EvalOptions = { embedder?: string; channels?: string[]; limit?: number; ablate?: boolean };

export type RecallAccess = {
  /** A ref gives the exact words, an id its item, everything else is searched. */
  ask(text: string, ask: RecallFilters): ResultPromise<RecallReply>;
  /** Only what holds the words, in stored sessions. */
  search(text: string, options: { all?: boolean; limit: number }): ResultPromise<RecallMatches>;
  /** The embedder is chosen anew, and every passage gets its vector. */
  reindexEmbeddings(): ResultPromise<{ embedder: string; made: number; waiting: number; trouble: string }>;
  /** The engine on a file of labelled questions. */
  evaluate(file: string, options: EvalOptions): ResultPromise<Measurement>;
};
