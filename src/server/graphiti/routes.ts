// The routes of Graphiti's REST service: paths, statuses and shapes are those of its own server.
import type { IncomingMessage } from "node:http";
import { newId } from "../../base/id.ts";
import type { Result } from "../../base/result.ts";
import { groupId } from "../../memory/graph/group.ts";
import { isKey, once } from "../memory/idempotency.ts";
import { detail, invalid, type Reply, readBody } from "./body.ts";
import type { GraphServices } from "./contract.ts";
import {
  type FieldProblem,
  groupField,
  integerField,
  literalField,
  missing,
  model,
  required,
  textField,
} from "./field.ts";
import {
  entityNode,
  entityRequest,
  episodeInput,
  episodicNode,
  factResult,
  memoryRequest,
  messagesRequest,
  searchRequest,
} from "./shape.ts";

export type GraphRequest = {
  req: IncomingMessage;
  params: readonly string[];
  query: URLSearchParams;
  services: GraphServices;
};
export type GraphRoute = {
  method: "GET" | "POST" | "DELETE";
  /** `*` stands for one segment. */
  path: string;
  summary: string;
  run(request: GraphRequest): Promise<Reply>;
};

const result = (message: string, status = 200): Reply => ({ status, body: { message, success: true } });
const unavailable = detail(503, "The store cannot be used now; nothing was accepted. Try again.", {
  "retry-after": "1",
});

/** The store's own troubles are the same for every route. */
async function after<T>(
  outcome: Promise<Result<T, unknown>>,
  reply: (value: T) => Reply | Promise<Reply>,
): Promise<Reply> {
  const settled = await outcome;
  return settled.ok ? reply(settled.value) : unavailable;
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
    summary: "Healthcheck",
    async run({ services: { graph } }) {
      const counts = await graph.store.counts();
      return counts.ok
        ? { status: 200, body: { status: "healthy" } }
        : { status: 503, body: { status: "unhealthy", detail: counts.error.what }, headers: { "retry-after": "1" } };
    },
  },
  { method: "POST", path: "/messages", summary: "Add Messages", run: addMessages },
  {
    method: "POST",
    path: "/search",
    summary: "Search",
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
    summary: "Get Memory",
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
    path: "/episodes/*",
    summary: "Get Episodes",
    async run({ params, query, services: { graph } }) {
      const group = groupIn(params);
      const last = lastOf(query.get("last_n"));
      const problems = [
        ...(group.ok ? [] : ((group.error.body as { detail: FieldProblem[] }).detail ?? [])),
        ...(last.ok ? [] : last.error),
      ];
      if (!group.ok || !last.ok) return invalid(problems);
      if (last.value <= 0) return { status: 200, body: [] };
      const episodes = graph.store.episodes({ groups: [group.value], last: last.value, until: graph.now() });
      return after(episodes, async (list) => {
        const edges = new Map<string, string[]>();
        for (const { uuid } of list) {
          const facts = await graph.store.facts({ episode: uuid });
          edges.set(uuid, facts.ok ? facts.value.map((fact) => fact.uuid) : []);
        }
        return { status: 200, body: list.map((episode) => episodicNode(episode, edges.get(episode.uuid) ?? [])) };
      });
    },
  },
  {
    method: "GET",
    path: "/entity-edge/*",
    summary: "Get Entity Edge",
    run: ({ params: [uuid = ""], services: { graph } }) =>
      after(graph.store.facts({ ids: [uuid] }), ([fact]) =>
        fact?.uuid === uuid ? { status: 200, body: factResult(fact) } : detail(404, `edge ${uuid} not found`),
      ),
  },
  {
    method: "DELETE",
    path: "/entity-edge/*",
    summary: "Delete Entity Edge",
    run: ({ params: [uuid = ""], services: { graph } }) =>
      after(graph.store.forget({ type: "fact", id: uuid }), ({ facts }) =>
        facts > 0 ? result("Entity Edge deleted") : detail(404, `edge ${uuid} not found`),
      ),
  },
  {
    method: "DELETE",
    path: "/episode/*",
    summary: "Delete Episode",
    run: ({ params: [uuid = ""], services: { graph } }) =>
      after(graph.store.forget({ type: "episode", id: uuid }), ({ episodes }) =>
        episodes > 0 ? result("Episode deleted") : detail(404, `node ${uuid} not found`),
      ),
  },
  {
    method: "DELETE",
    path: "/group/*",
    summary: "Delete Group",
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
    async run({ req, services: { graph } }) {
      const body = await readBody(req, entityRequest);
      if (!body.ok) return body.error;
      const { uuid, group_id: group, name, summary } = body.value;
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
    summary: "Clear",
    run: ({ services: { graph } }) => after(graph.store.forget({ type: "everything" }), () => result("Graph cleared")),
  },
  {
    method: "POST",
    path: "/groups/resolve",
    summary: "Resolve Group",
    async run({ req }) {
      const shape = model({ scope: required(literalField("session", "workspace", "user")), key: required(textField) });
      const body = await readBody(req, shape);
      if (!body.ok) return body.error;
      return { status: 200, body: { group_id: groupId(body.value.scope, body.value.key, "hashed") } };
    },
  },
];

async function addMessages({ req, services: { graph, db, hashKey } }: GraphRequest): Promise<Reply> {
  const body = await readBody(req, messagesRequest);
  if (!body.ok) return body.error;
  const { group_id: group, messages } = body.value;
  const accept = async (): Promise<Reply> =>
    after(graph.accept({ group, origin: "api", episodes: messages.map(episodeInput) }), (outcome) =>
      outcome.type === "accepted"
        ? result("Messages added to processing queue", 202)
        : detail(409, `A message with the uuid ${outcome.uuid} and another text exists; nothing was stored.`),
    );
  const key = req.headers["idempotency-key"];
  if (typeof key !== "string" || !isKey(key)) return accept();
  const request = { route: "graphiti/messages", group, messages };
  const outcome = await once({ db, hashKey, key: `graphiti:${key}`, request, now: graph.now() }, async () => {
    const { status, body: answer } = await accept();
    return status < 300
      ? { ok: true, value: { status, body: answer } }
      : { ok: false, error: { status, code: "refused", message: "", hint: "", details: answer } };
  });
  if (outcome.type !== "answered") return detail(409, "This Idempotency-Key was used with another request.");
  if (outcome.answer.ok) return outcome.answer.value;
  return { status: outcome.answer.error.status, body: outcome.answer.error.details };
}

function lastOf(text: string | null): Result<number, FieldProblem[]> {
  if (text === null) return { ok: false, error: [missing(["query", "last_n"], null)] };
  const problems: FieldProblem[] = [];
  const value = integerField(text, ["query", "last_n"], problems);
  return value === undefined ? { ok: false, error: problems } : { ok: true, value };
}
