// One question to the engine, ranked or by time, with one form of answer.
import { errorText, type Failure } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { Pin } from "../../memory/pin/pin.ts";
import type { ListedItem } from "../../memory/recall/list.ts";
import type { Recall } from "../../memory/recall/recall.ts";
import type { SearchPlan, SearchResult } from "../../memory/recall/result.ts";
import type { SearchRequest } from "../../memory/recall/search.ts";
import type { SearchFault } from "../../memory/recall/thread/searcher.ts";

export type RecallQuery = Omit<SearchRequest, "text" | "limit"> & {
  text?: string;
  order?: "relevance" | "time";
  limit: number;
  /** Where an earlier list ended. */
  cursor?: string;
};
export type RecallHit = ListedItem &
  Partial<Pick<SearchResult, "score" | "parts" | "also">> & {
    /** When a fact ended, or will. */
    until?: string;
  };
export type MatchPage = {
  hits: RecallHit[];
  /** How many more there are; of a list by time it is only known that there are more: the cursor. */
  more: number;
  cursor?: string;
  partial: boolean;
  skipped: string[];
  /** Quoted phrases that stand nowhere. */
  unmatched?: string[];
  /** Pins that are in force where the question is asked; they are never among the hits. */
  pinned?: Pick<Pin, "id" | "text" | "level">[];
  plan?: SearchPlan;
};

const START_MS = 10_000;

/** A search that somebody asked for waits for the thread to start; the search's own limit counts from then on. */
export async function ask(
  recall: Pick<Recall, "start" | "search" | "list">,
  query: RecallQuery,
  signal?: AbortSignal,
): Promise<Result<MatchPage, Failure>> {
  const { text, order, cursor, ...request } = query;
  const limits = signal ? { signal } : {};
  await recall.start(START_MS, signal);
  if (text !== undefined && order !== "time") {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const answer = await recall.search({ text, zone, now: Date.now(), ...request }, limits);
    if (!answer.ok) return fail(faultOf(answer.error));
    const { results, ...rest } = answer.value;
    return ok({ hits: results, ...rest });
  }
  const listed = await recall.list(
    { ...request, ...(text === undefined ? {} : { text }), ...(cursor === undefined ? {} : { cursor }) },
    limits,
  );
  if (!listed.ok) return fail(faultOf(listed.error));
  const { items, cursor: next } = listed.value;
  return ok({ hits: items, more: 0, partial: false, skipped: [], ...(next === undefined ? {} : { cursor: next }) });
}

export const unavailable = (why: string, next = "Try again."): Failure => ({
  code: "store_unavailable",
  what: `The search index cannot be used: ${errorText(why)}`,
  data: "The logs still have everything.",
  next,
  exit: 1,
});

export const REINDEX = "`everlong recall --reindex` rebuilds it.";

const faultOf = ({ code, message }: SearchFault): Failure =>
  unavailable(message, code === "index_damaged" ? REINDEX : undefined);
