// What the graph shows over HTTP, whoever's it is: facts, entities, episodes, how things changed, and what waits to be read.
import type { Failure } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { ok, type Result } from "../../base/result.ts";
import type { TemporalGraph } from "../../memory/graph/graph.ts";
import type { FactChoice } from "../../schema/graph.ts";
import { type GraphChoices, refused } from "./choice.ts";
import { graphLook, viewsOf } from "./look.ts";

export type GraphViews = ReturnType<typeof graphViews>;
type Kind = "fact" | "episode";

const absent = (what: string, uuid: string) =>
  refused(`${what}_not_found`, `There is no ${what} ${uuid}.`, "Look for its id in a search.");
/** Under the name that the answer gives it. */
const named = <T, F>(name: string, result: Result<T, F>): Result<object, F> =>
  result.ok ? ok({ [name]: result.value }) : result;

/** `forget`: what is there, and may be seen. */
export function graphViews(
  graph: TemporalGraph<unknown>,
  choices: GraphChoices,
  forget: (kind: Kind, uuid: string) => Promise<Result<object, Failure>>,
) {
  const { store } = graph;
  const look = graphLook(graph, choices, false);
  return {
    search: async (query: string, question: FactChoice) => named("facts", await look.search(query, question)),
    facts: async (question: FactChoice) => named("facts", await look.facts(question)),
    async fact(uuid: string) {
      const facts = await store.facts({ ids: [uuid] });
      const views = facts.ok ? await viewsOf(graph, facts.value) : facts;
      if (!views.ok) return views;
      const fact = views.value.find((one) => one.uuid === uuid);
      return fact ? ok(fact) : absent("fact", uuid);
    },
    async entities(question: FactChoice) {
      const groups = choices.groups(question);
      if (!groups.ok) return groups;
      const { entity: name, limit } = question;
      return named(
        "entities",
        await store.entities({
          ...optional("groups", groups.value),
          ...optional("name", name),
          ...optional("limit", limit),
        }),
      );
    },
    /** With the facts that join it to others, a page at a time. */
    async entity(uuid: string, { limit, after }: { limit: number; after?: string }) {
      const entities = await store.entities({ ids: [uuid] });
      if (!entities.ok) return entities;
      const entity = entities.value.find((one) => one.uuid === uuid);
      if (!entity) return absent("entity", uuid);
      const [validAt = "", id = ""] = after?.split("|") ?? [];
      const page = after === undefined ? {} : { after: { validAt, uuid: id } };
      const rows = await store.facts({ entity: uuid, limit: limit + 1, ...page });
      if (!rows.ok) return rows;
      const facts = await viewsOf(graph, rows.value.slice(0, limit));
      if (!facts.ok) return facts;
      const last = rows.value.length > limit ? facts.value.at(-1) : undefined;
      return ok({ entity, facts: facts.value, ...(last ? { next: `${last.validAt}|${last.uuid}` } : {}) });
    },
    async episode(uuid: string) {
      const episodes = await store.episodes({ ids: [uuid] });
      if (!episodes.ok) return episodes;
      const episode = episodes.value.find((one) => one.uuid === uuid);
      if (!episode) return absent("episode", uuid);
      const rows = await store.facts({ episodes: [uuid] });
      const facts = rows.ok ? await viewsOf(graph, rows.value) : rows;
      return facts.ok ? ok({ episode, facts: facts.value }) : facts;
    },
    timeline: async ({ entity, ...question }: FactChoice) => named("timeline", await look.timeline(entity, question)),
    /** A fact or an episode, and what rests on it alone. */
    async forget(kind: Kind, uuid: string) {
      const rows = kind === "fact" ? await store.facts({ ids: [uuid] }) : await store.episodes({ ids: [uuid] });
      if (!rows.ok) return rows;
      return rows.value.some((one) => one.uuid === uuid) ? forget(kind, uuid) : absent(kind, uuid);
    },
    /** What waits to be read, and what could not be. */
    async queue() {
      const [counts, episodes] = [
        await store.counts(),
        await store.episodes({ states: ["queued", "running", "parked"], last: MOST_WAITING }),
      ];
      if (!counts.ok) return counts;
      return episodes.ok ? ok({ counts: counts.value.episodes, episodes: episodes.value }) : episodes;
    },
  };
}

const MOST_WAITING = 500;
