// The records of the store as items of recall: those in use.
import { allRows, oneRow } from "../../../store/unit.ts";
import type { Item } from "../../recall/item.ts";
import type { RecallSource } from "../../recall/store/source.ts";
import type { MemoryRecord } from "../contract.ts";
import { recordItem } from "../recall-item.ts";
import { recordById } from "./row.ts";

/** What waits for review, was replaced or is disputed is not found. */
export const recordSource: RecallSource = {
  kind: "record",
  *ids() {
    return (yield* allRows("SELECT id FROM memories WHERE status = 'active'")).map((row) => String(row["id"]));
  },
  *item(id) {
    const user = (yield* oneRow('SELECT "user" FROM memories WHERE id = ?', id))?.["user"];
    const record = user === undefined ? undefined : yield* recordById(id, String(user));
    return record && recallItemOf(record, String(user));
  },
};

/** Undefined: nobody may find it. */
export const recallItemOf = (record: MemoryRecord, user: string): Item | undefined =>
  record.status.type === "active" && !record.votes.disputed ? recordItem(record, user) : undefined;
