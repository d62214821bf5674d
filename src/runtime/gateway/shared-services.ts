// The proxy's store, index and searcher of this home, opened once and shared by requests and management.

import { errorText } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { fail, isFailure, ok, type Result } from "../../base/result.ts";
import { SharedOpening } from "../../base/shared-opening.ts";
import { activePins } from "../../memory/pin/pin.ts";
import { embeddedItemIndex } from "../../proxy/remember/item-index.ts";
import { Remember } from "../../proxy/remember/remember.ts";
import type { ProxySettings } from "../../proxy/settings.ts";
import { Checkpointer } from "../../store/checkpoint.ts";
import { type Fault, faultAt } from "../../store/fault.ts";
import { rebuiltText } from "../../store/rebuild/rebuilt-text.ts";
import { lossWatch } from "../../store/rebuild/suspect.ts";
import { type Database, takeTurns } from "../../store/sqlite.ts";
import { FileWatch } from "../../store/watch-file.ts";
import { WriteTurn } from "../../store/write-turn.ts";
import { GRAPH_CLOSE_MS } from "../graph/close-limit.ts";
import { graphOn, readsByRules } from "../graph/graph.ts";
import { embedderSettings, openRecall } from "../recall/engine.ts";
import { RecallRepair } from "../recall/repair.ts";
import { openStore, tellRebuilt } from "../store.ts";
import { redactorOf, secretKey, type Workspace } from "../workspace.ts";
import { FolderLinks } from "./folder-links.ts";
import { GraphFeed } from "./graph-feed.ts";
import type { HomeServices, OpenHomeServices } from "./home-services.ts";
import { proxyPlace, proxyStoreOn } from "./proxy-store.ts";
import { StorageThread } from "./storage.ts";

export type SharedServices = {
  open: OpenHomeServices;
  /** What is wrong with the store's file, as of now. */
  finding(): string | undefined;
  /** Whoever opened it; a second call does nothing. */
  close(): Promise<void>;
};
type Trouble = (part: string, trouble: { code: string; message: string }) => void;

/** How long the first request waits while another process holds the whole store. */
const OPEN_MS = 500;

/** One store for everybody who asks: SQLite's locks do not bear a second one in a process. Tried again after a failure. */
export function sharedServices(workspace: Workspace, settings: ProxySettings, onTrouble: Trouble): SharedServices {
  const opening = new SharedOpening(
    () =>
      openServices(workspace, settings, onTrouble).catch((error: unknown) =>
        // A database of somebody else: the schema does not fit it.
        fail(faultAt("store_corrupt", workspace.paths.store, errorText(error))),
      ),
    isFailure,
  );
  const retired: HomeServices[] = [];
  let watch: FileWatch | undefined;
  return {
    async open() {
      const services = await opening.get();
      if (!services.ok) return services;
      watch ??= new FileWatch(workspace.paths.store);
      if (!services.value.isLost()) return services;
      // What waits to be stored is gone with it, and comes again with the next requests.
      opening.forget();
      watch = undefined;
      retired.push(services.value);
      void services.value.remember.close();
      return this.open();
    },
    finding: () => watch?.finding(),
    async close() {
      const current = await opening.current();
      if (current?.ok) await current.value.close();
      for (const old of retired.splice(0)) await old.close();
    },
  };
}

async function openServices(
  workspace: Workspace,
  settings: ProxySettings,
  onTrouble: Trouble,
): Promise<Result<HomeServices, Fault>> {
  const { paths } = workspace;
  const db = await openStore(paths, {
    recall: workspace.indexing.recall,
    limitMs: OPEN_MS,
    onRebuilt: (rebuilt) => {
      tellRebuilt(rebuilt);
      onTrouble("store", { code: "store_rebuilt", message: rebuiltText(rebuilt) });
    },
  });
  if (!db.ok) return db as Result<never, Fault>;
  const store = proxyStoreOn(workspace, settings, db.value, (message) =>
    onTrouble("log", { code: "log_damaged", message }),
  );
  const tell = (trouble: { code: string; message: string }): void => onTrouble("recall", trouble);
  const repair = new RecallRepair(db.value, workspace, tell);
  repair.resume();
  const recall = openRecall(workspace, db.value, {
    mayChoose: true,
    onTrouble: tell,
    onDamaged: (message) => repair.noticed(message),
  });
  const redactor = redactorOf(workspace);
  const guarded = repair.guard(() => recall.writer);
  const index = embeddedItemIndex(() => guarded);
  const storage = storageFor(workspace, settings, db.value, (part, message) => {
    if (part === "index") repair.noticed(message);
    else onTrouble(part, { code: part === "log" ? "log_damaged" : "graph_failed", message });
  });
  const remember = new Remember({
    ...{ store, storage },
    mode: settings.store,
    onTrouble: (trouble) => onTrouble("store", trouble),
    onStored: () => recall.embedSoon(),
  });
  const graphFailed = (message: string): void => onTrouble("graph", { code: "graph_failed", message });
  const graph = graphOn(workspace, db.value, recall, graphFailed, storage.ingest);
  graph?.wake();
  const links = new FolderLinks(db.value, (notice) => onTrouble("graphiti", notice));
  const waking = links.wake().catch((error: unknown) => {
    onTrouble("graphiti", { code: "graphiti_failed", message: errorText(error) });
  });
  const feed = new GraphFeed({
    ...{ workspace, db: db.value, graph, links, remember },
    elsewhere: readsByRules(workspace) ? storage.feedGraph : undefined,
    onTrouble: graphFailed,
  });
  const checkpointer = new Checkpointer(db.value, { elsewhere: storage });
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await feed.close();
    await waking;
    await links.close();
    await graph?.close(GRAPH_CLOSE_MS);
    await repair.close();
    await remember.close();
    await recall.close();
    await checkpointer.close();
    await storage.close();
    db.value.close();
  };
  const isLost = lossWatch(paths.store);
  return ok({
    store,
    db: db.value,
    recall,
    index,
    remember,
    redactor,
    pins: (owners) => activePins(db.value, owners),
    ...optional("graph", graph),
    feed: (session, folder) => feed.answered(session, folder),
    isLost,
    close: () => (closed ??= close()),
  });
}

/** Items are filtered, stored, indexed and logged in a thread of its own, and the rules read the graph's episodes there. */
function storageFor(
  workspace: Workspace,
  settings: ProxySettings,
  db: Database,
  onTrouble: (part: "log" | "graph" | "index", message: string) => void,
): StorageThread {
  const { paths } = workspace;
  const turn = new WriteTurn("front");
  takeTurns(db, turn);
  return new StorageThread({
    ...{ store: paths.store, journal: paths.journal, quarantine: paths.quarantine, turn, onTrouble },
    proxy: proxyPlace(workspace, settings),
    filter: { key: secretKey(paths.home), known: [...workspace.secrets] },
    index: {
      searchable: workspace.settings.values["recall.enabled"],
      vectors: embedderSettings(workspace, true) !== undefined,
    },
    readsGraph: readsByRules(workspace),
  });
}
