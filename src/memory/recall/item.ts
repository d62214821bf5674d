// What can be recalled: an item is one stored text with the place it belongs to.

export const KINDS = ["turn", "tool", "checkpoint", "record", "board", "episode", "fact", "pin"] as const;
export type Kind = (typeof KINDS)[number];
/** What was said and done in conversations; the other kinds are kept in memory beside them. */
export const SAID: readonly Kind[] = ["turn", "tool", "checkpoint"];
type Level = "session" | "branch" | "repository" | "workspace" | "user" | "group";

/** Where an item belongs. Items of level `session` belong to one identity; the others to everybody who may look there. */
export type ItemPlace = {
  identity?: string;
  session?: string;
  repository?: string;
  branch?: string;
  /** A folder, or the canonical text of a set of folders. */
  workspace?: string;
  /** Whose it is, at level `user`. */
  user?: string;
  /** The partition of the graph that it is part of; at level `group` it belongs nowhere else. */
  group?: string;
  level: Level;
  /** The program the text came from. */
  client?: string;
};

export type Item = {
  /** Unique in the store: an event id, a record id, a chain hash. */
  id: string;
  kind: Kind;
  text: string;
  /** `user`, `assistant`, `tool`; any other value is a speaker's name and can be searched for. */
  role: string;
  /** Milliseconds since 1970; absent when unknown. */
  time?: number;
  /** The order in the session. */
  seq: number;
  turn?: number;
  /** Number of the item in its turn, for the ref `tN.k`. */
  index?: number;
  place: ItemPlace;
  /** Where it was imported from; the line may be the id of a database's row. */
  path?: string;
  line?: number | string;
  /** Whether the text came from the user or from somewhere else; carried, never ranked. */
  trust?: string;
};

/** Roles that are a part in the conversation, not somebody's name. */
const PARTS: ReadonlySet<string> = new Set([
  "user",
  "assistant",
  "tool",
  "system",
  "developer",
  "notification",
  "model",
  "human",
  "ai",
  "bot",
  // Of facts: whether they still hold.
  "current",
  "ended",
]);

/** Whether a role is somebody's name. */
export const isName = (role: string): boolean => role !== "" && !PARTS.has(role.toLowerCase());
