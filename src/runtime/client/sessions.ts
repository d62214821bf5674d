// Stored sessions, for the faces: looked at, searched, changed and removed without being opened as a conversation.
import type { Failure } from "../../base/failure.ts";
import type { CheckpointMeta } from "../../context/compact/checkpoint.ts";
import type { Todo } from "../../schema/todo.ts";
import type { ResultPromise } from "./open.ts";

export type StoredSession = {
  id: string;
  name: string | null;
  cwd: string;
  git_root: string | null;
  repository: string | null;
  branch: string | null;
  model: string | null;
  event_count: number;
  created_at: string;
  updated_at: string;
  prompts: number;
};

/** A summary that a compaction has written, without secrets. */
export type CheckpointView = CheckpointMeta & { file: string; text: string };

export type SessionFacts = Readonly<Record<string, unknown>> & { sessionId: string; todos: Todo[] };

/** A session is named by its id, the beginning of one, or its name. */
export type SessionsAccess = {
  /** Latest use first; of this folder unless of all. */
  list(options: { all?: boolean; limit: number }): ResultPromise<StoredSession[]>;
  find(wanted: string): ResultPromise<{ id: string; name: string; prompts: number }>;
  show(wanted: string): ResultPromise<SessionFacts>;
  rename(wanted: string, title: string): ResultPromise<{ id: string }>;
  /** The text, or where it was written. */
  export(wanted: string, format: string, path: string | undefined): ResultPromise<{ text: string } | { path: string }>;
  rewind(wanted: string, to: string): ResultPromise<{ refs: string[]; eventsRemoved: number }>;
  /** Gives the new session's id. */
  fork(wanted: string, options: { name?: string; at?: string }): ResultPromise<string>;
  /** Gives those that could not be removed. */
  remove(ids: readonly string[]): ResultPromise<{ id: string; failure: Failure }[]>;
  /** Those that were last used before and that nobody has named, oldest first. */
  olderThan(days: number): ResultPromise<{ id: string; name: string; updatedAt: string }[]>;
  /** `items` of proxied sessions, `rows` of memories and board. `problem`: the index was damaged and is made anew. */
  reindex(): ResultPromise<{ sessions: number; items: number; rows: number; problem?: string }>;
  verify(wanted: string): ResultPromise<SessionCheck>;
};

export type SessionCheck = {
  id: string;
  events: number;
  onChain: number;
  unknownTypes: number;
  damaged: { line: number; offset: number; bytes: number }[];
};
