// What happens to a request: the gate, then page, health, API or proxy; and how the last ones leave.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { within } from "../base/abort.ts";
import { createApi } from "./api/app.ts";
import { answerBroken } from "./broken-request.ts";
import { EventStream } from "./event-stream.ts";
import { createGate, type Pass, shapeOf } from "./gate.ts";
import type { GatewayFile } from "./gateway-file.ts";
import type { GraphitiHandler } from "./graphiti/app.ts";
import { answerHealth } from "./health.ts";
import type { McpDoor } from "./mcp.ts";
import type { GatewayOptions } from "./options.ts";
import { DashboardPage } from "./page.ts";
import { refusal } from "./refusal.ts";
import { type RefusalShape, sendRefusal } from "./respond.ts";
import { SignIn } from "./sign-in.ts";
import { signedOutIn } from "./signed-out.ts";
import { answerMetrics, answerReady, refusedTo } from "./team/door.ts";
import { LOCAL_MEMBER, mayDo } from "./team/member.ts";
import { forbidden } from "./team/refuse.ts";
import { Throttle } from "./throttle.ts";
import { turnAway } from "./turn-away.ts";

const MOST_IN_FLIGHT = 1000;

type GatewayDoor = { link(): string; drain(): Promise<void> };

export function openDoor(server: Server, options: GatewayOptions, file: GatewayFile): GatewayDoor {
  const { proxy, token, report } = options;
  const monotonic = (): number => performance.now();
  const signIn = new SignIn(token, signedOutIn(options.home, Date.now, report), Date.now);
  const page = new DashboardPage(options.webFolder);
  const throttle = new Throttle(monotonic);
  const { address: _own, ...about } = file;
  const events = new EventStream({ observe: (event) => options.observe?.(event), watch: options.watch });
  const link = (): string => `${file.address}/#login=${signIn.newCode()}`;
  const api = createApi({ ...options, events, signIn, link, about });
  const gate = createGate({ ...options, throttle, signedIn: (cookie) => signIn.holds(cookie), page });
  let mcp: Promise<McpDoor> | undefined;
  let graphiti: Promise<GraphitiHandler> | undefined;
  const quiet = proxy.on((event) => events.publish(event));
  const active = new Set<ServerResponse>();
  let draining = false;

  const serve = async (req: IncomingMessage, res: ServerResponse, expects: boolean): Promise<void> => {
    active.add(res);
    res.once("close", () => {
      active.delete(res);
      if (draining) setImmediate(() => server.closeIdleConnections());
    });
    const { team } = options;
    let route: string = "refused";
    let shape: RefusalShape = "api";
    if (team) res.once("finish", () => team.metrics.request(route, res.statusCode));
    try {
      const passed = await gate(req);
      if (!passed.ok) return turnAway(res, passed.error.refusal, passed.error.shape, expects);
      const { area } = passed.value;
      route = area.name;
      shape = shapeOf(area);
      const busy = draining ? "shutting_down" : active.size > MOST_IN_FLIGHT ? "overloaded" : undefined;
      if (busy && area.name !== "health" && area.name !== "ready") return sendRefusal(res, refusal(busy), shape);
      if (expects) res.writeContinue();
      await enter(req, res, passed.value);
    } catch (error) {
      report("server", error);
      if (res.headersSent) res.destroy();
      else sendRefusal(res, refusal("internal"), shape);
    }
  };
  const enter = async (req: IncomingMessage, res: ServerResponse, pass: Pass): Promise<void> => {
    const { team } = options;
    const { area, caller } = pass;
    const member = team && (pass.member ?? LOCAL_MEMBER);
    if (area.name === "proxy") return proxy.handle(req, res, caller);
    if (team && area.name === "ready") return answerReady(res, team, draining);
    if (team && member && caller.token && area.name !== "page" && area.name !== "health") {
      const refused = area.name === "metrics" ? undefined : refusedTo(member, req, caller.target);
      if (refused && refused.status === 403) team.metrics.denied();
      if (refused) return sendRefusal(res, refused, shapeOf(area));
      if (area.name === "metrics")
        return mayDo(member, "read") ? answerMetrics(res, team) : sendRefusal(res, forbidden("read"), "api");
    }
    if (area.name === "api") {
      const cookie = signIn.renewed(req.headers.cookie);
      if (cookie !== undefined) res.setHeader("set-cookie", cookie);
      return api(req, res, member);
    }
    if (area.name === "graphiti") {
      if (!options.graph) return sendRefusal(res, refusal("not_found"), "graphiti");
      const { graph } = options;
      graphiti ??= import("./graphiti/app.ts").then(({ createGraphiti }) => createGraphiti(graph));
      if (team) res.once("finish", () => res.statusCode === 403 && team.metrics.denied());
      return (await graphiti)(req, res, caller.target, member);
    }
    if (area.name === "mcp") {
      if (!options.mcp) return sendRefusal(res, refusal("not_found"), "api");
      // Its library is loaded by the first caller.
      const { tools } = options.mcp;
      mcp ??= import("./mcp.ts").then(({ openMcp }) => openMcp({ tools, version: options.version, report, monotonic }));
      if (!team || !member || member === LOCAL_MEMBER) return (await mcp).handle(req, res);
      res.once("finish", () => res.statusCode === 403 && team.metrics.denied());
      const served = await team.mcp(member, new URLSearchParams(caller.target.search));
      return (await mcp).once(req, res, { tools: served, mayWrite: mayDo(member, "write") });
    }
    if (req.method !== "GET" && req.method !== "HEAD") {
      return sendRefusal(res, refusal("method_not_allowed", { headers: { allow: "GET, HEAD" } }), "api");
    }
    if (area.name === "page") return page.answer(req, res, caller.target.path);
    // Of a team's node it says that it lives; whether it can serve stands at /readyz.
    const health = team ? { ...options.health(), checks: [] } : options.health();
    const isOwner = caller.token && (!team || member === LOCAL_MEMBER);
    answerHealth(req, res, health, { token, detail: isOwner ? about : undefined });
  };
  server.on("request", (req, res) => void serve(req, res, false));
  server.on("checkContinue", (req, res) => void serve(req, res, true));
  server.on("clientError", answerBroken);

  const drain = async (): Promise<void> => {
    draining = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    quiet();
    events.close(); // these streams never end by themselves
    void mcp?.then((door) => door.close());
    const outcome = await within(closed, options.drainMs);
    if (outcome.type === "value") return;
    for (const res of active) res.socket?.resetAndDestroy();
    server.closeAllConnections();
    await closed;
  };
  return { link, drain };
}
