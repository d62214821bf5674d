// /api/proxy beside the sessions: requests, search, figures, learned windows, upstreams.
import { Hono } from "hono";
import * as z from "zod";
import { optional } from "../../../base/optional.ts";
import { ok, type Result } from "../../../base/result.ts";
import { invalid } from "../json-body.ts";
import { type Env, jsonBody, paging, refuse, reply } from "../reply.ts";

const searchBody = z.strictObject({
  query: z.string().min(1),
  session: z.string().exactOptional(),
  namespace: z.string().exactOptional(),
  limit: z.int().min(1).max(100).exactOptional(),
});

/** Lists that are never long come as one page. */
const page = <T, E>(list: Result<T, E>) => (list.ok ? ok({ items: list.value }) : list);

export const lookRoutes = new Hono<Env>()
  .get("/requests", paging, async (c) => {
    const session = optional("session", c.req.query("session"));
    return reply(c, await c.var.operations.requests({ ...c.req.valid("query"), ...session }));
  })
  .get("/requests/:id", async (c) => reply(c, await c.var.operations.request(c.req.param("id"))))
  .post("/search", jsonBody(searchBody), async (c) => reply(c, await c.var.operations.search(c.req.valid("json"))))
  .get("/stats", async (c) => reply(c, await c.var.operations.stats(c.req.query("session"))))
  .get("/windows", async (c) => reply(c, page(await c.var.operations.windows())))
  .delete("/windows", async (c) => {
    const { model, upstream } = c.req.query();
    if (!model) return refuse(c, invalid("Which model? Add ?model=NAME."));
    return reply(c, await c.var.operations.forgetWindow(model, upstream));
  })
  .get("/semantic", async (c) => reply(c, await c.var.operations.semantic()))
  .get("/upstreams", async (c) => reply(c, page(await c.var.operations.upstreams())));
