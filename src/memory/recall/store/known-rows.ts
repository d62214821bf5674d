// Rows of the index that searches have read, remembered between them: a conversation is asked about more than once.
import { removals } from "../../../store/terms.ts";
import type { Unit } from "../../../store/unit.ts";
import type { ItemPlace } from "../item.ts";
import type { IndexedItem, StoredPassage } from "./indexed-item.ts";

export type KnownPlace = { place: ItemPlace; scopes: number[] };

/** More than these are not kept. */
const MOST_PASSAGES = 4_000;

/** A row of the index is never changed under its number: all are forgotten when something was taken out or taken back. */
export class KnownRows {
  readonly passages = new Map<number, StoredPassage>();
  readonly items = new Map<number, IndexedItem>();
  /** By item: the passages that it begins with. */
  readonly beginnings = new Map<number, StoredPassage[]>();
  readonly places = new Map<number, KnownPlace>();
  #removed: string | undefined;

  /** Before the first row of each search. */
  *renew(): Unit<void> {
    const removed = yield* removals();
    if (removed === this.#removed && this.passages.size <= MOST_PASSAGES) return;
    for (const rows of [this.passages, this.items, this.beginnings, this.places]) rows.clear();
    this.#removed = removed;
  }
}
