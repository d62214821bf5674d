// The graph in store.db: one writer at a time, so that whoever waits for an answer comes first.
import { endOf } from "../../../host/worker-name.ts";
import { embeddedStore } from "../../../store/embedded-store.ts";
import { type Database, quietMsOf } from "../../../store/sqlite.ts";
import type { GraphStore } from "../contract.ts";
import { graphStore } from "./graph-store.ts";
import { together } from "./together.ts";

/**
 * Messages that are posted come before what is made of them: that waits for a pause between them, but not for ever. Writers
 * who wait for each other's commit come in rounds of 10 to 20 ms: less than that is no pause.
 */
const SHARED = { most: 64, pauseMs: 30, patienceMs: 1000 };

/** `endedThreads`: those of this process; what their workers had in hand is free. */
export function embeddedGraph(db: Database, endedThreads: readonly number[] = []): GraphStore {
  const rows = embeddedStore(db);
  return graphStore(rows, {
    endOf: (worker) => endOf(worker, endedThreads),
    writes: together(rows, { ...SHARED, othersQuietMs: () => quietMsOf(db) }),
  });
}
