// /api/memory/inbox and /sidekicks: what background agents have sent to a session, and which of them may run.
import { Hono } from "hono";
import { invalid } from "../api/json-body.ts";
import { type Env, refuse } from "../api/reply.ts";
import { refusal, refusalOf } from "../refusal.ts";
import { unavailable } from "./answer.ts";
import type { OpenMemoryApi } from "./contract.ts";

export function helperRoutes(open: OpenMemoryApi): Hono<Env> {
  return new Hono<Env>()
    .get("/inbox", async (c) => {
      const session = c.req.query("session");
      if (session === undefined || session === "") return refuse(c, invalid("Whose inbox? Add ?session=ID."));
      const api = await open();
      if (!api.ok) return refuse(c, refusalOf(api.error));
      const { redact } = api.value;
      const entries = await api.value.inbox(session);
      if (entries.type === "no_session") return refuse(c, noSession);
      if (entries.type === "failed") return refuse(c, unavailable(false));
      const items = entries.entries.map((one) => ({
        ...one,
        summary: redact(one.summary),
        content: redact(one.content),
      }));
      return c.json({ items, next: null });
    })
    .get("/sidekicks", async (c) => {
      const api = await open();
      if (!api.ok) return refuse(c, refusalOf(api.error));
      return c.json(await api.value.sidekicks());
    });
}

const noSession = refusal("not_found", {
  message: "Session not found.",
  hint: "`everlong sessions --all` lists them; give the whole id.",
});
