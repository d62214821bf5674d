// /api/graph: facts, entities and episodes for the dashboard.
import { type Context, Hono } from "hono";
import { optional } from "../../base/optional.ts";
import type { FactChoice } from "../../schema/graph.ts";
import { type Env, paging, reply } from "./reply.ts";

const TEXTS = ["group", "asOf", "entity", "relation", "since", "until"] as const;

function questionOf(c: Context<Env>, limit: number): FactChoice {
  const texts = TEXTS.flatMap((name) => {
    const value = c.req.query(name);
    return value === undefined ? [] : [[name, value]];
  });
  return {
    ...Object.fromEntries(texts),
    scope: c.req.query("scope") ?? "all",
    expired: c.req.query("expired") === "true",
    limit,
  };
}

export const graphRoutes = new Hono<Env>()
  .get("/search", paging, async (c) =>
    reply(c, await c.var.graph.search(c.req.query("query") ?? "", questionOf(c, c.req.valid("query").limit))),
  )
  .get("/facts", paging, async (c) => reply(c, await c.var.graph.facts(questionOf(c, c.req.valid("query").limit))))
  .get("/facts/:uuid", async (c) => reply(c, await c.var.graph.fact(c.req.param("uuid"))))
  .get("/entities", paging, async (c) =>
    reply(c, await c.var.graph.entities(questionOf(c, c.req.valid("query").limit))),
  )
  .get("/entities/:uuid", paging, async (c) => {
    const { limit, after } = c.req.valid("query");
    return reply(c, await c.var.graph.entity(c.req.param("uuid"), { limit, ...optional("after", after) }));
  })
  .get("/episodes/:uuid", async (c) => reply(c, await c.var.graph.episode(c.req.param("uuid"))))
  .get("/timeline", paging, async (c) =>
    reply(c, await c.var.graph.timeline(questionOf(c, c.req.valid("query").limit))),
  )
  .delete("/facts/:uuid", async (c) => reply(c, await c.var.graph.forget("fact", c.req.param("uuid"))))
  .delete("/episodes/:uuid", async (c) => reply(c, await c.var.graph.forget("episode", c.req.param("uuid"))))
  .post("/promotions/:id/undo", async (c) => reply(c, await c.var.graph.undoPromotion(c.req.param("id"))))
  .put("/promotions/:id/pin", async (c) => reply(c, await c.var.graph.pinPromotion(c.req.param("id"), true)))
  .delete("/promotions/:id/pin", async (c) => reply(c, await c.var.graph.pinPromotion(c.req.param("id"), false)))
  .get("/pins", async (c) => reply(c, await c.var.graph.pins()))
  .delete("/pins/:id", async (c) => reply(c, await c.var.graph.endPin(c.req.param("id"))))
  .get("/promotions", async (c) => reply(c, await c.var.graph.promotions()))
  .get("/queue", async (c) => reply(c, await c.var.graph.queue()));
