// /api/memory beside the records: how it stands, what was changed, everything as a stream; and what is not there yet.
import { Hono } from "hono";
import { stream } from "hono/streaming";
import { encodeLine } from "../../base/json-line.ts";
import { optional } from "../../base/optional.ts";
import { coveredIn, reachable } from "../../memory/record/reach.ts";
import { clientGone } from "../../proxy/forward/deliver.ts";
import { CAPACITY } from "../../schema/board.ts";
import { allRows } from "../../store/unit.ts";
import { type Env, paging, refuse } from "../api/reply.ts";
import { refusal } from "../refusal.ts";
import { changesAsked, changesPage, shown, unavailable } from "./answer.ts";
import { placeOf } from "./write.ts";

const PAGE = 500;

export const lookRoutes = new Hono<Env>()
  .get("/status", async (c) => {
    const { store, enabled, userScope, failures, strategy, reach } = c.var.memory;
    const own = reachable(reach);
    const read = await store.read(() =>
      allRows(
        `SELECT m.scope, m.status, count(*) AS n FROM memories AS m WHERE ${own.where} GROUP BY m.scope, m.status`,
        ...own.values,
      ),
    );
    if (!read.ok) return refuse(c, unavailable(false));
    const rows = read.value;
    const counts: Record<string, Record<string, number>> = { repository: {}, user: {} };
    for (const row of rows)
      counts[String(row["scope"])] = { ...counts[String(row["scope"])], [String(row["status"])]: Number(row["n"]) };
    return c.json({ enabled, strategy: strategy().kind, userScope, counts, failures });
  })
  .get("/boards", async (c) => {
    const { store, reach } = c.var.memory;
    const own = coveredIn("repository", reach?.repositories ?? []);
    const read = await store.read(() =>
      allRows(
        `SELECT repository, branch, count(*) AS items, count(*) FILTER (WHERE src = 'user') AS users,
           max(updated_at) AS at FROM dynamic_context_items WHERE ${own.where}
         GROUP BY repository, branch ORDER BY at DESC LIMIT ${PAGE}`,
        ...own.values,
      ),
    );
    if (!read.ok) return refuse(c, unavailable(false));
    const items = read.value.map((row) => ({
      ...{ repository: String(row["repository"]), branch: String(row["branch"]) },
      ...{ items: Number(row["items"]), userItems: Number(row["users"]), capacity: CAPACITY },
      updatedAt: String(row["at"]),
    }));
    return c.json({ items: shown(c.var.memory, items), next: null });
  })
  .get("/changes", paging, async (c) => {
    const page = changesAsked(c.req.valid("query"));
    if (!page.ok) return refuse(c, page.error);
    const { memory, since, repository, all } = c.req.query();
    const query = {
      ...page.value,
      ...optional("memory", memory),
      ...optional("since", since),
      ...(all === "true" ? {} : { place: placeOf(c.var.memory, repository) }),
    };
    const changes = await c.var.memory.strategy().changes(query, clientGone(c.env.outgoing));
    if (changes.type !== "changes") return refuse(c, unavailable(false));
    return c.json(changesPage(c.var.memory, changes.changes, page.value));
  })
  .get("/export", (c) => {
    const { memory } = c.var;
    const strategy = memory.strategy();
    c.header("content-type", "application/x-ndjson; charset=utf-8");
    const gone = clientGone(c.env.outgoing);
    return stream(c, async (out) => {
      for (let after: string | undefined; ; ) {
        const page = await strategy.list({ limit: PAGE, ...optional("after", after) }, gone);
        // The status is already sent: a stream that breaks off says that something is missing.
        if (page.type !== "listed") throw new Error("the export could not be read to its end");
        for (const record of page.records) await out.write(encodeLine(shown(memory, record)));
        after = page.next;
        if (after === undefined) return;
      }
    });
  })
  .post("/import", (c) => refuse(c, later));

const later = refusal("not_found", {
  status: 501,
  code: "not_implemented",
  message: "This gateway does not do that yet.",
  hint: "The command line may: see `everlong memory --help`.",
});
