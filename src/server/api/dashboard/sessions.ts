// /api/sessions: every session of this home, looked at by cursor; renamed, exported, erased by its title.
import { Hono } from "hono";
import * as z from "zod";
import { optional } from "../../../base/optional.ts";
import { sessionSource } from "../../../schema/api/session.ts";
import { sessionControl } from "../../../schema/session-control.ts";
import { refusalOf } from "../../refusal.ts";
import { invalid } from "../json-body.ts";
import { type Env, jsonBody, paging, refuse, reply } from "../reply.ts";

const titleBody = z.strictObject({ title: z.string().max(500) });
const time = z.iso.datetime({ offset: true });
const filter = z.object({
  source: sessionSource.exactOptional(),
  since: time.exactOptional(),
  until: time.exactOptional(),
  q: z.string().max(500).exactOptional(),
  folder: z.string().max(4096).exactOptional(),
  client: z.string().max(100).exactOptional(),
});

export const sessionListRoutes = new Hono<Env>()
  .get("/sessions", paging, async (c) => {
    const fields = Object.entries(c.req.query()).filter(([, value]) => value !== "");
    const wanted = filter.safeParse(Object.fromEntries(fields));
    if (!wanted.success) return refuse(c, invalid(wrong(wanted.error)));
    const times = { since: wanted.data.since, until: wanted.data.until };
    const utc = Object.entries(times).flatMap(([name, text]) => (text ? [[name, new Date(text).toISOString()]] : []));
    return reply(
      c,
      await c.var.dashboard.sessions({ ...wanted.data, ...Object.fromEntries(utc), ...c.req.valid("query") }),
    );
  })
  .get("/sessions/:id", async (c) => reply(c, await c.var.dashboard.session(c.req.param("id"))))
  .patch("/sessions/:id", jsonBody(titleBody), async (c) =>
    reply(c, await c.var.dashboard.renameSession(c.req.param("id"), c.req.valid("json").title)),
  )
  .delete("/sessions/:id", jsonBody(titleBody), async (c) =>
    reply(c, await c.var.dashboard.deleteSession(c.req.param("id"), c.req.valid("json").title)),
  )
  .post("/sessions/:id/control", jsonBody(sessionControl), async (c) =>
    reply(c, await c.var.dashboard.controlSession(c.req.param("id"), c.req.valid("json"), c.req.raw.signal)),
  )
  .get("/sessions/:id/events", paging, async (c) => {
    const { before, type } = c.req.query();
    const types = type ? type.split(",").slice(0, 50) : undefined;
    const query = { ...c.req.valid("query"), ...optional("before", before), ...optional("types", types) };
    return reply(c, await c.var.dashboard.sessionEvents(c.req.param("id"), query));
  })
  .get("/sessions/:id/export", async (c) => {
    const outcome = await c.var.dashboard.exportSession(c.req.param("id"), c.req.query("format") ?? "html");
    if (!outcome.ok) return refuse(c, refusalOf(outcome.error));
    const { type, name, text } = outcome.value;
    // A page of ours never runs what a session says: the browser saves it.
    return c.body(text, 200, {
      "content-type": type,
      "content-disposition": `attachment; filename="${name}"`,
      "content-security-policy": "sandbox",
    });
  });

const wrong = (error: z.ZodError): string => {
  const issue = error.issues[0];
  return `${issue?.path.join(".") ?? "query"}: ${issue?.message ?? "not as expected"}`;
};
