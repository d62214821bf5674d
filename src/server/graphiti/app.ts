// /graphiti: finds the route of a request and answers as Graphiti's own server would.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestTarget } from "../contract.ts";
import { sendJson } from "../respond.ts";
import { detail, type Reply } from "./body.ts";
import type { OpenGraph } from "./contract.ts";
import { type GraphRoute, graphRoutes } from "./routes.ts";

export type GraphitiHandler = (req: IncomingMessage, res: ServerResponse, target: RequestTarget) => Promise<void>;

export function createGraphiti(open: OpenGraph): GraphitiHandler {
  return async (req, res, { path, segments, search, hasSlash }) => {
    if (hasSlash)
      return sendJson(res, 307, null, { location: `http://${req.headers.host}${path.slice(0, -1)}${search}` });
    const reply = await answerTo(open, req, segments.slice(1), search);
    sendJson(res, reply.status, reply.body, reply.headers);
  };
}

async function answerTo(
  open: OpenGraph,
  req: IncomingMessage,
  segments: readonly string[],
  search: string,
): Promise<Reply> {
  const path = segments.map(decoded);
  const matches = graphRoutes.filter((route) => isAt(route, path));
  if (isDescription(path)) return req.method === "GET" ? { status: 200, body: description() } : notAllowed(["GET"]);
  if (matches.length === 0) return detail(404, "Not Found");
  const route = matches.find(({ method }) => method === req.method);
  if (!route) return notAllowed(matches.map(({ method }) => method));
  const services = await open();
  if (!services.ok)
    return route.path === "/healthcheck"
      ? { status: 503, body: { status: "unhealthy", detail: services.error.what }, headers: { "retry-after": "1" } }
      : detail(503, services.error.what, { "retry-after": "1" });
  const params = path.filter((_, i) => partsOf(route)[i] === "*");
  return route.run({ req, params, query: new URLSearchParams(search), services: services.value });
}

const notAllowed = (methods: readonly string[]): Reply =>
  detail(405, "Method Not Allowed", { allow: methods.join(", ") });
const partsOf = (route: GraphRoute): string[] => route.path.slice(1).split("/");
const isDescription = (path: readonly string[]): boolean => path.length === 1 && path[0] === "openapi.json";

function isAt(route: GraphRoute, path: readonly string[]): boolean {
  const parts = partsOf(route);
  return parts.length === path.length && parts.every((part, i) => part === "*" || part === path[i]);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const PARAMETERS: Readonly<Record<string, string>> = { episodes: "group_id", group: "group_id" };

function description() {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { method, path, summary } of graphRoutes) {
    const name = PARAMETERS[path.split("/")[1] ?? ""] ?? "uuid";
    const place = path.replace("*", `{${name}}`);
    paths[place] = {
      ...paths[place],
      [method.toLowerCase()]: { summary, responses: { "200": { description: "Successful Response" } } },
    };
  }
  return { openapi: "3.1.0", info: { title: "Graphiti as served by Everlong", version: "0.29" }, paths };
}
