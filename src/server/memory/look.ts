// /api/memory beside the records: how it stands, what was changed, everything as a stream; and what is not there yet.
import { Hono } from "hono";
import { stream } from "hono/streaming";
import { encodeLine } from "../../base/json-line.ts";
import { optional } from "../../base/optional.ts";
import { clientGone } from "../../proxy/forward/deliver.ts";
import { type Env, paging, refuse } from "../api/reply.ts";
import { refusal, refusalOf } from "../refusal.ts";
import { changesAsked, changesPage, shown, unavailable } from "./answer.ts";
import type { OpenMemoryApi } from "./contract.ts";
import { placeOf } from "./write.ts";

const PAGE = 500;

export function lookRoutes(open: OpenMemoryApi): Hono<Env> {
  const routes = new Hono<Env>();
  routes.get("/status", async (c) => {
    const api = await open();
    if (!api.ok) return refuse(c, refusalOf(api.error));
    const { db, enabled, userScope, failures } = api.value;
    const rows = db.prepare("SELECT scope, status, count(*) AS n FROM memories GROUP BY scope, status").all();
    const counts: Record<string, Record<string, number>> = { repository: {}, user: {} };
    for (const row of rows)
      counts[String(row["scope"])] = { ...counts[String(row["scope"])], [String(row["status"])]: Number(row["n"]) };
    return c.json({ enabled, strategy: api.value.strategy().kind, userScope, counts, failures });
  });
  routes.get("/changes", async (c) => {
    const page = paging(c);
    const changesQuery = page.ok ? changesAsked(page.value) : page;
    if (!changesQuery.ok) return refuse(c, changesQuery.error);
    const api = await open();
    if (!api.ok) return refuse(c, refusalOf(api.error));
    const { memory, since, repository, all } = c.req.query();
    const query = {
      ...changesQuery.value,
      ...optional("memory", memory),
      ...optional("since", since),
      ...(all === "true" ? {} : { place: placeOf(api.value, repository) }),
    };
    const changes = await api.value.strategy().changes(query, clientGone(c.env.outgoing));
    if (changes.type !== "changes") return refuse(c, unavailable(false));
    return c.json(changesPage(api.value, changes.changes, changesQuery.value));
  });
  routes.get("/export", async (c) => {
    const api = await open();
    if (!api.ok) return refuse(c, refusalOf(api.error));
    const strategy = api.value.strategy();
    c.header("content-type", "application/x-ndjson; charset=utf-8");
    const gone = clientGone(c.env.outgoing);
    return stream(c, async (out) => {
      for (let after: string | undefined; ; ) {
        const page = await strategy.list({ limit: PAGE, ...optional("after", after) }, gone);
        // The status is already sent: a stream that breaks off says that something is missing.
        if (page.type !== "listed") throw new Error("the export could not be read to its end");
        for (const record of page.records) await out.write(encodeLine(shown(api.value, record)));
        after = page.next;
        if (after === undefined) return;
      }
    });
  });
  for (const path of ["/changes/:id/undo", "/import"]) routes.post(path, (c) => refuse(c, later));
  return routes;
}

const later = refusal("not_found", {
  status: 501,
  code: "not_implemented",
  message: "This gateway does not do that yet.",
  hint: "The command line may: see `everlong memory --help`.",
});
