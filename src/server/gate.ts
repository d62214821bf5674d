// The one gate in front of everything: Host, Origin, path, token, in this order, before a byte of a body is read or a database asked.
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isLoopbackHost } from "../base/address.ts";
import { optional } from "../base/optional.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { isProxyPath, pathRoute } from "../proxy/identify/route.ts";
import { type AgentRun, isRunToken } from "../proxy/identify/run.ts";
import type { CallerAccess } from "../proxy/proxy.ts";
import type { WireName } from "../schema/model.ts";
import { type GatewayRefusal, GRAPHITI, type RequestTarget } from "./contract.ts";
import { hostProblem, ownNames } from "./host.ts";
import type { GatewayOptions } from "./options.ts";
import { readTarget } from "./path.ts";
import { type RefusalCode, refusal } from "./refusal.ts";
import type { RefusalShape } from "./respond.ts";
import { teamCaller } from "./team/door.ts";
import { type Member, personOf, reachOf, type TeamCaller } from "./team/member.ts";
import type { Throttle } from "./throttle.ts";
import { presented, sameToken } from "./token.ts";
import { isShort } from "./turn-away.ts";

/** What stands behind the gate; `wire` is the format of a proxy route, where it is one we know. */
type Area =
  | { name: "page" | "health" | "ready" | "metrics" | "api" | "mcp" | "graphiti" }
  | { name: "proxy"; wire: WireName | undefined };
export type Pass = {
  area: Area;
  caller: CallerAccess & { target: RequestTarget };
  /** The member of a team whose token came along. */
  member: Member | undefined;
};
type Turned = { refusal: GatewayRefusal; shape: RefusalShape };

/** What the API reads. */
export const JSON_TYPE = /^application\/json\s*(;|$)/i;

type GateOptions = Pick<
  GatewayOptions,
  "host" | "allowedHosts" | "token" | "runOf" | "requireToken" | "loopbackOpen" | "team"
> & {
  /** Whether a cookie stands for the token. */
  signedIn(cookie: string | undefined): boolean;
  throttle: Throttle;
  /** The files of the dashboard, by their paths. */
  page: { has(path: string): boolean };
};

type Gate = (req: IncomingMessage) => Promise<Result<Pass, Turned>>;

export function createGate(options: GateOptions): Gate {
  const names = ownNames(options.host, options.allowedHosts);
  const open = isLoopbackHost(options.host) && !options.requireToken;
  const loopbackOpen = isLoopbackHost(options.host) && options.loopbackOpen === true;

  return async (req) => {
    const target = readTarget(req.url);
    const area = target && areaOf(target, options.page, options.team !== undefined);
    const shape = shapeOf(area);
    const turn = (code: RefusalCode): Result<Pass, Turned> => fail({ refusal: refusal(code), shape });

    const host = hostProblem(req.rawHeaders, names);
    if (host) return turn(host);
    if (isForeign(req.method, req.headers)) return turn("forbidden_origin");
    if (!target) return turn("bad_path");
    const address = req.socket.remoteAddress ?? "";
    const loopback = isLoopbackHost(address);
    // Where a wrong token is no failure nobody is looked up: such guesses would never be counted.
    const team = needsToken(area, target, false, true) ? options.team : undefined;
    const { member, unasked } = team ? await teamCaller(team, req, options.throttle.isOver(address)) : NO_TEAM;
    const who = identify(req, area?.name === "proxy", target, options, member);
    if (who.doubled) return turn("bad_token");
    if (who.cookie && isChange(req) && req.headers.origin === undefined) return turn("forbidden_origin");
    const isOpen = loopback && (OPENABLE.has(area?.name) ? loopbackOpen && !who.tried : open);
    if (who.ended || (!who.token && needsToken(area, target, isOpen, who.tried))) {
      if (unasked) return turn("store_unavailable"); // no guess of theirs
      const isOften = options.throttle.fail(address);
      return turn(isOften ? "too_many_failures" : who.ended ? "run_ended" : "unauthorized");
    }
    if (!who.token && !TAKES_ALL.has(area?.name) && !isShort(req.headers)) return turn("too_large");
    // A run's token opens the way to models, and nothing else.
    if (target.run !== undefined && area?.name !== "proxy") return turn("not_found");
    if (unasked && area?.name !== "proxy") return turn("store_unavailable");
    // `h2c` is no WebSocket: such a request is served as if it had not asked.
    if (/\bwebsocket\b/i.test(req.headers.upgrade ?? "")) return turn("upgrade_required");
    if (area?.name === "api" && isForm(req, who.cookie)) return turn("unsupported_media_type");
    if (!area) return turn("not_found");
    const whose = member && { person: personOf(member), tenant: member.tenant, reach: reachOf(member), unasked };
    return ok({
      area,
      member,
      caller: { loopback, token: who.token, target, ...optional("run", who.run), ...whose },
    });
  };
}

