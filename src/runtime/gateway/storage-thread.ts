// The storing thread's own program: a connection of its own that filters, stores and indexes. The file is loaded twice: by the main thread for its address, by the thread to run.
import { isMainThread, parentPort, workerData } from "node:worker_threads";
import { errorText } from "../../base/failure.ts";
import { isRecord } from "../../base/json.ts";
import { heapKeeper } from "../../base/release-memory.ts";
import { SharedOpening } from "../../base/shared-opening.ts";
import { rulesExtractor } from "../../memory/graph/extract/rules.ts";
import { TemporalGraph } from "../../memory/graph/graph.ts";
import { embeddedGraph } from "../../memory/graph/store/embedded.ts";
import { isDamage } from "../../memory/recall/store/damage.ts";
import { keepsVectors } from "../../memory/recall/store/note.ts";
import { RecallWriter } from "../../memory/recall/store/write.ts";
import { secretFilter, secretRedactor } from "../../memory/secret/filter.ts";
import type { FolderPlace } from "../../proxy/files/folder.ts";
import { embeddedItemIndex, type ItemIndexWriter } from "../../proxy/remember/item-index.ts";
import { type ItemStorage, storageOn } from "../../proxy/remember/storage.ts";
import { createProxyStore, type ProxyStoreOptions } from "../../proxy/store/handle.ts";
import { MOST_LOG_PAGES } from "../../store/checkpoint.ts";
import { openJournal } from "../../store/journal/journal.ts";
import { storeJournal } from "../../store/journal/tables.ts";
import { isSuspect } from "../../store/rebuild/suspect.ts";
import { type Database, openDatabase, takeTurns } from "../../store/sqlite.ts";
import { WriteTurn } from "../../store/write-turn.ts";
import { acceptMessages } from "../graph/feed.ts";
import { corruptIndex } from "../recall/repair.ts";
import { type AcceptNewTurns, unreadTurns } from "./graph-feed.ts";
import { proxyOn } from "./proxy-store.ts";

export type StorageData = {
  /** The store's file, its journal, and where damaged pieces go. */
  store: string;
  journal: string;
  quarantine: string;
  proxy: Pick<ProxyStoreOptions, "key" | "tenancy"> & { folder: FolderPlace };
  filter: { key: string; known: readonly string[] };
  index: { searchable: boolean; vectors: boolean };
  /** Whether the rules read the graph's episodes here. */
  readsGraph: boolean;
  /** Threads before this one. */
  endedThreads: readonly number[];
  turn: SharedArrayBuffer;
};
export type StorageJobs = ItemStorage & {
  wakeGraph(): Promise<void>;
  idleGraph(limitMs: number): Promise<boolean>;
  closeGraph(limitMs: number): Promise<void>;
  feedGraph: AcceptNewTurns;
  checkpoint(): Promise<void>;
  close(): Promise<void>;
};
export type StorageAsk = { id: number; job: keyof StorageJobs; args: readonly unknown[] };
export type StorageReply =
  | { type: "answer"; id: number; value: unknown }
  /** A bug, or a store that cannot be opened. */
  | { type: "failed"; id: number; message: string }
  | { type: "trouble"; part: "log" | "graph" | "index"; message: string }
  /** The store's file is damaged. */
  | { type: "suspect" };

export const threadUrl = import.meta.url;

if (!isMainThread && isRecord(workerData) && "everlongStorage" in workerData)
  serve((workerData as { everlongStorage: StorageData }).everlongStorage);

const tell = (reply: StorageReply): void => parentPort?.postMessage(reply);

function serve(data: StorageData): void {
  // Tried again with the next job after a failure.
  const opening = new SharedOpening(() => open(data));
  const keepHeapSmall = heapKeeper();
  let isTold = false;
  parentPort?.on("message", async ({ id, job, args }: StorageAsk) => {
    try {
      const work = (await opening.get())[job] as (...values: readonly unknown[]) => Promise<unknown>;
      tell({ type: "answer", id, value: await work(...args) });
    } catch (error) {
      tell({ type: "failed", id, message: errorText(error) });
    }
    keepHeapSmall();
    // Once: by the next job the file may have been made anew, and this thread still has the old one open.
    if (!isTold && isSuspect(data.store)) {
      isTold = true;
      tell({ type: "suspect" });
    }
  });
}

async function open(data: StorageData): Promise<StorageJobs> {
  const { store: path, journal: folder, quarantine, readsGraph, endedThreads } = data;
  const connected = await openDatabase(path);
  if (!connected.ok) throw new Error(connected.error.what);
  const db = connected.value;
  // The main thread has the checkpoints made; a commit does it only when the log has grown far too long.
  db.exec(`PRAGMA wal_autocheckpoint = ${MOST_LOG_PAGES}`);
  const level = await openJournal(db, { folder, quarantine, tables: storeJournal });
  if (!level.ok) throw new Error(level.error.what);
  takeTurns(db, new WriteTurn("back", data.turn));
  const { folder: place, ...proxy } = data.proxy;
  const onDamaged = (message: string): void => tell({ type: "trouble", part: "log", message });
  const store = createProxyStore({ ...proxyOn(db, { ...place, onDamaged }), ...proxy });
  const writer = indexWriter(db, data.index);
  const redactor = secretRedactor(data.filter.key, data.filter.known);
  const graph = readsGraph
    ? new TemporalGraph({
        ...{ store: embeddedGraph(db, endedThreads), extractor: rulesExtractor },
        redact: secretFilter(data.filter.key, data.filter.known),
        search: () => Promise.reject(new Error("the storing thread searches nothing")),
        onTrouble: ({ message }) => tell({ type: "trouble", part: "graph", message }),
      })
    : undefined;
  return {
    ...storageOn({ store, redactor, index: embeddedItemIndex(() => writer) }),
    // Answered when it has an effect: who posts much need not say so every time.
    async wakeGraph() {
      graph?.wake();
      await graph?.heard();
    },
    idleGraph: async (limitMs) => (await graph?.idle(limitMs)) ?? true,
    closeGraph: async (limitMs) => graph?.close(limitMs),
    feedGraph: async (session, groups, maxChars) =>
      graph && acceptMessages(graph, maxChars, groups, unreadTurns(db, session)),
    // Passive: it waits for nobody, and nobody for it.
    checkpoint: async () => db.exec("PRAGMA wal_checkpoint(PASSIVE)"),
    close: async () => db.close(),
  };
}

function indexWriter(db: Database, { searchable, vectors }: StorageData["index"]): ItemIndexWriter {
  const guarded = <T>(work: (writer: RecallWriter) => T): T => {
    try {
      return work(new RecallWriter(db, { embed: vectors && keepsVectors(db) }));
    } catch (error) {
      if (isDamage(error)) tell({ type: "trouble", part: "index", message: errorText(error) });
      throw isDamage(error) ? corruptIndex(error) : error;
    }
  };
  return {
    add: (items) => (searchable ? guarded((writer) => writer.add(items)) : 0),
    remove: (ids) => guarded((writer) => writer.remove(ids)),
    removeSession: (place) => guarded((writer) => writer.removeSession(place)),
  };
}
