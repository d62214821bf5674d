// /api/proxy/sessions: list, look at, edit and erase proxied sessions.
import { Hono } from "hono";
import * as z from "zod";
import { optional } from "../../../base/optional.ts";
import type { TextView } from "../../manage/contract.ts";
import { refusal } from "../../refusal.ts";
import { type Env, jsonBody, paging, refuse, reply, wayOf } from "../reply.ts";

const textBody = z.strictObject({ text: z.string() });
const specBody = z.strictObject({ mode: z.enum(["on", "off"]).optional(), approved: z.boolean().optional() });

const etag = ({ version }: TextView): Record<string, string> => ({ etag: `"${version}"` });

export const sessionRoutes = new Hono<Env>()
  .get("/sessions", paging, async (c) => {
    const { q, family } = c.req.query();
    const query = { ...c.req.valid("query"), ...optional("q", q), ...optional("family", family) };
    return reply(c, await c.var.operations.sessions(query));
  })
  .delete("/sessions", async (c) => {
    if (c.req.query("confirm") !== "true") return refuse(c, refusal("confirm_needed"));
    return reply(c, await c.var.operations.deleteAllSessions());
  })
  .get("/sessions/:id", async (c) => reply(c, await c.var.operations.session(c.req.param("id"))))
  .delete("/sessions/:id", async (c) => reply(c, await c.var.operations.deleteSession(c.req.param("id"))))
  .get("/sessions/:id/spec", async (c) => reply(c, await c.var.operations.spec(c.req.param("id"))))
  .post("/sessions/:id/spec", jsonBody(specBody), async (c) =>
    reply(c, await c.var.operations.setSpec(c.req.param("id"), c.req.valid("json"), wayOf(c))),
  )
  .get("/sessions/:id/events", paging, async (c) => {
    const kind = optional("kind", c.req.query("kind"));
    return reply(c, await c.var.operations.events(c.req.param("id"), { ...c.req.valid("query"), ...kind }));
  })
  .get("/sessions/:id/anchors", paging, async (c) =>
    reply(c, await c.var.operations.events(c.req.param("id"), { ...c.req.valid("query"), kind: "cut" })),
  )
  .get("/sessions/:id/requests", paging, async (c) =>
    reply(c, await c.var.operations.requests({ ...c.req.valid("query"), session: c.req.param("id") })),
  );

for (const name of ["todo", "pinned", "summary"] as const) {
  sessionRoutes.get(`/sessions/:id/${name}`, async (c) =>
    reply(c, await c.var.operations.text(c.req.param("id"), name), etag),
  );
  sessionRoutes.put(`/sessions/:id/${name}`, jsonBody(textBody), async (c) => {
    const id = c.req.param("id");
    const match = c.req.header("if-match")?.replace(/^(?:W\/)?"(.*)"$/, "$1");
    const written = await c.var.operations.setText(id, name, c.req.valid("json").text, match);
    if (written.ok || written.error.code !== "stale") return reply(c, written, etag);
    // A caller who was too late is shown the text as it is now.
    const now = await c.var.operations.text(id, name);
    return refuse(c, refusal("stale", now.ok ? { details: now.value, headers: etag(now.value) } : {}));
  });
}
