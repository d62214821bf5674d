// One search, synchronous and bounded: query, candidates, ranking, snippets. Every caller's results come from here.
import { RECALL_LIMIT } from "../../settings/default.ts";
import { ofOneMoment, runUnit } from "../../store/embedded-store.ts";
import type { Database } from "../../store/sqlite.ts";
import type { Unit } from "../../store/unit.ts";
import { VectorScan } from "./embed/scan.ts";
import { BOUNDS, type Bounds, Finder } from "./rank/candidates.ts";
import { TermCounts } from "./rank/count.ts";
import { dateCues } from "./rank/date-cue.ts";
import type { Filter } from "./rank/match.ts";
import { foldNearDuplicates } from "./rank/near-duplicate.ts";
import { analyseQuery, phrasesIn } from "./rank/query.ts";
import { rank } from "./rank/rank.ts";
import type { Ranked } from "./rank/ranked.ts";
import { MAX_SNIPPET_CHARS, SNIPPET_CHARS } from "./rank/snippet.ts";
import type { Signal } from "./rank/weights.ts";
import { rawOf, type SearchPlan, type SearchResult, shownAs } from "./result.ts";
import { KnownRows } from "./store/known-rows.ts";
import { Reader } from "./store/read.ts";
import { resolveScope, type Within } from "./store/scope.ts";
import { NO_RELATED_WORDS, type RelatedWords } from "./text/related.ts";

export type SearchRequest = Filter & {
  text: string;
  /** What stands near the question: its names and paths count a little. */
  hints?: string;
  within: Within;
  /** The present: for recency and date words. Absent: neither counts. */
  now?: number;
  zone?: string;
  /** Nothing from then on exists for this search. */
  asOf?: number;
  limit?: number;
  snippetChars?: number;
  /** Ids that are not wanted: what the asker can see already. */
  exclude?: readonly string[];
  /** Set for text that nobody asked for: weak matches are left out, and quotation marks only raise what holds the phrase. */
  floor?: boolean;
  /** After so many milliseconds, what is ready is the answer. */
  budgetMs?: number;
  explain?: boolean;
  /** Which signals count; all by default. */
  signals?: readonly Signal[];
  bounds?: Bounds;
  vector?: { embedder: string; values: Float32Array };
};
export type SearchAnswer = {
  results: SearchResult[];
  /** How many more were ranked. */
  more: number;
  partial: boolean;
  /** Phases that were left out for lack of time. */
  skipped: string[];
  /** Quoted phrases that stand nowhere, as they were compared: the results are those of the words. */
  unmatched?: string[];
  plan?: SearchPlan;
};

/** What searches of one store share. */
export type SharedSearchParts = {
  relatedTo: RelatedWords;
  counts: TermCounts;
  /** What was read by earlier searches, where nobody else changes rows under their numbers. */
  known?: KnownRows;
  /** Vectors that were read by earlier searches. */
  vectors: VectorScan;
};

const END = Number.MAX_SAFE_INTEGER;
const MOST_RESULTS = 1000;

type EmbeddedParts = SharedSearchParts & { known: KnownRows };
const embeddedParts = new WeakMap<Database, Omit<EmbeddedParts, "relatedTo">>();

function partsOf(db: Database, relatedTo: RelatedWords): EmbeddedParts {
  const cached = embeddedParts.get(db);
  if (cached) return { ...cached, relatedTo };
  const parts = { counts: new TermCounts(), known: new KnownRows(), vectors: new VectorScan() };
  embeddedParts.set(db, parts);
  return { ...parts, relatedTo };
}

/** At once. No text and no key makes it fail; a broken or busy database throws SQLite's error. */
export function search(db: Database, request: SearchRequest, relatedTo: RelatedWords = NO_RELATED_WORDS): SearchAnswer {
  const parts = partsOf(db, relatedTo);
  // What a transaction has changed may still be taken back.
  if (db.isTransaction) return runUnit(db, searching(request, { ...parts, known: new KnownRows() }));
  return ofOneMoment(db, () => searching(request, parts));
}

/** Reads a little of what searches there will want, and says how many passages: for when nobody waits. */
export function readAhead(db: Database, within: Within): number {
  const { known } = partsOf(db, NO_RELATED_WORDS);
  return ofOneMoment(db, function* () {
    yield* known.renew();
    const scope = yield* resolveScope(within);
    return scope ? yield* known.readAhead(scope) : 0;
  });
}

/** Who asks in quotes wants that phrase; the words alone are better than no answer, and it is said. */
export function* searching(request: SearchRequest, parts: SharedSearchParts): Unit<SearchAnswer> {
  const phrases = phrasesIn(request.text);
  if (parts.known) yield* parts.known.renew();
  if (request.floor || phrases.length === 0) return yield* searchNow(request, false, parts);
  const start = performance.now();
  const exact = yield* searchNow(request, true, parts);
  if (exact.results.length > 0) return exact;
  const { budgetMs = Number.POSITIVE_INFINITY } = request;
  const rest = { ...request, budgetMs: budgetMs - (performance.now() - start) };
  const words = yield* searchNow(rest, false, parts);
  return words.results.length > 0 ? { ...words, unmatched: phrases } : exact;
}

