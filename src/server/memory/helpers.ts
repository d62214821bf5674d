// /api/memory/inbox and /sidekicks: what background agents have sent to a session, and which of them may run.
import { Hono } from "hono";
import { invalid } from "../api/json-body.ts";
import { type Env, refuse } from "../api/reply.ts";
import { refusal } from "../refusal.ts";
import { unavailable } from "./answer.ts";

export const helperRoutes = new Hono<Env>()
  .get("/inbox", async (c) => {
    const session = c.req.query("session");
    if (session === undefined || session === "") return refuse(c, invalid("Whose inbox? Add ?session=ID."));
    const { inbox, redact } = c.var.memory;
    const answer = await inbox(session);
    if (answer.type === "no_session") return refuse(c, noSession);
    if (answer.type === "failed") return refuse(c, unavailable(false));
    const items = answer.entries.map((entry) => ({
      ...entry,
      summary: redact(entry.summary),
      content: redact(entry.content),
    }));
    return c.json({ items, next: null });
  })
  .get("/sidekicks", async (c) => c.json(await c.var.memory.sidekicks()));

const noSession = refusal("not_found", {
  message: "Session not found.",
  hint: "`everlong sessions --all` lists them; give the whole id.",
});
