// The routes of Graphiti's REST service: paths, statuses and shapes are those of its own server.
import type { IncomingMessage } from "node:http";
import { newId } from "../../base/id.ts";
import type { Result } from "../../base/result.ts";
import { groupId } from "../../memory/graph/group.ts";
import type { OwnedThing } from "../../memory/graph/member.ts";
import { isKey, once } from "../memory/idempotency.ts";
import type { TokenScope } from "../team/member.ts";
import { notOwn, UNAVAILABLE } from "./access.ts";
import { detail, invalid, type Reply, readBody } from "./body.ts";
import type { GraphServices } from "./contract.ts";
import { type FieldProblem, groupField, integerField, missing } from "./field.ts";
import type { DescribedRoute } from "./openapi.ts";
import {
  entityNode,
  entityRequest,
  episodeInput,
  episodicNode,
  factResult,
  groupRequest,
  memoryRequest,
  messagesRequest,
  searchRequest,
} from "./shape.ts";

type GraphRequest = {
  req: IncomingMessage;
  params: readonly string[];
  query: URLSearchParams;
  services: GraphServices;
};
export type GraphRoute = DescribedRoute & {
  /** The scope of a member's token; `write` unless said. */
  needs?: TokenScope;
  /** What its parameter names: somebody else's is not touched. */
  owned?: OwnedThing["type"];
  run(request: GraphRequest): Promise<Reply>;
};

const MOST_EPISODES = 100_000;

const result = (message: string, status = 200): Reply => ({ status, body: { message, success: true } });

/** The store's own troubles are the same for every route. */
async function after<T>(
  outcome: Promise<Result<T, unknown>>,
  reply: (value: T) => Reply | Promise<Reply>,
): Promise<Reply> {
  const settled = await outcome;
  return settled.ok ? reply(settled.value) : UNAVAILABLE;
}

/** A group in the path, checked as it would be in a body. */
function groupIn([segment = ""]: readonly string[]): Result<string, Reply> {
  const problems: FieldProblem[] = [];
  const group = groupField(segment, ["path", "group_id"], problems);
  return group === undefined ? { ok: false, error: invalid(problems) } : { ok: true, value: group };
}

