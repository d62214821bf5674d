// A team's node at its door: whose token it is, what that one may reach, and whether the node is ready.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Failure } from "../../base/failure.ts";
import type { Result } from "../../base/result.ts";
import type { ServedTool } from "../../mcp/serve/tool.ts";
import { type GatewayRefusal, GRAPHITI, type RequestTarget } from "../contract.ts";
import type { OpenGraph } from "../graphiti/contract.ts";
import type { GraphOperations } from "../manage/graph.ts";
import type { RecallOperations } from "../manage/recall.ts";
import type { MemoryBackend } from "../memory/contract.ts";
import { refusal } from "../refusal.ts";
import { sendJson } from "../respond.ts";
import { presented } from "../token.ts";
import type { Lookup } from "./directory.ts";
import { isOther, LOCAL_MEMBER, type Member, mayDo, scopeOf, type TeamCaller } from "./member.ts";
import type { NodeMetrics, QueueDepths } from "./metrics.ts";
import { forbidden, refusedText } from "./refuse.ts";
import type { SharingOperations } from "./sharing-operations.ts";
import type { TokenOperations } from "./token-operations.ts";
import { isTeamToken } from "./tokens.ts";

/** What a gateway on a team's database has beside the others. */
export type TeamDoor = {
  find(token: string): Promise<Lookup>;
  /** Without asking: whether it was a member's a short while ago. */
  knows(token: string): boolean;
  memory(member: Member): Promise<Result<MemoryBackend, Failure>>;
  tokens(member: Member): TokenOperations;
  graph: OpenGraph;
  graphViews(member: Member): Promise<Result<GraphOperations, Failure>>;
  recall(member: Member): Promise<Result<RecallOperations, Failure>>;
  /** What /mcp serves to a member; its query names the repository and the branch. */
  mcp(member: Member, query: URLSearchParams): Promise<readonly ServedTool[]>;
  sharing(member: Member): SharingOperations;
  /** Why it cannot serve now; none: it can. */
  problems(): Promise<readonly string[]>;
  metrics: NodeMetrics;
  pool(): { total: number; idle: number; waiting: number };
  queues(): Promise<QueueDepths>;
};

/** The first token of a team that the request shows; it may stand where an API key would. */
function teamTokenIn(req: IncomingMessage): string | undefined {
  const { own, bearer, keys } = presented(req.headers);
  return [own, bearer, ...keys].find((text) => text !== undefined && isTeamToken(text));
}

/**
 * While the database is away, whoever it knew lately may go on to models.
 * `isOver`: the address has guessed too often, and only tokens that were right before are looked up for it.
 */
export async function teamCaller(team: TeamDoor, req: IncomingMessage, isOver: boolean): Promise<TeamCaller> {
  const token = teamTokenIn(req);
  const who = token === undefined || (isOver && !team.knows(token)) ? undefined : await team.find(token);
  if (who?.type === "unavailable") return { member: who.last, unasked: true };
  return { member: who?.type === "member" ? who.member : undefined, unasked: false };
}

/** Beside memory the store of a node is its own: what is there belongs to whoever runs it. */
const SHARED = /^\/(mcp$|api\/((memory|recall|graph|proxy|tokens)(\/|$)|me(\/sharing)?$))/;
/** Where the scope is another than the method's. */
const ADMIN = /^\/api\/tokens(\/|$)/;

/** What says whose memory is meant. */
const NAMING = ["repository", "tenant", "user"];
const repeated = refusal("invalid_inputs", {
  message: "repository, tenant or user is there more than once.",
  hint: "Give each of them once.",
});

/** Undefined: the member may. */
export function refusedTo(member: Member, req: IncomingMessage, target: RequestTarget): GatewayRefusal | undefined {
  const search = new URLSearchParams(target.search);
  // Of two values each reader could take another.
  if (NAMING.some((name) => search.getAll(name).length > 1)) return repeated;
  const query = Object.fromEntries(search);
  const { "x-everlong-tenant": tenant, "x-everlong-user": user } = req.headers;
  if (isOther(member, query) || isOther(member, { tenant, user })) return refusal("forbidden_tenant");
  // Its routes say for themselves what they need: a search is a POST there.
  if (target.segments[0] === GRAPHITI) return undefined;
  if (member !== LOCAL_MEMBER && !SHARED.test(target.path)) return refusal("not_found");
  // A question is a POST, since it may be long.
  const asks = ["/api/recall", "/api/proxy/search", "/mcp"].includes(target.path);
  const scope = ADMIN.test(target.path) ? "admin" : asks ? "read" : scopeOf(req.method);
  if (!mayDo(member, scope)) return forbidden(scope);
  return refusedText(member, query);
}

export async function answerReady(res: ServerResponse, team: TeamDoor, draining: boolean): Promise<void> {
  const reasons = draining ? ["draining"] : await team.problems();
  sendJson(res, reasons.length === 0 ? 200 : 503, { ready: reasons.length === 0, reasons });
}

export async function answerMetrics(res: ServerResponse, team: TeamDoor): Promise<void> {
  const queues = await team.queues();
  res.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8", "cache-control": "no-store" });
  res.end(team.metrics.text(team.pool(), queues));
}
