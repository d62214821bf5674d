// The management API: what is mounted under /api, and signing in to it.
import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono } from "hono";
import * as z from "zod";
import { codeOf } from "../../store/fault.ts";
import type { Report } from "../contract.ts";
import type { EventStream } from "../event-stream.ts";
import type { OpenOperations } from "../manage/contract.ts";
import type { OpenRecall } from "../manage/recall.ts";
import type { OpenMemoryApi } from "../memory/contract.ts";
import { memoryRoutes } from "../memory/routes.ts";
import { refusal, refusalOf } from "../refusal.ts";
import { SECURITY_HEADERS } from "../respond.ts";
import { type SignIn, setCookie } from "../sign-in.ts";
import type { Throttle } from "../throttle.ts";
import { readJson } from "./json-body.ts";
import { lookRoutes } from "./proxy/look.ts";
import { sessionRoutes } from "./proxy/sessions.ts";
import { recallRoutes } from "./recall.ts";
import { type Env, refuse } from "./reply.ts";

type ApiParts = {
  operations: OpenOperations;
  recall: OpenRecall;
  /** Absent = there is no such address. */
  memory?: OpenMemoryApi;
  events: EventStream;
  signIn: SignIn;
  throttle: Throttle;
  /** A fresh one-time link to the dashboard. */
  link(): string;
  report: Report;
};

const login = z.strictObject({ code: z.string().max(100) });

/** Everybody who comes here has passed the gate. */
export function createApi(parts: ApiParts): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  const { events, signIn, throttle } = parts;
  const app = new Hono<Env>();
  app.use(async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) c.header(name, value);
    c.header("cache-control", "no-store");
  });
  app.use("/api/proxy/*", async (c, next) => {
    const operations = await parts.operations();
    if (!operations.ok) return refuse(c, refusalOf(operations.error));
    c.set("operations", operations.value);
    return next();
  });
  app.route("/api/proxy", sessionRoutes);
  app.route("/api/proxy", lookRoutes);
  app.route("/api/recall", recallRoutes(parts.recall, events));
  if (parts.memory) app.route("/api/memory", memoryRoutes(parts.memory));
  app.get("/api/events", (c) => {
    events.attach(c.env.outgoing, c.req.header("last-event-id"));
    return RESPONSE_ALREADY_SENT;
  });
  app.post("/api/links", (c) => c.json({ link: parts.link() }, 201));
  app.post("/api/login", async (c) => {
    const body = await readJson(c.env.incoming, login);
    if (!body.ok) return refuse(c, body.error);
    const cookie = signIn.redeem(body.value.code);
    if (cookie !== undefined) return c.json({}, 200, { "set-cookie": setCookie(cookie) });
    const address = c.env.incoming.socket.remoteAddress ?? "";
    return refuse(c, refusal(throttle.fail(address) ? "too_many_failures" : "unauthorized"));
  });
  app.post("/api/logout", (c) => {
    signIn.end(c.req.header("cookie"));
    return c.json({}, 200, { "set-cookie": setCookie("") });
  });
  app.notFound((c) => refuse(c, refusal("not_found")));
  app.onError((error, c) => {
    parts.report("api", error);
    return refuse(c, refusal(codeOf(error) === "store_corrupt" ? "store_unavailable" : "internal"));
  });
  return getRequestListener((request, env) => app.fetch(request, env as Env["Bindings"]), {
    overrideGlobalObjects: false,
  });
}
