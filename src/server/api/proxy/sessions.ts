// /api/proxy/sessions: list, look at, edit and erase proxied sessions.
import { Hono } from "hono";
import * as z from "zod";
import { optional } from "../../../base/optional.ts";
import type { TextView } from "../../manage/contract.ts";
import { refusal } from "../../refusal.ts";
import { readJson } from "../json-body.ts";
import { type Env, paging, refuse, reply, wayOf } from "../reply.ts";

const textBody = z.strictObject({ text: z.string() });
const specBody = z.strictObject({ mode: z.enum(["on", "off"]).optional(), approved: z.boolean().optional() });

const etag = ({ version }: TextView): Record<string, string> => ({ etag: `"${version}"` });

export const sessionRoutes = new Hono<Env>()
  .get("/sessions", async (c) => {
    const page = paging(c);
    if (!page.ok) return refuse(c, page.error);
    const { q, family } = c.req.query();
    const query = { ...page.value, ...optional("q", q), ...optional("family", family) };
    return reply(c, await c.var.operations.sessions(query));
  })
  .delete("/sessions", async (c) => {
    if (c.req.query("confirm") !== "true") return refuse(c, refusal("confirm_needed"));
    return reply(c, await c.var.operations.deleteAllSessions());
  })
  .get("/sessions/:id", async (c) => reply(c, await c.var.operations.session(c.req.param("id"))))
  .delete("/sessions/:id", async (c) => reply(c, await c.var.operations.deleteSession(c.req.param("id"))))
  .get("/sessions/:id/spec", async (c) => reply(c, await c.var.operations.spec(c.req.param("id"))))
  .post("/sessions/:id/spec", async (c) => {
    const body = await readJson(c.env.incoming, specBody);
    if (!body.ok) return refuse(c, body.error);
    const { mode, approved } = body.value;
    const change = { ...optional("mode", mode), ...optional("approved", approved) };
    return reply(c, await c.var.operations.setSpec(c.req.param("id"), change, wayOf(c)));
  })
  .get("/sessions/:id/events", async (c) => {
    const page = paging(c);
    if (!page.ok) return refuse(c, page.error);
    const kind = optional("kind", c.req.query("kind"));
    return reply(c, await c.var.operations.events(c.req.param("id"), { ...page.value, ...kind }));
  })
  .get("/sessions/:id/anchors", async (c) => {
    const page = paging(c);
    if (!page.ok) return refuse(c, page.error);
    return reply(c, await c.var.operations.events(c.req.param("id"), { ...page.value, kind: "cut" }));
  })
  .get("/sessions/:id/requests", async (c) => {
    const page = paging(c);
    if (!page.ok) return refuse(c, page.error);
    return reply(c, await c.var.operations.requests({ ...page.value, session: c.req.param("id") }));
  });

for (const name of ["todo", "pinned", "summary"] as const) {
  sessionRoutes.get(`/sessions/:id/${name}`, async (c) =>
    reply(c, await c.var.operations.text(c.req.param("id"), name), etag),
  );
  sessionRoutes.put(`/sessions/:id/${name}`, async (c) => {
    const body = await readJson(c.env.incoming, textBody);
    if (!body.ok) return refuse(c, body.error);
    const id = c.req.param("id");
    const match = c.req.header("if-match")?.replace(/^(?:W\/)?"(.*)"$/, "$1");
    const written = await c.var.operations.setText(id, name, body.value.text, match);
    if (written.ok || written.error.code !== "stale") return reply(c, written, etag);
    // Who was too late is shown what stands there now.
    const now = await c.var.operations.text(id, name);
    return refuse(c, refusal("stale", now.ok ? { details: now.value, headers: etag(now.value) } : {}));
  });
}