export const graphRoutes: readonly GraphRoute[] = [
  {
    method: "GET",
    path: "/healthcheck",
    needs: "read",
    summary: "Healthcheck",
    answer: { status: 200, schema: "HealthCheck" },
    async run({ services: { graph } }) {
      const first = await graph.store.entities({ limit: 1 });
      return first.ok
        ? { status: 200, body: { status: "healthy" } }
        : { status: 503, body: { status: "unhealthy", detail: first.error.what }, headers: { "retry-after": "1" } };
    },
  },
  {
    method: "POST",
    path: "/messages",
    summary: "Add Messages",
    answer: { status: 202, schema: "Result" },
    body: messagesRequest.schema,
    run: addMessages,
  },
  {
    method: "POST",
    path: "/search",
    needs: "read",
    summary: "Search",
    answer: { status: 200, schema: "SearchResults" },
    body: searchRequest.schema,
    async run({ req, services: { graph } }) {
      const body = await readBody(req, searchRequest);
      if (!body.ok) return body.error;
      const {
        group_ids: groups,
        query,
        max_facts: limit,
        include_expired,
        as_of: asOf,
        center_node_uuid: centre,
      } = body.value;
      const request = {
        query,
        limit,
        includeEnded: include_expired ?? false,
        ...(groups && groups.length > 0 ? { groups } : {}),
        ...(asOf === null ? {} : { asOf }),
        ...(centre === null ? {} : { centre }),
      };
      return after(graph.search(request), (facts) => ({ status: 200, body: { facts: facts.map(factResult) } }));
    },
  },
  {
    method: "POST",
    path: "/get-memory",
    needs: "read",
    summary: "Get Memory",
    answer: { status: 200, schema: "SearchResults" },
    body: memoryRequest.schema,
    async run({ req, services: { graph } }) {
      const body = await readBody(req, memoryRequest);
      if (!body.ok) return body.error;
      const { group_id: group, max_facts: limit, center_node_uuid: centre, messages } = body.value;
      const query = messages.map(({ content }) => content).join("\n");
      const request = { query, limit, groups: [group], ...(centre === null ? {} : { centre }) };
      return after(graph.search(request), (facts) => ({ status: 200, body: { facts: facts.map(factResult) } }));
    },
  },
  {
    method: "GET",
    path: "/episodes/{group_id}",
    needs: "read",
    summary: "Get Episodes",
    answer: { status: 200, schema: "Episodes" },
    async run({ params, query, services: { graph } }) {
      const group = groupIn(params);
      const last = lastOf(query.getAll("last_n").at(-1));
      const problems = [
        ...(group.ok ? [] : ((group.error.body as { detail: FieldProblem[] }).detail ?? [])),
        ...(last.ok ? [] : last.error),
      ];
      if (!group.ok || !last.ok) return invalid(problems);
      if (last.value <= 0) return { status: 200, body: [] };
      const episodes = graph.store.episodes({ groups: [group.value], last: last.value, until: graph.now() });
      return after(episodes, async (list) => {
        const facts = await graph.store.facts({ episodes: list.map(({ uuid }) => uuid) });
        const edges = new Map<string, string[]>(list.map(({ uuid }) => [uuid, []]));
        for (const { uuid, episodes: sources } of facts.ok ? facts.value : [])
          for (const episode of sources) edges.get(episode)?.push(uuid);
        return { status: 200, body: list.map((episode) => episodicNode(episode, edges.get(episode.uuid) ?? [])) };
      });
    },
  },
  {
    method: "GET",
    path: "/entity-edge/{uuid}",
    needs: "read",
    summary: "Get Entity Edge",
    answer: { status: 200, schema: "FactResult" },
    run: ({ params: [uuid = ""], services: { graph } }) =>
      after(graph.store.facts({ ids: [uuid] }), (facts) => {
        const fact = facts.find((one) => one.uuid === uuid);
        return fact ? { status: 200, body: factResult(fact) } : detail(404, `edge ${uuid} not found`);
      }),
  },
  {
    method: "DELETE",
    path: "/entity-edge/{uuid}",
    owned: "fact",
    summary: "Delete Entity Edge",
    answer: { status: 200, schema: "Result" },
    run: ({ params: [uuid = ""], services: { graph } }) =>
      after(graph.store.forget({ type: "fact", id: uuid }), ({ facts }) =>
        facts > 0 ? result("Entity Edge deleted") : detail(404, `edge ${uuid} not found`),
      ),
  },
  {
    method: "DELETE",
    path: "/episode/{uuid}",
    owned: "episode",
    summary: "Delete Episode",
    answer: { status: 200, schema: "Result" },
    run: ({ params: [uuid = ""], services: { graph } }) =>
      after(graph.store.forget({ type: "episode", id: uuid }), ({ episodes }) =>
        episodes > 0 ? result("Episode deleted") : detail(404, `node ${uuid} not found`),
      ),
  },
  {
    method: "DELETE",
    path: "/group/{group_id}",
    owned: "group",
    summary: "Delete Group",
    answer: { status: 200, schema: "Result" },
    async run({ params, services: { graph } }) {
      const group = groupIn(params);
      return group.ok
        ? after(graph.store.forget({ type: "group", id: group.value }), () => result("Group deleted"))
        : group.error;
    },
  },
  {
    method: "POST",
    path: "/entity-node",
    summary: "Add Entity Node",
    answer: { status: 201, schema: "EntityNode" },
    body: entityRequest.schema,
    async run({ req, services: { graph, caller } }) {
      const body = await readBody(req, entityRequest);
      if (!body.ok) return body.error;
      const { uuid, group_id: group, name, summary } = body.value;
      const refused = await notOwn(caller, { type: "group", id: group });
      if (refused) return refused;
      const put = graph.store.putEntity({ uuid: uuid || newId(), group, name, summary, now: graph.now() });
      return after(put, (outcome) =>
        outcome.type === "stored"
          ? { status: 201, body: entityNode(outcome.entity) }
          : detail(409, `node ${uuid} belongs to another group`),
      );
    },
  },
  {
    method: "POST",
    path: "/clear",
    needs: "admin",
    summary: "Clear",
    answer: { status: 200, schema: "Result" },
    run: ({ services: { graph } }) => after(graph.store.forget({ type: "everything" }), () => result("Graph cleared")),
  },
  {
    method: "POST",
    path: "/groups/resolve",
    needs: "read",
    summary: "Resolve Group",
    answer: { status: 200, schema: "GroupId" },
    body: groupRequest.schema,
    async run({ req, services: { groupIds } }) {
      const body = await readBody(req, groupRequest);
      if (!body.ok) return body.error;
      return { status: 200, body: { group_id: groupId(body.value.scope, body.value.key, groupIds) } };
    },
  },
];

async function addMessages({ req, services: { graph, store, hashKey, caller } }: GraphRequest): Promise<Reply> {
  const body = await readBody(req, messagesRequest);
  if (!body.ok) return body.error;
  const { group_id: group, messages } = body.value;
  const refused = await notOwn(caller, { type: "group", id: group });
  if (refused) return refused;
  const accept = async (): Promise<Reply> =>
    after(graph.accept({ group, origin: "api", episodes: messages.map(episodeInput) }), (outcome) =>
      outcome.type === "accepted"
        ? result("Messages added to processing queue", 202)
        : detail(409, `A message with the uuid ${outcome.uuid} and another text exists; nothing was stored.`),
    );
  const key = req.headers["idempotency-key"];
  if (typeof key !== "string" || !isKey(key)) return accept();
  const request = { route: "graphiti/messages", group, messages };
  const outcome = await once(
    { store, hashKey: hashKey(), key: `graphiti:${key}`, request, now: graph.now() },
    async () => {
      const { status, body: answer } = await accept();
      return status < 300
        ? { ok: true, value: { status, body: answer } }
        : { ok: false, error: { status, code: "refused", message: "", hint: "", details: answer } };
    },
  );
  if (outcome.type === "unavailable") return detail(503, "The store cannot be used right now; nothing was stored.");
  if (outcome.type !== "answered") return detail(409, "This Idempotency-Key was used with another request.");
  if (outcome.answer.ok) return outcome.answer.value;
  return { status: outcome.answer.error.status, body: outcome.answer.error.details };
}

function lastOf(text: string | undefined): Result<number, FieldProblem[]> {
  if (text === undefined) return { ok: false, error: [missing(["query", "last_n"], null)] };
  const problems: FieldProblem[] = [];
  const value = integerField(text, ["query", "last_n"], problems);
  return value === undefined ? { ok: false, error: problems } : { ok: true, value: Math.min(value, MOST_EPISODES) };
}
