// Rows of the index that searches have read, remembered between them: a conversation is asked about more than once.
import { removals } from "../../../store/terms.ts";
import { oneRow, type Unit } from "../../../store/unit.ts";
import type { ItemPlace } from "../item.ts";
import { readings } from "../text/reading.ts";
import { ANALYSER } from "../text/tokens.ts";
import type { IndexedItem, StoredPassage } from "./indexed-item.ts";
import type { ResolvedScope } from "./scope.ts";
import { SmallIndex } from "./small-index.ts";

export type KnownPlace = { place: ItemPlace; scopes: number[] };

/** More than these are not kept. */
const MOST_PASSAGES = 4_000;
const MOST_INDEXED = 4_000;
/** So many are read ahead before the next search gets its turn. */
const AT_ONCE = 40;
/** No session has this number. */
const EVERYTHING = 0;

const STORED = `SELECT sum(passages) AS n, (SELECT value FROM recall_note WHERE name = 'analyser') AS analyser
  FROM recall_scope_size WHERE type = 'all' AND value = ''`;

/** A row of the index is never changed under its number: all are forgotten when something was taken out or taken back. */
export class KnownRows {
  readonly passages = new Map<number, StoredPassage>();
  readonly items = new Map<number, IndexedItem>();
  /** By item: the passages that it begins with. */
  readonly beginnings = new Map<number, StoredPassage[]>();
  readonly places = new Map<number, KnownPlace>();
  /** One of everything, and those of sessions by their number; the one that was asked last stands last. */
  readonly #indexes = new Map<number, SmallIndex>();
  /** Somebody reads what is wanted before it is asked for: no search has to. */
  #isReadAhead = false;
  #removed: string | undefined;

  /** Before the first row of each search. */
  *renew(): Unit<void> {
    const removed = yield* removals();
    if (removed !== this.#removed) this.#indexes.clear();
    if (removed !== this.#removed || this.passages.size > MOST_PASSAGES)
      for (const rows of [this.passages, this.items, this.beginnings, this.places]) rows.clear();
    this.#removed = removed;
  }

  /** What a search in that scope can be answered from. Who asks only once would wait longer for the reading than for the answer. */
  *indexFor(scope: ResolvedScope): Unit<SmallIndex | undefined> {
    const { index, isNew, left } = yield* this.#indexOf(scope);
    if (isNew || (this.#isReadAhead && left > AT_ONCE)) return undefined;
    if (index && left > 0) yield* index.renew();
    return index;
  }

  /** Reads a little of what searches in that scope will want; gives how many passages, none when there are no more. */
  *readAhead(scope: ResolvedScope): Unit<number> {
    this.#isReadAhead = true;
    const { index, left } = yield* this.#indexOf(scope);
    const texts = index && left > 0 ? yield* index.renew(AT_ONCE) : [];
    for (const text of texts) readings().of(text);
    return texts.length;
  }

  /** The index in memory that a scope has, where it has one, and how many passages it has not read yet. */
  *#indexOf({ session, passages }: ResolvedScope): Unit<{ index?: SmallIndex; isNew: boolean; left: number }> {
    const stored = yield* oneRow(STORED);
    const all = Number(stored?.["n"]);
    const isSmall = SmallIndex.holds(all);
    if (!isSmall) this.#indexes.delete(EVERYTHING);
    const [key, size] = isSmall ? [EVERYTHING, all] : [session, passages];
    // Until the words are read anew the old ones answer.
    if (key === undefined || !SmallIndex.holds(size) || stored?.["analyser"] !== ANALYSER)
      return { isNew: true, left: 0 };
    const earlier = this.#indexes.get(key);
    const index = earlier ?? new SmallIndex(key === EVERYTHING ? undefined : key);
    this.#indexes.delete(key);
    this.#indexes.set(key, index);
    this.#keepNewest();
    return { index, isNew: earlier === undefined, left: size - index.passages };
  }

  #keepNewest(): void {
    let sum = 0;
    for (const [key, { passages }] of [...this.#indexes].reverse()) {
      sum += passages;
      if (sum > MOST_INDEXED) this.#indexes.delete(key);
    }
  }
}
