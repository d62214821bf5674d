// The records of the store as items of recall: those in use.
import { runUnit } from "../../../store/embedded-store.ts";
import type { RecallSource } from "../../recall/store/source.ts";
import { recordItem } from "../recall-item.ts";
import { recordById } from "./row.ts";

/** What waits for review, was replaced or is disputed is not found. */
export const recordSource: RecallSource = {
  kind: "record",
  ids: (db) =>
    db
      .prepare("SELECT id FROM memories WHERE status = 'active'")
      .all()
      .map((row) => String(row["id"])),
  item(db, id) {
    const user = db.prepare('SELECT "user" FROM memories WHERE id = ?').get(id)?.["user"];
    const record = user === undefined ? undefined : runUnit(db, recordById(id, String(user)));
    if (record?.status.type !== "active" || record.votes.disputed) return undefined;
    return recordItem(record, String(user));
  },
};
