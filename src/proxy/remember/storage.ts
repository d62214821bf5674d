// What becomes of items in the store: filtered, stored, indexed, logged when they leave a request, summed up. Here, or in a thread of its own.
import { setImmediate as nextRound } from "node:timers/promises";
import { ok, type Result } from "../../base/result.ts";
import type { Fault } from "../../store/fault.ts";
import type { ProxySession } from "../store/session.ts";
import { updateAnchor } from "./anchor.ts";
import { dropItems, flushEvents } from "./events.ts";
import { filterItem, type SaidItem, type Storing, storeItems } from "./store-items.ts";

/** Everything goes in and comes out as plain values. */
export type ItemStorage = {
  /** In one transaction. Gives the places of those that the filter failed on; the others are stored and findable. */
  store(items: readonly SaidItem[], when: "now" | "later"): Promise<Result<number[], Fault>>;
  /** Marks stored items as left out and writes their lines. */
  drop(session: ProxySession, lane: number, owns: readonly string[]): Promise<Result<unknown, Fault>>;
  /** Writes the lines that are due; gives what went wrong. */
  flush(sessions: readonly ProxySession[]): Promise<{ session: ProxySession; fault: Fault }[]>;
  /** Brings the anchor up to date from items that have just left a request. */
  anchor(session: ProxySession, owns: readonly string[], maxChars: number): Promise<Result<unknown, Fault>>;
};

export function storageOn(storing: Storing): ItemStorage {
  const { store } = storing;
  return {
    async store(items, when) {
      const ready: Parameters<typeof storeItems>[1][number][] = [];
      const refused: number[] = [];
      for (const [at, { said, ...item }] of items.entries()) {
        const clean = filterItem(storing, said);
        if (clean.ok) ready.push({ ...item, ...clean.value });
        else refused.push(at);
        await nextRound();
      }
      const stored = await storeItems(storing, ready, when);
      return stored.ok ? ok(refused) : stored;
    },
    drop: (session, lane, owns) => dropItems(store, session, lane, owns, "proxy"),
    async flush(sessions) {
      const faults: { session: ProxySession; fault: Fault }[] = [];
      for (const session of sessions) {
        // The gateway has ended meanwhile: what is due is written with the session's next request.
        if (!store.isOpen()) break;
        const logged = await flushEvents(store, session);
        if (!logged.ok) faults.push({ session, fault: logged.error });
      }
      return faults;
    },
    anchor: (session, owns, maxChars) => updateAnchor(store, session, owns, { maxChars }),
  };
}
