// The description of the Graphiti routes, good enough to generate a client from.
import type { JsonSchema } from "./field.ts";

const text = { type: "string" };
const time = { type: "string", format: "date-time" };
const texts = { type: "array", items: text };
const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: "null" }] });
const any = { type: "object", additionalProperties: true };
const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });
const object = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: "object",
  properties,
  required: Object.keys(properties),
});

const schemas = {
  HealthCheck: object({ status: text }),
  Result: object({ message: text, success: { type: "boolean" } }),
  GroupId: object({ group_id: text }),
  FactResult: object({
    uuid: text,
    name: text,
    fact: text,
    valid_at: orNull(time),
    invalid_at: orNull(time),
    created_at: time,
    expired_at: orNull(time),
    source_node_uuid: text,
    target_node_uuid: text,
    episodes: texts,
  }),
  SearchResults: object({ facts: { type: "array", items: ref("FactResult") } }),
  EpisodicNode: object({
    uuid: text,
    name: text,
    group_id: text,
    labels: texts,
    created_at: time,
    source: text,
    source_description: text,
    content: text,
    valid_at: time,
    entity_edges: texts,
    episode_metadata: orNull(any),
  }),
  Episodes: { type: "array", items: ref("EpisodicNode") },
  EntityNode: object({
    uuid: text,
    name: text,
    group_id: text,
    labels: texts,
    created_at: time,
    name_embedding: orNull({ type: "array", items: { type: "number" } }),
    summary: text,
    attributes: any,
  }),
  Detail: object({ detail: text }),
  ValidationError: {
    type: "object",
    properties: {
      type: text,
      loc: { type: "array", items: { anyOf: [text, { type: "integer" }] } },
      msg: text,
      input: {},
      ctx: any,
    },
    required: ["type", "loc", "msg"],
  },
  HTTPValidationError: object({ detail: { type: "array", items: ref("ValidationError") } }),
};
export type DescribedRoute = {
  method: "GET" | "POST" | "DELETE";
  /** `{name}` stands for one segment. */
  path: string;
  summary: string;
  body?: JsonSchema;
  answer: { status: number; schema: keyof typeof schemas };
};

const content = (schema: JsonSchema): JsonSchema => ({ "application/json": { schema } });
const refusals: Readonly<Record<number, string>> = {
  401: "Not authenticated",
  404: "Not Found",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  503: "Try again later",
};

export function description(routes: readonly DescribedRoute[]): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  return {
    openapi: "3.1.0",
    info: { title: "Graphiti as served by Everlong", version: "0.29" },
    servers: [{ url: "/graphiti" }],
    paths,
    components: { schemas, securitySchemes: { token: { type: "http", scheme: "bearer" } } },
    security: [{ token: [] }, {}],
  };
}

function operation({ method, path, summary, body, answer }: DescribedRoute): JsonSchema {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: text,
  }));
  const inQuery = path.startsWith("/episodes/")
    ? [{ name: "last_n", in: "query", required: true, schema: { type: "integer" } }]
    : [];
  const refused = Object.entries(refusals).map(([status, meaning]) => [
    status,
    { description: meaning, content: content(ref("Detail")) },
  ]);
  return {
    summary,
    operationId: `${summary.toLowerCase().replaceAll(" ", "_")}_${method.toLowerCase()}`,
    parameters: [...inPath, ...inQuery],
    ...(body ? { requestBody: { required: true, content: content(body) } } : {}),
    responses: {
      [answer.status]: { description: "Successful Response", content: content(ref(answer.schema)) },
      422: { description: "Validation Error", content: content(ref("HTTPValidationError")) },
      ...Object.fromEntries(refused),
    },
  };
}
