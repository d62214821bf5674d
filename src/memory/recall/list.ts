// Items in the order of time, or by their id: complete, without ranking.
import { parseJson } from "../../base/json.ts";
import { runUnit } from "../../store/embedded-store.ts";
import type { Database } from "../../store/sqlite.ts";
import type { TermMatch } from "../../store/term-step.ts";
import { termsWithin } from "../../store/terms.ts";
import { allRows, type Unit } from "../../store/unit.ts";
import { KINDS, type Kind } from "./item.ts";
import { hitsIn } from "./rank/hits.ts";
import { anyOf, type Filter, frameOf } from "./rank/match.ts";
import { analyseQuery, type Query } from "./rank/query.ts";
import { type RecallSnippet, SNIPPET_CHARS, snippetsOf } from "./rank/snippet.ts";
import { verbatim } from "./rank/verbatim.ts";
import { type Shown, shownItem } from "./result.ts";
import type { IndexedItem } from "./store/indexed-item.ts";
import { ITEM, itemOf, Reader } from "./store/read.ts";
import { type ResolvedScope, resolveScope, type Within } from "./store/scope.ts";

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

const START = Number.MIN_SAFE_INTEGER;
const END = Number.MAX_SAFE_INTEGER;

export const listByTime = (db: Database, request: ListRequest): ListAnswer => runUnit(db, listing(request));

/** Read at a time, where the text of each has to be looked at. */
const PAGE = 100;

/** The oldest items come first. */
export function* listing(request: ListRequest): Unit<ListAnswer> {
  const scope = yield* resolveScope(request.within);
  if (!scope) return { items: [] };
  const { limit = 10, since = START, asOf } = request;
  const query = request.text === undefined ? undefined : analyseQuery(request.text);
  const match = matchFor(query, scope, request);
  if (match === undefined) return { items: [] };
  const before = Math.min(request.before ?? END, asOf === undefined ? END : asOf + 1);
  const reader = new Reader();
  const holding = yield* termsWithin(match);
  const sql = `SELECT ${ITEM} FROM recall_item i WHERE i.words > 0 AND i.time >= ? AND i.time < ?
    AND i.id IN (SELECT p.item FROM recall_passage p WHERE p.id IN (${holding.sql}))
    AND (i.time, i.seq, i.id) > (?, ?, ?) ORDER BY i.time, i.seq, i.id LIMIT ?`;
  const matches: IndexedItem[] = [];
  const most = Math.min(1000, Math.max(1, limit));
  const phrases = query && query.phrases.length > 0 ? query : undefined;
  const page = phrases ? Math.max(PAGE, most + 1) : most + 1;
  for (let after = fromCursor(request.cursor), more = true; more && matches.length <= most; ) {
    const rows = (yield* allRows(sql, since, before, ...holding.values, ...after, page)).map(itemOf);
    more = phrases !== undefined && rows.length === page;
    for (const item of rows) {
      after = positionOf(item);
      if (phrases && !verbatim(phrases, [{ text: yield* reader.text(item.id) }]).phrases) continue;
      matches.push(item);
      if (matches.length > most) break;
    }
  }
  const items = matches.slice(0, most);
  const last = items.at(-1);
  yield* reader.loadPlaces(items.map((item) => item.place));
  const shown: ListedItem[] = [];
  for (const item of items) shown.push(yield* listed(item, reader, query, request.snippetChars));
  return { items: shown, ...(matches.length > most && last ? { cursor: JSON.stringify(positionOf(last)) } : {}) };
}

const positionOf = ({ time = 0, seq, id }: IndexedItem): [number, number, number] => [time, seq, id];

/** Undefined when the question has no word. */
function matchFor(query: Query | undefined, scope: ResolvedScope, filter: Filter): TermMatch | undefined {
  const frame = frameOf(scope, filter);
  if (!query) return { groups: [], frame };
  // The stems stand for their words; what has no stem is found by its own kind of term.
  const terms = query.terms.filter((t) => t.channel !== "plain");
  return terms.length === 0 ? undefined : { groups: [anyOf(terms)], frame };
}

function fromCursor(cursor: string | undefined): [number, number, number] {
  const parsed = cursor === undefined ? undefined : parseJson(cursor);
  const numbers = parsed?.ok && Array.isArray(parsed.value) ? parsed.value.map(Number) : [];
  const [time = START, seq = -1, id = -1] = numbers.every(Number.isFinite) ? numbers : [];
  return [time, seq, id];
}

function* listed(item: IndexedItem, reader: Reader, query: Query | undefined, chars = SNIPPET_CHARS): Unit<ListedItem> {
  const terms = (query?.terms ?? []).map((t) => ({ ...t, df: 0, idf: 1, use: "searched" as const }));
  const passages = (yield* reader.passagesOf(item.id))
    .map((p) => ({ ...p, hits: hitsIn(p.text, terms).length }))
    .sort((a, b) => b.hits - a.hits || a.start - b.start);
  return { ...shownItem(item, reader), snippets: snippetsOf(passages, terms, chars) };
}

export type Original = Shown & { text: string };

export const itemById = (db: Database, within: Within, id: string, kinds?: readonly Kind[]): Original | undefined =>
  runUnit(db, originalOf(within, id, kinds));

/** The item of this id with its exact text; undefined when the asker may not see it. */
export function* originalOf(within: Within, id: string, kinds: readonly Kind[] = KINDS): Unit<Original | undefined> {
  const reader = new Reader();
  const scope = yield* resolveScope(within);
  const item = yield* reader.item(id);
  if (!item || !scope || !kinds.includes(item.kind)) return undefined;
  yield* reader.loadPlaces([item.place]);
  if (!reader.place(item.place).scopes.some((s) => scope.ids.includes(s))) return undefined;
  return { ...shownItem(item, reader), text: yield* reader.text(item.id) };
}
