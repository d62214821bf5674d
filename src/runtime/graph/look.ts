// Looking at the graph: facts with where they were said, entities, and how things changed.
import type { Failure } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { ok } from "../../base/result.ts";
import { communitiesOf } from "../../memory/graph/community.ts";
import type { TemporalGraph } from "../../memory/graph/graph.ts";
import { isCurrent } from "../../memory/graph/search.ts";
import type { Entity, Fact, FactChoice } from "../../schema/graph.ts";
import type { FactView, GraphAccess, TimelineRow } from "../client/graph.ts";
import type { ResultPromise } from "../client/open.ts";
import { type GraphChoices, refused } from "./choice.ts";

export const SHORTEST_ID = 6;
const SEARCH_LIMIT = 10;

type Looking = Pick<GraphAccess, "search" | "facts" | "entity" | "timeline" | "communities">;

export function graphLook(graph: TemporalGraph<unknown>, choices: GraphChoices, withCommunity: boolean): Looking {
  const { store } = graph;

  const facts = async (choice: FactChoice): ResultPromise<FactView[]> => {
    const query = choices.query(choice, graph.now());
    if (!query.ok) return query;
    const about = choice.entity === undefined ? undefined : await entityNamed(graph, choice.entity, query.value.groups);
    if (about && !about.ok) return about;
    const rows = await store.facts({ ...query.value, ...optional("entity", about?.value.uuid) });
    return rows.ok ? viewsOf(graph, rows.value) : rows;
  };

  const communities: Looking["communities"] = async (choice) => {
    const query = choices.query(choice, graph.now());
    if (!query.ok) return query;
    const { limit: _, ...all } = query.value;
    const rows = await store.facts(all);
    if (!rows.ok) return rows;
    const groups = Map.groupBy(rows.value, ({ group }) => group);
    const list = [...groups].flatMap(([group, some]) => communitiesOf(some).map((one) => ({ ...one, group })));
    return ok(list.slice(0, choice.limit ?? list.length));
  };

  return {
    facts,
    communities,
    async search(query, choice) {
      const wanted = choices.query(choice, graph.now());
      if (!wanted.ok) return wanted;
      const { groups, asOf, relation } = wanted.value;
      const matches = await graph.search({
        query,
        limit: choice.limit ?? SEARCH_LIMIT,
        includeEnded: choice.expired ?? false,
        ...optional("groups", groups),
        ...optional("asOf", asOf),
        ...optional("relation", relation),
      });
      if (!matches.ok)
        return refused("recall_unavailable", "The graph cannot be searched right now.", "Try again; nothing is lost.");
      return viewsOf(graph, matches.value);
    },
    async entity(name, choice) {
      const groups = choices.groups(choice);
      if (!groups.ok) return groups;
      const entity = await entityNamed(graph, name, groups.value);
      if (!entity.ok) return entity;
      const about = await store.facts({ entity: entity.value.uuid, ...optional("limit", choice.limit) });
      const rows = about.ok ? await viewsOf(graph, about.value) : about;
      if (!rows.ok) return rows;
      const inState = (state: FactView["state"]) => rows.value.filter((fact) => fact.state === state);
      const around = withCommunity ? await communities({ group: entity.value.group }) : ok([]);
      const own = around.ok ? around.value.find(({ members }) => members.some(isSame(entity.value))) : undefined;
      return ok({
        entity: entity.value,
        current: inState("current"),
        past: inState("ended"),
        ...optional("community", own),
      });
    },
    async timeline(entity, choice) {
      const rows = await facts({ ...choice, expired: true, ...optional("entity", entity) });
      if (!rows.ok) return rows;
      const moments = rows.value.flatMap((fact): TimelineRow[] => [
        { at: fact.validAt, type: "begins", fact },
        ...(fact.invalidAt === null ? [] : [{ at: fact.invalidAt, type: "ends" as const, fact }]),
      ]);
      return ok(moments.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.type === "ends" ? -1 : 1)));
    },
  };
}

const isSame =
  ({ uuid }: Entity) =>
  (member: { uuid: string }): boolean =>
    member.uuid === uuid;

/** Facts with their state and with the episodes that say them. */
export async function viewsOf(graph: TemporalGraph<unknown>, facts: readonly Fact[]): ResultPromise<FactView[]> {
  const episodes = await graph.store.episodes({ ids: [...new Set(facts.flatMap((fact) => fact.episodes))] });
  if (!episodes.ok) return episodes;
  const byId = new Map(episodes.value.map((episode) => [episode.uuid, episode]));
  const sourceOf = (id: string): FactView["sources"] => {
    const episode = byId.get(id);
    if (!episode) return [];
    const { uuid, name, role, session, turn } = episode;
    return [{ uuid, name, role, ...optional("session", session), ...optional("turn", turn) }];
  };
  return ok(
    facts.map((fact) => ({
      ...fact,
      state: isCurrent(fact, graph.now()) ? "current" : "ended",
      sources: fact.episodes.flatMap(sourceOf),
    })),
  );
}

async function entityNamed(
  { store }: TemporalGraph<unknown>,
  name: string,
  groups: readonly string[] | undefined,
): ResultPromise<Entity> {
  const within = optional("groups", groups);
  const named = await store.entities({ name, ...within });
  if (!named.ok) return named;
  if (named.value[0]) return ok(named.value[0]);
  const byId = name.length < SHORTEST_ID ? named : await store.entities({ ids: [name], ...within });
  if (!byId.ok) return byId;
  return onlyOne(byId.value, name, {
    code: "entity_not_found",
    what: `Nothing is known about "${name}" here.`,
    next: "Try --scope all, or everlong graph search.",
  });
}

export function onlyOne<T>(
  [first, ...others]: readonly T[],
  id: string,
  missing: Pick<Failure, "code" | "what"> & { next: string },
) {
  if (first === undefined) return refused(missing.code, missing.what, missing.next);
  return others.length > 0 ? refused("ambiguous", `Several ids begin with ${id}.`, "Give more of the id.") : ok(first);
}
