// Items on their way into the index of recall, of all sessions of one transaction: their words are written last and at once.
import type { Item } from "../../memory/recall/item.ts";
import { keepsVectors } from "../../memory/recall/store/note.ts";
import { RecallWriter } from "../../memory/recall/store/write.ts";
import type { Database } from "../../store/sqlite.ts";

/**
 * Inside the caller's transaction. A statement that may have to be undone makes SQLite write out all words that came before it,
 * as one more piece that has to be merged later; so rows of sessions come first.
 */
export class RecallQueue {
  readonly #writer: RecallWriter;
  #items: Item[] = [];

  constructor(db: Database) {
    this.#writer = new RecallWriter(db, { embed: keepsVectors(db) });
  }

  add(item: Item): void {
    this.#items.push(item);
  }

  /** Also of what waits. */
  markRewound(session: string, fromTurn: number): void {
    this.write();
    this.#writer.markRewound({ session }, fromTurn);
  }

  write(): void {
    const items = this.#items;
    this.#items = [];
    this.#writer.add(items);
  }
}
