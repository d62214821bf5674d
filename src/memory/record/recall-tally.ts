// How often memories were shown, gathered for a while and written together: many prompts at once would wait for one another's rows.
import { execute, type RowStore } from "../../store/unit.ts";

export class RecallTally {
  readonly #store: RowStore;
  readonly #now: () => string;
  #counts = new Map<string, number>();

  constructor(store: RowStore, now: () => string) {
    this.#store = store;
    this.#now = now;
  }

  add(ids: readonly string[]): void {
    for (const id of ids) this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1);
  }

  /** What cannot be written now is not counted: it says nothing about the records themselves. */
  async flush(): Promise<void> {
    const counts = this.#counts;
    if (counts.size === 0) return;
    this.#counts = new Map();
    const byCount = Map.groupBy([...counts.keys()].sort(), (id) => counts.get(id) ?? 0);
    const at = this.#now();
    await this.#store.write(
      function* () {
        for (const [count, ids] of byCount)
          yield* execute(
            "UPDATE memories SET recalls = recalls + ?, last_recalled_at = ? WHERE id IN (SELECT value FROM json_each(?))",
            ...[count, at, JSON.stringify(ids)],
          );
      },
      { holds: true },
    );
  }
}