/** `quoted`: only what holds every quoted phrase. */
function* searchNow(request: SearchRequest, quoted: boolean, parts: SharedSearchParts): Unit<SearchAnswer> {
  const { now, asOf, signals, budgetMs = Number.POSITIVE_INFINITY } = request;
  const phases = new Phases();
  const mayGoOn = () => phases.elapsed() < budgetMs;
  const query = analyseQuery(request.text, request.hints, parts.relatedTo);
  const scope = yield* resolveScope(request.within);
  if (!scope || query.terms.length === 0) return { results: [], more: 0, partial: false, skipped: [] };
  const use = (signal: Signal) => signals === undefined || signals.includes(signal);
  const before = Math.min(request.before ?? END, asOf === undefined ? END : asOf + 1);
  const filter: Filter = { ...request, ...(before === END ? {} : { before }) };
  const { counts, known } = parts;
  const small = known && (yield* known.indexFor(scope));
  const finder = new Finder({ scope, filter, bounds: request.bounds ?? BOUNDS, counts, small, mayGoOn });
  const candidates = yield* finder.find({ ...query, terms: query.terms.filter((t) => use(t.channel)) }, quoted);
  phases.end("find");
  const near =
    request.vector && use("vector") && mayGoOn()
      ? yield* parts.vectors.nearest(request.vector.values, { embedder: request.vector.embedder, scope })
      : undefined;
  phases.end("vectors");
  const present = asOf ?? now;
  const reader = new Reader(known, small);
  const { ranked, skipped } = yield* rank(
    {
      query,
      quoted,
      terms: candidates.terms,
      meanWords: scope.meanWords,
      scopeIds: scope.ids,
      candidates: [...new Set([...candidates.ids, ...(near?.top ?? [])])],
      ...(near ? { cosine: near.cosine } : {}),
      spans: present === undefined ? [] : dateCues(query.text, present, request.zone),
      before,
      ...(present === undefined ? {} : { now: present }),
      use,
      mayGoOn,
    },
    reader,
  );
  if (finder.cutShort) skipped.push("terms");
  if (request.vector && !near && use("vector")) skipped.push("vectors");
  phases.end("rank");
  const excluded = new Set(request.exclude);
  const wanted = ranked.filter(
    (r) => fits(r, filter) && !excluded.has(r.item.key) && (!request.floor || passesFloor(r, scope.passages)),
  );
  const results = foldNearDuplicates(wanted, Math.min(MOST_RESULTS, Math.max(1, request.limit ?? RECALL_LIMIT)));
  const chars = Math.min(MAX_SNIPPET_CHARS, request.snippetChars ?? SNIPPET_CHARS);
  yield* reader.loadPlaces(results.map((r) => r.item.place));
  const shown = results.map((r) => ({
    ...shownAs(r, candidates.terms, chars, reader),
    ...(request.explain ? rawOf(r) : {}),
  }));
  phases.end("show");
  const plan: SearchPlan = {
    terms: candidates.terms.map((t) => ({ channel: t.channel, text: t.text, count: t.df, rarity: t.idf, use: t.use })),
    phrases: query.phrases,
    candidates: candidates.found,
    ranked: ranked.length,
    scopes: scope.ids,
    passages: scope.passages,
    ...(request.vector ? { embedder: request.vector.embedder } : {}),
    milliseconds: phases.times,
  };
  return {
    results: shown,
    more: wanted.length - results.reduce((sum, r) => sum + 1 + r.also.length, 0),
    partial: skipped.length > 0,
    skipped,
    ...(request.explain ? { plan } : {}),
  };
}

/** Neighbours and near meanings come without a match: kind, role and time hold for them too. */
function fits({ item }: Ranked, { kinds, roles, since, before }: Filter): boolean {
  if (kinds && !kinds.includes(item.kind)) return false;
  if (roles && !roles.includes(item.role)) return false;
  const time = item.time ?? 0;
  return (since === undefined || time >= since) && time < (before ?? END);
}

const RARE_SHARE = 0.01;
const RARE_COUNT = 5;
const NEAR = 0.5;

/** What may be put into a prompt that nobody asked for: two words of the query, or a rare one, a whole name or phrase, or a near meaning. `passages`: how many the scope has. */
function passesFloor(ranked: Ranked, passages: number): boolean {
  if (ranked.exact || ranked.passages.some((p) => (p.cosine ?? 0) >= NEAR)) return true;
  return ranked.passages.some(({ scored }) => {
    const queryTerms = scored.matched.filter((t) => !t.hint);
    const words = queryTerms.filter((t) => t.channel !== "ident");
    const rare = queryTerms.some((t) => t.df <= Math.max(RARE_COUNT, passages * RARE_SHARE));
    return rare || new Set(words.map((t) => t.text)).size >= 2;
  });
}

class Phases {
  readonly times: Record<string, number> = {};
  readonly #start = performance.now();
  #last = this.#start;
  end(name: string): void {
    const now = performance.now();
    this.times[name] = now - this.#last;
    this.#last = now;
  }
  elapsed(): number {
    return performance.now() - this.#start;
  }
}
