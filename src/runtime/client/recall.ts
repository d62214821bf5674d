// Questions to what was said and stored, for the faces.
import type { Attempt } from "./open.ts";

/** What a question may say beside its words. */
export type RecallAsk = {
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

/** A result for programs, and for people. */
export type Measured = { data: unknown; text: string };

export type EvalOptions = { embedder?: string; channels?: string[]; limit?: number; ablate?: boolean };

export type RecallAccess = {
  /** A ref gives the exact words, an id its item, everything else is searched. */
  ask(text: string, ask: RecallAsk): Attempt<Measured>;
  /** Only what holds the words, in stored sessions. */
  search(text: string, options: { all?: boolean; limit: number }): Attempt<Measured>;
  /** The embedder is chosen anew, and every passage gets its vector. */
  reindexEmbeddings(): Attempt<{ embedder: string; made: number; waiting: number; trouble: string }>;
  /** The engine on a file of labelled questions. */
  evaluate(file: string, options: EvalOptions): Attempt<Measured>;
};
