// The lanes that this process served lately: while the store cannot be reached, what is in force for them is still applied.
import type { HistoryItem, RequestCaller } from "../contract.ts";
import { chainOf, type StoredLane } from "../store/lane-row.ts";
import type { ProxySession } from "../store/session.ts";

type KnownLane = { owner: string; session: ProxySession; lane: StoredLane; chars: number };

const MOST = 500;
const MOST_CHARS = 16 * 1024 * 1024;

export class KnownLanes {
  readonly #lanes = new Map<number, KnownLane>();
  #chars = 0;

  /** As it was committed. A lane without cut and insertions needs nobody to remember it: its requests go as they come. */
  note(caller: RequestCaller, session: ProxySession, lane: StoredLane): void {
    this.#drop(lane.id);
    if (!lane.cut && lane.insertions.length === 0) return;
    const chars = sizeOf(lane);
    this.#lanes.set(lane.id, { owner: ownerOf(caller), session, lane, chars });
    this.#chars += chars;
    for (const oldest of this.#lanes.keys()) {
      if (this.#lanes.size <= MOST && this.#chars <= MOST_CHARS) break;
      this.#drop(oldest);
    }
  }

  /** The longest lane of the same caller that the history goes on with. */
  find(caller: RequestCaller, items: readonly HistoryItem[]): { session: ProxySession; lane: StoredLane } | undefined {
    const chain = chainOf(items);
    const owner = ownerOf(caller);
    let longest: KnownLane | undefined;
    for (const one of this.#lanes.values()) {
      const { length, tail } = one.lane;
      if (one.owner !== owner || chain[length - 1]?.id !== tail) continue;
      if (!longest || length > longest.lane.length) longest = one;
    }
    return longest;
  }

  #drop(lane: number): void {
    this.#chars -= this.#lanes.get(lane)?.chars ?? 0;
    this.#lanes.delete(lane);
  }
}

const ownerOf = ({ identity, family, session }: RequestCaller): string =>
  JSON.stringify([identity, family, session?.key]);

const LINK_CHARS = 64;
const sizeOf = ({ cut, insertions }: StoredLane): number =>
  insertions.reduce((sum, { text }) => sum + text.length, 0) +
  Object.values(cut?.shortened ?? {}).reduce((sum, json) => sum + json.length, 0) +
  (cut?.dropped.length ?? 0) * LINK_CHARS;
