// The user's own hand on the graph: looking, changing, and what waits to be read.
import { optional } from "../../base/optional.ts";
import { ok } from "../../base/result.ts";
import type { TemporalGraph } from "../../memory/graph/graph.ts";
import type { Database } from "../../store/sqlite.ts";
import type { GraphAccess } from "../client/graph.ts";
import type { Workspace } from "../workspace.ts";
import { graphChange } from "./change.ts";
import { GraphChoices } from "./choice.ts";
import { useOf } from "./extractor-model.ts";
import { graphLook } from "./look.ts";
import { promoting } from "./promote.ts";

export function graphAccess(
  workspace: Workspace,
  graph: TemporalGraph<unknown>,
  db: Database,
  session?: string,
): GraphAccess {
  const { store } = graph;
  const choices = new GraphChoices(workspace, session);
  return {
    ...graphLook(graph, choices),
    ...graphChange(workspace, graph, choices),
    ...promoting(workspace, graph, db),
    episodes: ({ group, states }) =>
      store.episodes({
        ...optional("groups", group === undefined ? undefined : [group]),
        ...optional("states", states),
      }),
    requeue: (ids, to) => store.requeue({ to, ...optional("episodes", ids.length > 0 ? ids : undefined) }),
    async status() {
      const counts = await store.counts();
      if (!counts.ok) return counts;
      return ok({
        ...counts.value,
        enabled: true,
        extractor: workspace.settings.values["graph.extractor"],
        model: useOf(db),
      });
    },
  };
}
