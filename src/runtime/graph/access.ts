// The user's own hand on the graph: looking, changing, and what waits to be read.
import { optional } from "../../base/optional.ts";
import { fail, ok } from "../../base/result.ts";
import type { GraphStore } from "../../memory/graph/contract.ts";
import type { TemporalGraph } from "../../memory/graph/graph.ts";
import { embeddedGraph } from "../../memory/graph/store/embedded.ts";
import type { OutboxRow } from "../../memory/graphiti/outbox-row.ts";
import { readRows } from "../../memory/graphiti/queue.ts";
import type { Database } from "../../store/sqlite.ts";
import type { GraphAccess } from "../client/graph.ts";
import type { Workspace } from "../workspace.ts";
import { backfill } from "./backfill.ts";
import { graphChange } from "./change.ts";
import { GraphChoices } from "./choice.ts";
import { useOf } from "./extractor-model.ts";
import { graphOff } from "./graph-off.ts";
import { graphitiStatus, isOutboxId, requeueOutbox } from "./graphiti-access.ts";
import { graphLook } from "./look.ts";
import { promoting } from "./promote.ts";

/** With the graph switched off: what concerns the Graphiti server works, and the rest says why it does not. */
export function accessWithoutGraph(workspace: Workspace, db: Database): GraphAccess {
  const off = async () => fail(graphOff);
  return {
    ...{
      search: off,
      facts: off,
      entity: off,
      timeline: off,
      communities: off,
      add: off,
      end: off,
      separate: off,
      forget: off,
      episodes: off,
    },
    ...promoting(workspace, undefined, db),
    requeue: (ids, to) => requeueOutbox(workspace, db, ids, to),
    backfill: (...request) => backfillHere({ workspace, graph: undefined, db }, ...request),
    queue: async () => ok({ episodes: [], outbox: outboxOf(workspace, db) }),
    status: () => statusOf(workspace, embeddedGraph(db), db, false),
  };
}

/** Ctrl+C ends the work, not the process: what was done is told. */
async function backfillHere(
  parts: Parameters<typeof backfill>[0],
  ...[choice, onProgress]: Parameters<GraphAccess["backfill"]>
): ReturnType<GraphAccess["backfill"]> {
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  process.once("SIGINT", interrupt);
  try {
    return await backfill(parts, choice, { signal: stop.signal, onProgress });
  } finally {
    process.off("SIGINT", interrupt);
  }
}

const outboxOf = ({ root }: Workspace, db: Database): OutboxRow[] =>
  readRows(db, { root, states: ["queued", "sending", "accepted", "parked"] });

async function statusOf(
  workspace: Workspace,
  store: Pick<GraphStore, "counts">,
  db: Database,
  enabled: boolean,
): ReturnType<GraphAccess["status"]> {
  const counts = await store.counts();
  if (!counts.ok) return counts;
  const graphiti = await graphitiStatus(workspace, db);
  const extractor = workspace.settings.values["graph.extractor"];
  return ok({ ...counts.value, enabled, extractor, model: useOf(db), graphiti });
}

export function graphAccess(
  workspace: Workspace,
  graph: TemporalGraph<unknown>,
  db: Database,
  session?: string,
): GraphAccess {
  const { store } = graph;
  const choices = new GraphChoices(workspace, session);
  return {
    ...graphLook(graph, choices, workspace.settings.values["graph.communities"]),
    ...graphChange(workspace, graph, choices),
    ...promoting(workspace, graph, db),
    episodes: ({ group, states }) =>
      store.episodes({
        ...optional("groups", group === undefined ? undefined : [group]),
        ...optional("states", states),
      }),
    async requeue(ids, to) {
      const outgoing = await requeueOutbox(workspace, db, ids, to);
      if (!outgoing.ok) return outgoing;
      const episodes = ids.filter((id) => !isOutboxId(id));
      if (ids.length > 0 && episodes.length === 0) return outgoing;
      const count = await store.requeue({ to, ...optional("episodes", ids.length > 0 ? episodes : undefined) });
      return count.ok ? ok(count.value + outgoing.value) : count;
    },
    async queue() {
      const episodes = await store.episodes({ states: ["queued", "running", "parked"] });
      if (!episodes.ok) return episodes;
      return ok({ episodes: episodes.value, outbox: outboxOf(workspace, db) });
    },
    backfill: (...request) => backfillHere({ workspace, graph, db }, ...request),
    status: () => statusOf(workspace, store, db, true),
  };
}
