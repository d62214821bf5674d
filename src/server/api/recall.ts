// /api/recall: search what was said, read an item, see how much there is.
import { Hono } from "hono";
import * as z from "zod";
import { optional } from "../../base/optional.ts";
import { clientGone } from "../../proxy/forward/deliver.ts";
import type { EventStream } from "../event-stream.ts";
import type { OpenRecall, RecallQuestion } from "../manage/recall.ts";
import { refusal, refusalOf } from "../refusal.ts";
import { invalid, readJson } from "./json-body.ts";
import { type Env, refuse, reply, wayOf } from "./reply.ts";

const text = z.string().max(10_000);
const words = z.union([text.transform((word) => [word]), z.array(text).max(20)]);
const question = z.strictObject({
  query: z.string().optional(),
  scope: text.optional(),
  session: text.optional(),
  repo: text.optional(),
  branch: text.optional(),
  kind: words.optional(),
  role: words.optional(),
  since: text.optional(),
  until: text.optional(),
  before: text.optional(),
  asOf: text.optional(),
  order: text.optional(),
  around: z.union([text, z.int().min(1).transform(String)]).optional(),
  window: z.int().min(0).max(100).optional(),
  limit: z.int().min(1).max(1000).optional(),
  cursor: text.optional(),
  full: z.boolean().optional(),
  explain: z.boolean().optional(),
});

const AROUND = 2;
const MOST_AROUND = 100;

export function recallRoutes(open: OpenRecall, events: EventStream): Hono<Env> {
  const routes = new Hono<Env>();
  routes.post("/", async (c) => {
    const start = performance.now();
    const body = await readJson(c.env.incoming, question);
    if (!body.ok) return refuse(c, body.error);
    const recall = await open();
    if (!recall.ok) return refuse(c, refusalOf(recall.error));
    const hits = await recall.value.ask(given(body.value), clientGone(c.env.outgoing));
    if (hits.ok && "results" in hits.value) {
      const { scope, results, partial } = hits.value;
      const durationMs = Math.round(performance.now() - start);
      const data = { caller: wayOf(c), scope, results: results.length, partial, durationMs };
      events.publish({ type: "recall.completed", data });
    }
    return reply(c, hits);
  });
  routes.get("/items/:id", async (c) => {
    const around = c.req.query("around");
    const turns = around === "" ? AROUND : Number(around);
    if (around !== undefined && !(Number.isInteger(turns) && turns >= 0 && turns <= MOST_AROUND))
      return refuse(c, invalid(`around must be a whole number from 0 to ${MOST_AROUND}.`));
    const recall = await open();
    if (!recall.ok) return refuse(c, refusalOf(recall.error));
    return reply(c, await recall.value.item(c.req.param("id"), around === undefined ? undefined : turns));
  });
  routes.get("/stats", async (c) => {
    const recall = await open();
    return recall.ok ? reply(c, await recall.value.stats()) : refuse(c, refusalOf(recall.error));
  });
  routes.post("/forget", (c) => refuse(c, forgetLater));
  return routes;
}

const forgetLater = refusal("not_found", {
  message: "Single items cannot be forgotten yet.",
  hint: "Whole sessions can: `everlong sessions delete ID`, or DELETE /api/proxy/sessions/ID.",
});

/** Without what was not said. */
function given(body: z.infer<typeof question>): RecallQuestion {
  return Object.assign({}, ...Object.entries(body).map(([name, value]) => optional(name, value)));
}
