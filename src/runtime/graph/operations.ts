// The graph over HTTP on the gateway's own store: the views of the command line, and what only a home has.
import { fail, ok } from "../../base/result.ts";
import type { TemporalGraph } from "../../memory/graph/graph.ts";
import type { GraphOperations, OpenGraphOperations } from "../../server/manage/graph.ts";
import type { Database } from "../../store/sqlite.ts";
import type { OpenHomeServices } from "../gateway/home-services.ts";
import type { Workspace } from "../workspace.ts";
import { graphAccess } from "./access.ts";
import { GraphChoices } from "./choice.ts";
import { graphOff } from "./graph-off.ts";
import { pinOperations, pinsBySource } from "./pins.ts";
import { graphViews } from "./views.ts";

export const openGraphOperations =
  (workspace: Workspace, open: OpenHomeServices): OpenGraphOperations =>
  async () => {
    const services = await open();
    if (!services.ok) return services;
    const { graph, db } = services.value;
    return graph ? ok(operationsOn(workspace, graph, db)) : fail(graphOff);
  };

function operationsOn(workspace: Workspace, graph: TemporalGraph<unknown>, db: Database): GraphOperations {
  const access = graphAccess(workspace, graph, db);
  return {
    ...graphViews(graph, new GraphChoices(workspace, undefined), (_kind, id) => access.forget({ id })),
    undoPromotion: (id) => access.undo(id),
    async promotions() {
      const rows = await access.promotions({ scope: "all" });
      if (!rows.ok) return rows;
      const pins = pinsBySource(db);
      return ok({ promotions: rows.value.map((row) => ({ ...row, pin: pins.get(row.id) ?? null })) });
    },
    ...pinOperations(graph, db),
  };
}
