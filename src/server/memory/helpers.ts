// /api/memory/inbox and /sidekicks: what background agents have sent to a session, and which of them may run.
import { Hono } from "hono";
import { type Env, refuse } from "../api/reply.ts";
import { refusal } from "../refusal.ts";
import { unavailable } from "./answer.ts";

export const helperRoutes = new Hono<Env>()
  .get("/inbox", async (c) => {
    const { inbox, redact } = c.var.memory;
    const answer = await inbox(c.req.query("session") || undefined);
    if (answer.type === "no_session") return refuse(c, noSession);
    if (answer.type === "failed") return refuse(c, unavailable(false));
    const items = answer.entries.map((entry) => ({
      ...entry,
      summary: redact(entry.summary),
      content: redact(entry.content),
    }));
    return c.json({ items, next: null });
  })
  .delete("/inbox/:session/:id", async (c) => {
    const isGone = await c.var.memory.removeInbox(c.req.param("session"), c.req.param("id"));
    return isGone ? c.body(null, 204) : refuse(c, noEntry);
  })
  .get("/sidekicks", async (c) => c.json(await c.var.memory.sidekicks()));

const noEntry = refusal("not_found", { message: "Entry not found.", hint: "GET /api/memory/inbox lists them." });
const noSession = refusal("not_found", {
  message: "Session not found.",
  hint: "`everlong sessions --all` lists them; give the whole id.",
});
