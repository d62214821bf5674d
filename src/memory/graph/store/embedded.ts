// The graph in store.db: one writer at a time, so that whoever waits for an answer comes first.
import type { Clock } from "../../../base/clock.ts";
import { systemClock } from "../../../base/clock.ts";
import { isAlive } from "../../../host/survivors.ts";
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

export function embeddedGraph(db: Database, clock: Clock = systemClock): GraphStore {
  const rows = embeddedStore(db);
  return graphStore(rows, {
    clock,
    hasDied,
    writes: together(rows, { ...SHARED, othersQuietMs: () => quietMsOf(db) }),
  });
}

/** A name that ends in no process of this machine tells nothing: its lease counts. */
function hasDied(worker: string): boolean {
  const pid = Number(/\.(\d+)$/.exec(worker)?.[1] ?? 0);
  return pid > 0 && !isAlive(pid);
}
