// Rows of the index that searches have read, remembered between them: a conversation is asked about more than once.
import { removals } from "../../../store/terms.ts";
import { oneRow, type Unit } from "../../../store/unit.ts";
import type { ItemPlace } from "../item.ts";
import { ANALYSER } from "../text/tokens.ts";
import type { IndexedItem, StoredPassage } from "./indexed-item.ts";
import { SmallIndex } from "./small-index.ts";

export type KnownPlace = { place: ItemPlace; scopes: number[] };

/** More than these are not kept. */
const MOST_PASSAGES = 4_000;

const STORED = `SELECT sum(passages) AS n, (SELECT value FROM recall_note WHERE name = 'analyser') AS analyser
  FROM recall_scope_size WHERE type = 'all' AND value = ''`;

/** A row of the index is never changed under its number: all are forgotten when something was taken out or taken back. */
export class KnownRows {
  readonly passages = new Map<number, StoredPassage>();
  readonly items = new Map<number, IndexedItem>();
  /** By item: the passages that it begins with. */
  readonly beginnings = new Map<number, StoredPassage[]>();
  readonly places = new Map<number, KnownPlace>();
  /** Everything under its words, while that is little. */
  small: SmallIndex | undefined;
  #removed: string | undefined;
  #searches = 0;

  /** Before the first row of each search. */
  *renew(): Unit<void> {
    const removed = yield* removals();
    if (removed !== this.#removed) this.small = undefined;
    if (removed !== this.#removed || this.passages.size > MOST_PASSAGES)
      for (const rows of [this.passages, this.items, this.beginnings, this.places]) rows.clear();
    this.#removed = removed;
    // Who asks only once would wait longer for the reading than for the answer.
    if (this.#searches++ > 0) yield* this.#renewSmall();
  }

  *#renewSmall(): Unit<void> {
    const stored = yield* oneRow(STORED);
    // Until the words are read anew the old ones answer.
    const isHeld = SmallIndex.holds(Number(stored?.["n"])) && stored?.["analyser"] === ANALYSER;
    this.small = isHeld ? (this.small ?? new SmallIndex()) : undefined;
    if (this.small) yield* this.small.renew();
  }
}
