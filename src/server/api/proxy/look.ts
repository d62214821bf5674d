// /api/proxy beside the sessions: requests, search, figures, learned windows, upstreams.
import { Hono } from "hono";
import * as z from "zod";
import { optional } from "../../../base/optional.ts";
import { ok, type Result } from "../../../base/result.ts";
import { invalid, readJson } from "../json-body.ts";
import { type Env, paging, refuse, reply } from "../reply.ts";

const searchBody = z.strictObject({
  query: z.string().min(1),
  session: z.string().optional(),
  namespace: z.string().optional(),
  limit: z.int().min(1).max(100).optional(),
});

/** Lists that are never long come as one page. */
const page = <T, E>(list: Result<T, E>) => (list.ok ? ok({ items: list.value }) : list);

export const lookRoutes = new Hono<Env>()
  .get("/requests", async (c) => {
    const page = paging(c);
    if (!page.ok) return refuse(c, page.error);
    const session = optional("session", c.req.query("session"));
    return reply(c, await c.var.operations.requests({ ...page.value, ...session }));
  })
  .get("/requests/:id", async (c) => reply(c, await c.var.operations.request(c.req.param("id"))))
  .post("/search", async (c) => {
    const body = await readJson(c.env.incoming, searchBody);
    if (!body.ok) return refuse(c, body.error);
    const { query, session, namespace, limit } = body.value;
    const within = { ...optional("session", session), ...optional("namespace", namespace) };
    return reply(c, await c.var.operations.search({ query, ...within, ...optional("limit", limit) }));
  })
  .get("/stats", async (c) => reply(c, await c.var.operations.stats(c.req.query("session"))))
  .get("/windows", async (c) => reply(c, page(await c.var.operations.windows())))
  .delete("/windows", async (c) => {
    const { model, upstream } = c.req.query();
    if (!model) return refuse(c, invalid("Which model? Add ?model=NAME."));
    return reply(c, await c.var.operations.forgetWindow(model, upstream));
  })
  .get("/semantic", async (c) => reply(c, await c.var.operations.semantic()))
  .get("/upstreams", async (c) => reply(c, page(await c.var.operations.upstreams())));
