// The graph of this home with this run's settings: who reads its episodes, and where its facts are searched.
import { fail, ok } from "../../base/result.ts";
import { rulesExtractor } from "../../memory/graph/extract/rules.ts";
import { TemporalGraph } from "../../memory/graph/graph.ts";
import { sqliteGraph } from "../../memory/graph/store/sqlite.ts";
import type { Recall } from "../../memory/recall/recall.ts";
import type { OpenServices } from "../../proxy/services.ts";
import type { OpenGraph } from "../../server/graphiti/contract.ts";
import type { Database } from "../../store/sqlite.ts";
import { secretKey, type Workspace } from "../workspace.ts";

/** Undefined: the settings want none. */
export function graphOn(
  { settings: { values }, redact }: Workspace,
  db: Database,
  recall: Pick<Recall, "search">,
  onTrouble: (message: string) => void,
): TemporalGraph<unknown> | undefined {
  if (!values["memory.enabled"] || !values["graph.enabled"]) return undefined;
  return new TemporalGraph<unknown>({
    store: sqliteGraph(db),
    ...(values["graph.extractor"] === "off" ? {} : { extractor: rulesExtractor }),
    redact,
    search: (request) => recall.search(request),
    onTrouble: ({ message }) => onTrouble(message),
  });
}

/** The graph as the gateway serves it. */
export const openServedGraph =
  ({ paths }: Workspace, open: OpenServices): OpenGraph =>
  async () => {
    const services = await open();
    if (!services.ok) return services;
    const { graph, store } = services.value;
    if (!graph)
      return fail({
        code: "graph_off",
        what: "The graph is off.",
        data: "Nothing was stored.",
        next: "Set graph.enabled to true.",
        exit: 1,
      });
    return ok({ graph, db: store.db, hashKey: secretKey(paths.home) });
  };
