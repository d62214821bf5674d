// Items in the order of time, or by their id: complete, without ranking.
import type { DatabaseSync } from "node:sqlite";
import { parseJson } from "../../base/json.ts";
import { KINDS, type Kind } from "./item.ts";
import { hitsIn } from "./rank/hits.ts";
import { type Filter, frameOf, matchOf, termMatch } from "./rank/match.ts";
import { analyseQuery, type Query } from "./rank/query.ts";
import { type RecallSnippet, SNIPPET_CHARS, snippetsOf } from "./rank/snippet.ts";
import { verbatim } from "./rank/verbatim.ts";
import { type Shown, shownItem } from "./result.ts";
import { type IndexedItem, ITEM, itemOf, Reader } from "./store/read.ts";
import { type ResolvedScope, resolveScope, type Within } from "./store/scope.ts";
import { prepared } from "./store/statement.ts";

export type ListRequest = Filter & {
  within: Within;
  /** Only items that hold one of its words, and all of its phrases. */
  text?: string;
  asOf?: number;
  limit?: number;
  /** Where an earlier list ended. */
  cursor?: string;
  snippetChars?: number;
};
export type ListedItem = Shown & { snippets: RecallSnippet[] };
export type ListAnswer = { items: ListedItem[] /** Given when there are more. */; cursor?: string };

const END = Number.MAX_SAFE_INTEGER;

/** The oldest items come first. */
export function listByTime(db: DatabaseSync, request: ListRequest): ListAnswer {
  const scope = resolveScope(db, request.within);
  if (!scope) return { items: [] };
  const { limit = 10, since = 0, asOf } = request;
  const query = request.text === undefined ? undefined : analyseQuery(request.text);
  const match = matchFor(query, scope, request);
  if (match === undefined && query) return { items: [] };
  const before = Math.min(request.before ?? END, asOf === undefined ? END : asOf + 1);
  const reader = new Reader(db);
  const rows = prepared(
    db,
    `SELECT ${ITEM} FROM recall_item i WHERE i.words > 0 AND i.time >= ? AND i.time < ?
     AND i.id IN (SELECT p.item FROM recall_passage p WHERE ${match === undefined ? "? IS NULL" : IN_MATCH})
     AND (i.time, i.seq, i.id) > (?, ?, ?) ORDER BY i.time, i.seq, i.id`,
  ).iterate(since, before, match ?? null, ...fromCursor(request.cursor));
  const matches: IndexedItem[] = [];
  const most = Math.min(1000, Math.max(1, limit));
  for (const row of rows) {
    const item = itemOf(row);
    if (query && query.phrases.length > 0 && !verbatim(query, [{ text: reader.text(item.id) }]).phrases) continue;
    matches.push(item);
    if (matches.length > most) break;
  }
  const items = matches.slice(0, most);
  const last = items.at(-1);
  return {
    items: items.map((item) => listed(item, reader, query, request.snippetChars)),
    ...(matches.length > most && last ? { cursor: JSON.stringify([last.time ?? 0, last.seq, last.id]) } : {}),
  };
}

const IN_MATCH = "p.id IN (SELECT rowid FROM recall_terms WHERE recall_terms MATCH ?)";

function matchFor(query: Query | undefined, scope: ResolvedScope, filter: Filter): string | undefined {
  const frame = frameOf(scope, filter);
  if (!query) return matchOf([], frame);
  // The stems stand for their words; what has no stem is found by its own kind of term.
  const terms = query.terms.filter((t) => t.channel !== "plain");
  return terms.length === 0 ? undefined : matchOf([`(${terms.map(termMatch).join(" OR ")})`], frame);
}

function fromCursor(cursor: string | undefined): [number, number, number] {
  const parsed = cursor === undefined ? undefined : parseJson(cursor);
  const numbers = parsed?.ok && Array.isArray(parsed.value) ? parsed.value.map(Number) : [];
  const [time = -1, seq = -1, id = -1] = numbers.every(Number.isFinite) ? numbers : [];
  return [time, seq, id];
}

function listed(item: IndexedItem, reader: Reader, query: Query | undefined, chars = SNIPPET_CHARS): ListedItem {
  const terms = (query?.terms ?? []).map((t) => ({ ...t, df: 0, idf: 1, use: "searched" as const }));
  const passages = reader
    .passagesOf(item.id)
    .map((p) => ({ ...p, hits: hitsIn(p.text, terms).length }))
    .sort((a, b) => b.hits - a.hits || a.start - b.start);
  return { ...shownItem(item, reader), snippets: snippetsOf(passages, terms, chars) };
}

export type Original = Shown & { text: string };

/** The item of this id with its exact text; undefined when the asker may not see it. */
export function itemById(
  db: DatabaseSync,
  within: Within,
  id: string,
  kinds: readonly Kind[] = KINDS,
): Original | undefined {
  const reader = new Reader(db);
  const scope = resolveScope(db, within);
  const item = reader.item(id);
  if (
    !item ||
    !scope ||
    !kinds.includes(item.kind) ||
    !reader.place(item.place).scopes.some((s) => scope.ids.includes(s))
  )
    return undefined;
  return { ...shownItem(item, reader), text: reader.text(item.id) };
}
