// The management API: what is mounted under /api, and signing in to it.
import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono } from "hono";
import { ok } from "../../base/result.ts";
import { loginBody } from "../../schema/api/sign-in.ts";
import { codeOf } from "../../store/fault.ts";
import type { EventStream } from "../event-stream.ts";
import { memoryRoutes } from "../memory/routes.ts";
import { signedWith } from "../memory/signed.ts";
import type { GatewayOptions } from "../options.ts";
import { refusal } from "../refusal.ts";
import { SECURITY_HEADERS } from "../respond.ts";
import type { SignIn } from "../sign-in.ts";
import { LOCAL_MEMBER, type Member } from "../team/member.ts";
import { sharingRoutes } from "../team/sharing-routes.ts";
import { tokenRoutes } from "../team/token-routes.ts";
import { Throttle } from "../throttle.ts";
import { dashboardLookRoutes, type GatewaySelf } from "./dashboard/look.ts";
import { sessionListRoutes } from "./dashboard/sessions.ts";
import { settingRoutes } from "./dashboard/settings.ts";
import { graphRoutes } from "./graph.ts";
import { lookRoutes } from "./proxy/look.ts";
import { sessionRoutes } from "./proxy/sessions.ts";
import { recallRoutes } from "./recall.ts";
import { type Env, jsonBody, opened, refuse } from "./reply.ts";

type ApiParts = Pick<
  GatewayOptions,
  | "operations"
  | "recall"
  | "memory"
  | "memoryKey"
  | "team"
  | "graphViews"
  | "report"
  | "version"
  | "home"
  | "dashboard"
  | "health"
> & {
  events: EventStream;
  signIn: SignIn;
  about: GatewaySelf["about"];
  /** A fresh one-time link to the dashboard. */
  link(): string;
};

/** So many wrong codes a minute; then none is looked at. */
const MOST_CODES = 10;

/** `member`: of a team, by the token that was presented. */
type ApiHandler = (req: IncomingMessage, res: ServerResponse, member?: Member) => Promise<void>;

/** Everybody who comes here has passed the gate. */
export function createApi(parts: ApiParts): ApiHandler {
  const members = new WeakMap<IncomingMessage, Member>();
  const app = apiRoutes(parts, (req) => members.get(req));
  const listener = getRequestListener((request, env) => app.fetch(request, env as Env["Bindings"]), {
    overrideGlobalObjects: false,
  });
  return (req, res, member) => {
    if (member) members.set(req, member);
    return listener(req, res);
  };
}

export function apiRoutes(parts: ApiParts, memberOf: (req: IncomingMessage) => Member | undefined): Hono<Env> {
  const { events, signIn } = parts;
  const tries = new Throttle(() => performance.now(), MOST_CODES);
  const app = new Hono<Env>();
  app.use(async (c, next) => {
    c.set("member", memberOf(c.env.incoming));
    await next();
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) c.header(name, value);
    c.header("cache-control", "no-store");
  });
  app.use("/api/proxy/*", opened("operations", parts.operations));
  app.route("/api/proxy", sessionRoutes);
  app.route("/api/proxy", lookRoutes);
  app.use("/api/recall/*", opened("recall", parts.recall));
  app.route("/api/recall", recallRoutes(events));
  if (parts.memoryKey !== undefined) app.use("/api/memory/*", signedWith(parts.memoryKey));
  if (parts.memory) app.use("/api/memory/*", opened("memory", parts.memory)).route("/api/memory", memoryRoutes);
  if (parts.team) {
    const { tokens, sharing } = parts.team;
    app.use(
      "/api/me/sharing",
      opened("sharing", async (member) => ok(sharing(member ?? LOCAL_MEMBER))),
    );
    app.route("/api/me/sharing", sharingRoutes);
    const ready = opened("tokens", async (member) => ok(tokens(member ?? LOCAL_MEMBER)));
    app.use("/api/tokens", ready).use("/api/tokens/*", ready).route("/api/tokens", tokenRoutes);
  }
  if (parts.graphViews) app.use("/api/graph/*", opened("graph", parts.graphViews)).route("/api/graph", graphRoutes);
  if (parts.dashboard) {
    const pages = new Hono<Env>().route("/", dashboardLookRoutes(parts)).route("/", sessionListRoutes);
    pages.route("/", settingRoutes);
    const ready = opened("dashboard", parts.dashboard);
    for (const { path } of pages.routes) app.use(`/api${path}`, ready);
    app.route("/api", pages);
  }
  app.get("/api/events", (c) => {
    events.attach(c.env.outgoing, c.req.header("last-event-id"));
    return RESPONSE_ALREADY_SENT;
  });
  app.post("/api/links", (c) => c.json({ link: parts.link() }, 201));
  app.post("/api/login", jsonBody(loginBody), (c) => {
    const address = c.env.incoming.socket.remoteAddress ?? "";
    if (tries.isOver(address)) return refuse(c, refusal("too_many_codes"));
    const cookie = signIn.redeem(c.req.valid("json").code);
    if (cookie === undefined) {
      tries.fail(address);
      return refuse(c, refusal("wrong_code"));
    }
    c.header("set-cookie", cookie);
    return c.json({});
  });
  app.post("/api/logout", (c) => {
    c.header("set-cookie", signIn.end(c.req.header("cookie")));
    return c.json({});
  });
  app.get("/api/me", (c) => c.json({ version: parts.version, home: parts.home }));
  app.notFound((c) => refuse(c, refusal("not_found")));
  app.onError((error, c) => {
    parts.report("api", error);
    return refuse(c, refusal(codeOf(error) === "store_corrupt" ? "store_unavailable" : "internal"));
  });
  return app;
}
