// Facts and episodes that a transaction changed: recall learns of them together, at its end.
import type { Unit } from "../../../store/unit.ts";
import { indexed, type RecallSource } from "../../recall/store/source.ts";
import { episodeSource, factSource } from "./recall-source.ts";

/** Between other writes each row would cost the index a flush. A row that is gone at the end leaves the index. */
export class ChangedRows {
  readonly #sources = new Map<string, RecallSource>();

  fact(uuid: string): void {
    this.#sources.set(uuid, factSource);
  }

  episode(uuid: string): void {
    this.#sources.set(uuid, episodeSource);
  }

  *indexed(): Unit<void> {
    yield* indexed([...this.#sources].map(([id, source]) => ({ id, source })));
  }
}

/** The work, and then the rows that it changed. */
export function* indexing<T>(work: (changed: ChangedRows) => Unit<T>): Unit<T> {
  const changed = new ChangedRows();
  const value = yield* work(changed);
  yield* changed.indexed();
  return value;
}
