// The index of stored items, as the transactions that store and erase them write it.
import type { Item, ItemPlace } from "../../memory/recall/item.ts";
import { addItems, type IndexWriteOptions, removeItems, removeSession } from "../../memory/recall/store/change.ts";
import type { RecallWriter } from "../../memory/recall/store/write.ts";
import { onEmbedded, type Unit } from "../../store/unit.ts";

/** Each is a part of the caller's transaction: stored means findable, erased means gone. */
export type ItemIndex = {
  add(items: readonly Item[]): Unit<void>;
  remove(ids: readonly string[]): Unit<void>;
  removeSession(place: Pick<ItemPlace, "identity" | "session">): Unit<void>;
};

export type ItemIndexWriter = Pick<RecallWriter, "add" | "remove" | "removeSession">;

/** On store.db; a database that has no such index leaves it out. */
export const embeddedItemIndex = (writer: () => ItemIndexWriter): ItemIndex => ({
  add: (items) => onEmbedded(() => void writer().add(items)),
  remove: (ids) => onEmbedded(() => void writer().remove(ids)),
  removeSession: (place) => onEmbedded(() => void writer().removeSession(place)),
});

/** On any database, by the units that write its index. */
export const rowItemIndex = (options: IndexWriteOptions = {}): ItemIndex => ({
  *add(items) {
    yield* addItems(items, options);
  },
  *remove(ids) {
    yield* removeItems(ids);
  },
  *removeSession(place) {
    yield* removeSession(place);
  },
});

function* nothing(): Unit<void> {}
/** For a gateway that searches nothing. */
export const noItemIndex: ItemIndex = { add: nothing, remove: nothing, removeSession: nothing };
