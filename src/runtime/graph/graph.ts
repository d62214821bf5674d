// The graph of this home with this run's settings: who reads its episodes, and where its facts are searched.

import { optional } from "../../base/optional.ts";
import { fail, ok } from "../../base/result.ts";
import type { GraphStore } from "../../memory/graph/contract.ts";
import { type ExtractorUse, llmExtractor } from "../../memory/graph/extract/llm.ts";
import { rulesExtractor } from "../../memory/graph/extract/rules.ts";
import { type EpisodeReader, TemporalGraph } from "../../memory/graph/graph.ts";
import type { Extractor } from "../../memory/graph/ingest.ts";
import { embeddedGraph } from "../../memory/graph/store/embedded.ts";
import type { Recall } from "../../memory/recall/recall.ts";
import type { OpenGraph } from "../../server/graphiti/contract.ts";
import { embeddedStore } from "../../store/embedded-store.ts";
import { type Database, write } from "../../store/sqlite.ts";
import type { GraphAccess } from "../client/graph.ts";
import type { ResultPromise } from "../client/open.ts";
import type { OpenHomeServices } from "../gateway/home-services.ts";
import { openRecall } from "../recall/engine.ts";
import { healing, openCaughtUp } from "../store.ts";
import { secretKey, type Workspace } from "../workspace.ts";
import { accessWithoutGraph, graphAccess } from "./access.ts";
import { addUse, askExtractor } from "./extractor-model.ts";
import { graphOff } from "./graph-off.ts";

/** Undefined: the settings want none. `ingest`: where the rules do their reading, if not here. */
export function graphOn(
  workspace: Workspace,
  db: Database,
  recall: Pick<Recall, "search">,
  onTrouble: (message: string) => void,
  ingest?: EpisodeReader,
): TemporalGraph<unknown> | undefined {
  const { settings, redact } = workspace;
  const { values } = settings;
  if (!values["memory.enabled"] || !values["graph.enabled"]) return undefined;
  const store = embeddedGraph(db);
  return new TemporalGraph<unknown>({
    store,
    ...optional(
      "extractor",
      extractorOf(workspace, store, (use) => write(db, () => addUse(db, use))),
    ),
    ...optional("ingest", readsByRules(workspace) ? ingest : undefined),
    redact,
    search: (request) => recall.search(request),
    onTrouble: ({ message }) => onTrouble(message),
  });
}

/** Whether the rules alone read what comes in: then a thread can do it. */
export const readsByRules = ({ settings: { values } }: Pick<Workspace, "settings">): boolean =>
  values["memory.enabled"] && values["graph.enabled"] && values["graph.extractor"] === "rules";

/** Undefined: the settings want none. `onUse`: what the calls of a model cost. */
export function extractorOf(
  workspace: Workspace,
  store: GraphStore,
  onUse: (use: ExtractorUse) => Promise<unknown> = async () => undefined,
): Extractor | undefined {
  const { values } = workspace.settings;
  switch (values["graph.extractor"]) {
    case "off":
      return undefined;
    case "rules":
      return rulesExtractor;
    case "llm":
      return llmExtractor({
        ask: askExtractor(workspace),
        batch: values["graph.batch"],
        async similar(group, name) {
          const entities = await store.entities({ groups: [group], near: name, limit: MOST_SIMILAR });
          return entities.ok ? entities.value.map((entity) => entity.name) : [];
        },
        onUse,
      });
  }
}

const MOST_SIMILAR = 5;

/** The graph as the gateway serves it. */
export const openServedGraph =
  ({ paths, settings: { values } }: Workspace, open: OpenHomeServices): OpenGraph =>
  async () => {
    const services = await open();
    if (!services.ok) return services;
    const { graph, db } = services.value;
    if (!graph) return fail(graphOff);
    return ok({
      graph,
      store: embeddedStore(db),
      hashKey: () => secretKey(paths.home),
      groupIds: values["memory.graphiti.groupIdStrategy"],
    });
  };

/** For one command: the graph of this home, closed after the work and the reading that it caused. */
export function withGraph<T>(
  workspace: Workspace,
  work: (access: GraphAccess) => ResultPromise<T>,
  session?: string,
): ResultPromise<T> {
  return healing(workspace.paths, async () => {
    const db = await openCaughtUp(workspace.paths, workspace.indexing);
    if (!db.ok) return db;
    const recall = openRecall(workspace, db.value, { mayChoose: false });
    const search: Recall["search"] = async (...request) => {
      // Who waits for an answer waits for the thread to start, too.
      await recall.start(THREAD_MS);
      return recall.search(...request);
    };
    const graph = graphOn(workspace, db.value, { search }, () => undefined);
    try {
      if (!graph) return await work(accessWithoutGraph(workspace, db.value));
      graph.wake();
      await graph.idle(READ_MS);
      return await work(graphAccess(workspace, graph, db.value, session));
    } finally {
      await graph?.close(READ_MS);
      await recall.close();
      db.value.close();
    }
  });
}

/** How long a command waits for facts of episodes that others left behind. */
const READ_MS = 2000;
const THREAD_MS = 10_000;
