// /api/recall: search what was said, read an item, see how much is remembered, forget.
import { Hono } from "hono";
import type { Shown } from "../../memory/recall/result.ts";
import { clientGone } from "../../proxy/forward/deliver.ts";
import { injectionQuestion } from "../../schema/api/recall.ts";
import type { EventStream } from "../event-stream.ts";
import { forgetRequest, recallQuestion } from "../manage/recall.ts";
import { invalid } from "./json-body.ts";
import { type Env, jsonBody, refuse, reply, wayOf } from "./reply.ts";

/** Scores are sums, so a signal is switched off by leaving its part out. */
function reordered(results: readonly Shown[], without: ReadonlySet<string>): Shown[] {
  const scored = results.map((hit) => {
    const before = "parts" in hit ? (hit.parts as Record<string, number>) : {};
    const parts = Object.fromEntries(
      Object.entries(before).map(([name, part]) => [name, without.has(name) ? 0 : part]),
    );
    return { ...hit, parts, score: Object.values(parts).reduce((sum, part) => sum + part, 0) };
  });
  return scored.sort((a, b) => b.score - a.score);
}

const AROUND = 2;
const MOST_AROUND = 100;

export const recallRoutes = (events: EventStream): Hono<Env> =>
  new Hono<Env>()
    .post("/", jsonBody(recallQuestion), async (c) => {
      const start = performance.now();
      const hits = await c.var.recall.ask(c.req.valid("json"), clientGone(c.env.outgoing));
      if (hits.ok && "results" in hits.value) {
        const { scope, results, partial } = hits.value;
        const durationMs = Math.round(performance.now() - start);
        const data = { caller: wayOf(c), scope, results: results.length, partial, durationMs };
        events.publish({ type: "recall.completed", data });
      }
      if (!hits.ok || !("results" in hits.value)) return reply(c, hits);
      const { without = [] } = c.req.valid("json");
      const results = without.length > 0 ? reordered(hits.value.results, new Set(without)) : hits.value.results;
      return c.json({ ...hits.value, results, durationMs: performance.now() - start });
    })
    .get("/items/:id", async (c) => {
      const around = c.req.query("around");
      const turns = around === "" ? AROUND : Number(around);
      if (around !== undefined && !(Number.isInteger(turns) && turns >= 0 && turns <= MOST_AROUND))
        return refuse(c, invalid(`around must be a whole number from 0 to ${MOST_AROUND}.`));
      return reply(c, await c.var.recall.item(c.req.param("id"), around === undefined ? undefined : turns));
    })
    .post("/injected", jsonBody(injectionQuestion), async (c) =>
      reply(c, await c.var.recall.injected(c.req.valid("json"), clientGone(c.env.outgoing))),
    )
    .get("/stats", async (c) => reply(c, await c.var.recall.stats()))
    .post("/forget", jsonBody(forgetRequest), async (c) => reply(c, await c.var.recall.forget(c.req.valid("json"))));
