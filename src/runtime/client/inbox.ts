// What sidekicks have sent to a session, for its user, whose looking marks nothing as read.
import type { InboxEntry } from "../../agent/inbox/entry.ts";
import type { ResultPromise } from "./open.ts";

export type { InboxEntry } from "../../agent/inbox/entry.ts";

export type InboxAccess = {
  /** Newest first, without secrets. */
  entries: readonly InboxEntry[];
  remove(id: string): ResultPromise<void>;
};
