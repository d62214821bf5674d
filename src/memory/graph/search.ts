// Searching facts: the recall engine finds and ranks them; here they are matched with time, relation and neighbourhood.
import { ok, type Result } from "../../base/result.ts";
import type { Fact, Instant } from "../../schema/graph.ts";
import type { SearchAnswer, SearchRequest } from "../recall/search.ts";
import type { RecallScope } from "../recall/store/scope.ts";
import { FACT_ROLES, type GraphStore } from "./contract.ts";

export type FactSearch = {
  query: string;
  /** Absent: every group. */
  groups?: readonly string[];
  limit: number;
  now: Instant;
  includeEnded?: boolean;
  /** As the world was then. */
  asOf?: Instant;
  /** As Everlong knew it then. */
  knownAt?: Instant;
  relation?: string;
  /** The label that one of the ends must have. */
  label?: string;
  /** Facts about this entity, and about those it is related to, come first. */
  centre?: string;
  /** For text that nobody asked for: what matches too little is left out. */
  floor?: boolean;
};
type FactMatch = Fact & { score: number };
export type RecallSearch<F> = (request: SearchRequest) => Promise<Result<SearchAnswer, F>>;

const PROMOTED = 0.1;
const NEAR = 0.2;
const MOST = 1000;
/** A word that thousands of facts have says little of which one is meant: beside a rarer word it is not searched for. */
const BOUNDS = { postings: 5_000, allPostings: 15_000, kept: 120 };
/** Filters that the index knows nothing of leave fewer: so many more are looked at. */
const SPARE = 5;

export async function searchFacts<F>(
  search: RecallSearch<F>,
  store: GraphStore,
  request: FactSearch,
): Promise<Result<FactMatch[], F | { code: string; what: string }>> {
  const { query, groups, now, asOf, includeEnded = false } = request;
  const limit = Math.min(MOST, request.limit);
  if (limit < 1 || query.trim() === "" || groups?.length === 0) return ok([]);
  const scopes: RecallScope[] = groups ? groups.map((group) => ({ type: "group", group })) : [{ type: "all" }];
  const hasEnded = includeEnded || asOf !== undefined || request.knownAt !== undefined;
  const isFiltered = asOf !== undefined || request.relation !== undefined || request.label !== undefined;
  const answer = await search({
    text: query,
    // In a group only facts have this role; demanding their kind as well would cost as much again.
    ...(groups && !hasEnded ? {} : { kinds: ["fact"] }),
    ...(hasEnded ? {} : { roles: [FACT_ROLES.current] }),
    within: { everyone: true, scopes },
    ...(request.floor ? { floor: true } : {}),
    bounds: BOUNDS,
    limit: Math.min(MOST, isFiltered ? limit * SPARE : limit + SPARE),
  });
  if (!answer.ok) return answer;
  // Sentences that differ in a word only are one result of recall; here each is a fact.
  const scores = new Map(
    answer.value.results.flatMap(({ id, also, score }) => [id, ...also].map((one) => [one, score] as const)),
  );
  const hits = await store.facts({ ids: [...scores.keys()] });
  if (!hits.ok) return hits;
  const facts = asOf === undefined ? hits : await thenTrue(store, hits.value, asOf, scores);
  if (!facts.ok) return facts;
  const isWanted = await filterOf(store, request, facts.value);
  const near = request.centre === undefined ? undefined : await neighbourhood(store, request.centre);
  const matches = facts.value.filter(isWanted).map((fact): FactMatch => {
    const promoted =
      fact.origin === "promotion" || fact.origin === "directive" || fact.origin === "user" ? PROMOTED : 0;
    const isNear = near !== undefined && (near.has(fact.subject.uuid) || near.has(fact.object.uuid));
    return { ...fact, score: (scores.get(fact.uuid) ?? 0) + promoted + (isNear ? NEAR : 0) };
  });
  matches.sort((a, b) => rankOf(a, now) - rankOf(b, now) || b.score - a.score || order(a, b));
  return ok(withoutRepeats(matches).slice(0, limit));
}

/**
 * What was true of the things that were found: of a value that changed a thousand times the search may have found all but
 * the one that was in force. Each takes the score of the best one that led to it.
 */
async function thenTrue(
  store: GraphStore,
  hits: readonly Fact[],
  asOf: Instant,
  scores: Map<string, number>,
): ReturnType<GraphStore["facts"]> {
  const best = new Map<string, number>();
  for (const hit of hits) best.set(lineOf(hit), Math.max(best.get(lineOf(hit)) ?? 0, scores.get(hit.uuid) ?? 0));
  const facts = await store.facts({ alongside: hits.map(({ uuid }) => uuid), asOf });
  for (const fact of facts.ok ? facts.value : [])
    scores.set(fact.uuid, scores.get(fact.uuid) ?? best.get(lineOf(fact)) ?? 0);
  return facts;
}

const lineOf = ({ group, subject, relation, slot }: Fact): string =>
  JSON.stringify([group, subject.uuid, relation, slot]);

export const isCurrent = ({ expiredAt, invalidAt }: Fact, now: Instant): boolean =>
  expiredAt === null && (invalidAt === null || invalidAt > now);

const rankOf = (fact: Fact, now: Instant): number => (isCurrent(fact, now) ? 0 : 1);
const order = (a: Fact, b: Fact): number =>
  a.validAt < b.validAt ? 1 : a.validAt > b.validAt ? -1 : a.uuid < b.uuid ? -1 : 1;

function withoutRepeats(facts: readonly FactMatch[]): FactMatch[] {
  const texts = new Set<string>();
  return facts.filter(({ text }) => !texts.has(text) && texts.add(text));
}

async function filterOf(
  store: GraphStore,
  request: FactSearch,
  facts: readonly Fact[],
): Promise<(fact: Fact) => boolean> {
  const { now, includeEnded = false, asOf, knownAt, relation, label } = request;
  const labelled = label === undefined ? undefined : await withLabel(store, label, facts);
  return (fact) => {
    if (relation !== undefined && fact.relation !== relation) return false;
    if (labelled && !labelled.has(fact.subject.uuid) && !labelled.has(fact.object.uuid)) return false;
    if (knownAt !== undefined && fact.createdAt > knownAt) return false;
    if (asOf !== undefined) return fact.validAt <= asOf && (fact.invalidAt === null || fact.invalidAt > asOf);
    if (knownAt !== undefined) return includeEnded || fact.expiredAt === null || fact.expiredAt > knownAt;
    return includeEnded || isCurrent(fact, now);
  };
}

/** The ends of these facts that have the label. */
async function withLabel(store: GraphStore, label: string, facts: readonly Fact[]): Promise<ReadonlySet<string>> {
  const ids = [...new Set(facts.flatMap(({ subject, object }) => [subject.uuid, object.uuid]))];
  const entities = ids.length === 0 ? undefined : await store.entities({ ids, label });
  return new Set(entities?.ok ? entities.value.map(({ uuid }) => uuid) : []);
}

/** The entity, and those that facts join with it. */
async function neighbourhood(store: GraphStore, centre: string): Promise<ReadonlySet<string>> {
  const facts = await store.facts({ entity: centre, limit: MOST });
  return new Set([centre, ...(facts.ok ? facts.value.flatMap((f) => [f.subject.uuid, f.object.uuid]) : [])]);
}
