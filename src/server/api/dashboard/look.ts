// /api/overview, /api/requests, /api/tasks, /api/health: what the dashboard only looks at.
import { Hono } from "hono";
import { optional } from "../../../base/optional.ts";
import { overviewRange } from "../../../schema/api/overview.ts";
import type { Health } from "../../contract.ts";
import { worstOf } from "../../health.ts";
import { invalid } from "../json-body.ts";
import { type Env, paging, refuse, reply } from "../reply.ts";

/** What the gateway knows of itself. */
export type GatewaySelf = { about: { version: string; pid: number; startedAt: string }; health(): Health };

export const dashboardLookRoutes = ({ about, health }: GatewaySelf): Hono<Env> =>
  new Hono<Env>()
    .get("/overview", async (c) => {
      const range = overviewRange.safeParse(c.req.query("range") ?? "24h");
      if (!range.success) return refuse(c, invalid("range must be 24h, 7d or 30d."));
      return reply(c, await c.var.dashboard.overview(range.data));
    })
    .get("/requests", paging, async (c) => {
      const { session, family, action, q } = c.req.query();
      const { after } = c.req.valid("query");
      if (after !== undefined && !/^\d{1,15}$/.test(after))
        return refuse(c, invalid("after is not a cursor from a list."));
      const { dashboard } = c.var;
      const page = await dashboard.requests({
        ...c.req.valid("query"),
        ...optional("session", session || undefined),
        ...optional("family", family || undefined),
        ...optional("action", action || undefined),
        ...optional("q", q || undefined),
      });
      return page.ok ? c.json({ ...page.value, recording: dashboard.recording }) : reply(c, page);
    })
    .get("/requests/:id", async (c) => reply(c, await c.var.dashboard.request(c.req.param("id"))))
    .get("/tasks", async (c) => reply(c, await c.var.dashboard.tasks(c.req.query("session") || undefined)))
    .get("/health", (c) => {
      const home = c.var.dashboard.health();
      const { checks, counters } = health();
      const now = new Date().toISOString();
      return c.json({ ...about, now, status: worstOf(checks), checks, counters, ...home });
    })
    .post("/health/doctor", async (c) => reply(c, await c.var.dashboard.doctor()));