const NO_TEAM: TeamCaller = { member: undefined, unasked: false };

/** Where a caller without the token may send much, if it needs none. */
const TAKES_ALL = new Set<Area["name"] | undefined>(["proxy", "mcp", "graphiti"]);
/** What `gateway.auth` can open to every program of this machine. */
const OPENABLE = new Set<Area["name"] | undefined>(["mcp", "graphiti"]);

/** How a request to this place is refused. */
export const shapeOf = (area: Area | undefined): RefusalShape =>
  area?.name === "proxy" ? { wire: area.wire } : area?.name === "graphiti" ? "graphiti" : "api";

type Who = {
  token: boolean;
  cookie: boolean;
  tried: boolean;
  run?: AgentRun;
  /** A token of a run that is over, or of nobody here. */
  ended: boolean;
  /** The header came twice: nobody can say which one is meant. */
  doubled: boolean;
};

/** On the proxy's routes a token may stand in the path or where an API key would; elsewhere a cookie may stand for it. */
function identify(
  req: IncomingMessage,
  proxy: boolean,
  target: RequestTarget,
  { token, runOf, signedIn }: GateOptions,
  member: Member | undefined,
): Who {
  const { own, bearer, keys } = presented(req.headers);
  const texts = [own, bearer, ...(proxy ? [target.run, ...keys] : [])].filter((text) => text !== undefined);
  const ofRuns = proxy ? texts.filter((text) => text === target.run || isRunToken(text)) : [];
  const runs = ofRuns.map(runOf);
  const isOurs = texts.map((text) => sameToken(text, token)).includes(true) || runs.some((run) => run !== undefined);
  const isToken = isOurs || member !== undefined;
  const cookie = !isToken && !proxy && signedIn(req.headers.cookie);
  return {
    token: isToken || cookie,
    cookie,
    tried: texts.length > 0,
    ...optional("run", runs[0]),
    ended: runs.includes(undefined),
    doubled: own?.includes(",") ?? false,
  };
}

/** A page can send forms and plain text without being asked, never JSON; a program may leave an empty body untyped. */
function isForm(req: IncomingMessage, cookie: boolean): boolean {
  const type = req.headers["content-type"];
  if (!/^(POST|PUT|PATCH)$/.test(req.method ?? "")) return false;
  return type === undefined ? cookie : !JSON_TYPE.test(type);
}

const isChange = (req: IncomingMessage): boolean => req.method !== "GET" && req.method !== "HEAD";

/** Addresses that are not built yet answer as the ones that are: without a token nobody learns which exist. */
const PRIVATE = new Set(["api", "graphiti", "mcp", "metrics"]);

function needsToken(area: Area | undefined, target: RequestTarget, open: boolean, tried: boolean): boolean {
  if (area?.name === "proxy" || OPENABLE.has(area?.name)) return !open;
  if (area?.name === "health") return tried; // with a wrong token there is nothing to see
  return PRIVATE.has(target.segments[0] ?? "") && target.path !== "/api/login";
}

function areaOf(target: RequestTarget, page: GateOptions["page"], isTeam: boolean): Area | undefined {
  const { path, segments } = target;
  if (segments[0] === "api") return { name: "api" };
  if (segments[0] === GRAPHITI) return { name: "graphiti" };
  if (path === "/mcp") return { name: "mcp" };
  if (path === "/healthz") return { name: "health" };
  if (isTeam && path === "/readyz") return { name: "ready" };
  if (isTeam && path === "/metrics") return { name: "metrics" };
  if (isProxyPath(path)) return { name: "proxy", wire: pathRoute(path)?.wire };
  return page.has(path) ? { name: "page" } : undefined;
}

/** Pages of other origins are refused. The Host has been checked before, so our own origin is the one that names it. */
function isForeign(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  if (headers["sec-fetch-site"] === "cross-site") return true;
  // A page of ours never needs to ask first.
  if (method === "OPTIONS" && headers["access-control-request-method"] !== undefined) return true;
  const { origin, host } = headers;
  if (origin === undefined) return false;
  return !/^https?:\/\//.test(origin) || origin.replace(/^https?:\/\//, "").toLowerCase() !== host?.toLowerCase();
}
