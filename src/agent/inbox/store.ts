// Where inbox entries are kept: the table inbox_entries of the session's own database.
import { ok, type Result } from "../../base/result.ts";
import type { Fault } from "../../store/fault.ts";
import { eraseFromJournal } from "../../store/journal/journal.ts";
import { hasSessionDb, usingSessionDb } from "../../tool/sql/session-db.ts";
import type { FilteredEntry, InboxEntry } from "./entry.ts";

/** Every answer is a value: a folder that cannot be written is expected. */
export type InboxStore = {
  /** The entries in order of sending. */
  list(): Promise<Result<InboxEntry[], Fault>>;
  /** `isWanted` is asked once more within the transaction; false when it said no. */
  add(entry: FilteredEntry, isWanted: () => boolean): Promise<Result<boolean, Fault>>;
  /** What became of an entry: read, announced. */
  mark(entry: InboxEntry): Promise<Result<void, Fault>>;
  /** False when there was none. */
  remove(id: string): Promise<Result<boolean, Fault>>;
};

export function inboxStore(file: string): InboxStore {
  return {
    async list() {
      if (!hasSessionDb(file)) return ok([]);
      return usingSessionDb(file, (db) =>
        db.prepare("SELECT * FROM inbox_entries ORDER BY sequence").all().map(entryOf),
      );
    },
    add: (entry, isWanted) =>
      usingSessionDb(file, (db) => {
        if (!isWanted()) return false;
        db.prepare(`INSERT INTO inbox_entries VALUES (${Array(13).fill("?").join(", ")})`).run(...cells(entry));
        return true;
      }),
    mark: ({ id, unread, readAt, notifiedAt }) =>
      usingSessionDb(file, (db) => {
        db.prepare("UPDATE inbox_entries SET unread = ?, read_at = ?, notified_at = ? WHERE id = ?").run(
          ...[unread ? 1 : 0, readAt, notifiedAt, id],
        );
      }),
    async remove(id) {
      if (!hasSessionDb(file)) return ok(false);
      return usingSessionDb(file, (db) => {
        eraseFromJournal(db, { kind: "inbox", id });
        return db.prepare("DELETE FROM inbox_entries WHERE id = ?").run(id).changes > 0;
      });
    },
  };
}

const cells = (e: InboxEntry) => [
  ...[e.id, e.recipientSessionId, e.senderId, e.senderName, e.senderType, e.interactionId, e.sequence],
  ...[e.summary, e.content, e.unread ? 1 : 0, e.sentAt, e.readAt, e.notifiedAt],
];

const entryOf = (row: Record<string, unknown>): InboxEntry => ({
  id: String(row["id"]),
  recipientSessionId: String(row["recipient_session_id"]),
  senderId: String(row["sender_id"]),
  senderName: String(row["sender_name"]),
  senderType: String(row["sender_type"]),
  interactionId: String(row["interaction_id"]),
  sequence: Number(row["sequence"]),
  summary: String(row["summary"]),
  content: String(row["content"]),
  unread: row["unread"] === 1,
  sentAt: String(row["sent_at"]),
  readAt: textOrNull(row["read_at"]),
  notifiedAt: textOrNull(row["notified_at"]),
});

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);
