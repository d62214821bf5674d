// Questions to what was said and stored, for the faces.
import type { Original } from "../../memory/recall/list.ts";
import type { OriginalOutcome as SaidText } from "../recall/original.ts";
import type { MatchPage } from "../recall/query.ts";

export type { EvalOptions } from "../recall/eval-recall.ts";
export { labelOf, matchText, snippetText } from "../recall/match-text.ts";
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

/** Items by id or ref, all of a session, or all that are older. */
export type ErasureChoice = { ids?: readonly string[]; session?: string; olderThan?: string };
/** Episodes, facts and entities are those of the graph that rested on the items alone. */
export type ErasureReport = { items: number; episodes: number; facts: number; entities: number };

/** What was found, and what was searched in words. */
export type RecallMatches = { found: MatchPage; searched: string };

/** The exact words of a ref, the item of an id, or what was found. */
export type RecallReply =
  | { type: "originals"; items: SaidText[] }
  | { type: "item"; item: Original }
  | ({ type: "found" } & RecallMatches);
