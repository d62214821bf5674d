// /graphiti: finds the route of a request and answers as Graphiti's own server would.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestTarget } from "../contract.ts";
import { sendJson } from "../respond.ts";
import type { Member } from "../team/member.ts";
import { notOwn, withoutScope } from "./access.ts";
import { detail, type Reply } from "./body.ts";
import type { OpenGraph } from "./contract.ts";
import { description } from "./openapi.ts";
import { type GraphRoute, graphRoutes } from "./routes.ts";

/** `member`: of a team, by the token that was presented. */
export type GraphitiHandler = (
  req: IncomingMessage,
  res: ServerResponse,
  target: RequestTarget,
  member?: Member,
) => Promise<void>;

export function createGraphiti(open: OpenGraph): GraphitiHandler {
  return async (req, res, { path, segments, search, hasSlash }, member) => {
    const reply = await answerTo(() => open(member), req, {
      path: segments.slice(1).map(decoded),
      search,
      at: path,
      hasSlash: hasSlash === true,
    });
    sendJson(res, reply.status, reply.body, reply.headers);
  };
}

type Target = { path: readonly string[]; search: string; at: string; hasSlash: boolean };

async function answerTo(open: OpenGraph, req: IncomingMessage, target: Target): Promise<Reply> {
  const { path, search } = target;
  const isDescription = path.length === 1 && path[0] === "openapi.json";
  const matches = graphRoutes.filter((route) => isAt(route, path));
  if (matches.length === 0 && !isDescription) return detail(404, "Not Found");
  if (target.hasSlash) {
    const location = `http://${req.headers.host}${target.at.slice(0, -1)}${search}`;
    return { status: 307, body: null, headers: { location } };
  }
  if (isDescription)
    return req.method === "GET" ? { status: 200, body: description(graphRoutes) } : notAllowed(["GET"]);
  const route = matches.find(({ method }) => method === req.method);
  if (!route) return notAllowed(matches.map(({ method }) => method));
  const services = await open();
  if (!services.ok)
    return route.path === "/healthcheck"
      ? { status: 503, body: { status: "unhealthy", detail: services.error.what }, headers: { "retry-after": "1" } }
      : detail(503, services.error.what, { "retry-after": "1" });
  const params = path.filter((_, i) => isParameter(partsOf(route)[i]));
  const { caller } = services.value;
  const { needs = "write", owned } = route;
  const refused =
    withoutScope(caller, needs) ?? (owned && (await notOwn(caller, { type: owned, id: params[0] ?? "" })));
  if (refused) return refused;
  return route.run({ req, params, query: new URLSearchParams(search), services: services.value });
}

const notAllowed = (methods: readonly string[]): Reply =>
  detail(405, "Method Not Allowed", { allow: methods.join(", ") });
const partsOf = (route: GraphRoute): string[] => route.path.slice(1).split("/");
const isParameter = (part: string | undefined): boolean => part?.startsWith("{") === true;

function isAt(route: GraphRoute, path: readonly string[]): boolean {
  const parts = partsOf(route);
  return parts.length === path.length && parts.every((part, i) => isParameter(part) || part === path[i]);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
