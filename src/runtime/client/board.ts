// The context board in its user's own hand, of an open session or of the folder a command runs in.
import type { BoardChange } from "../../memory/board/change.ts";
import type { BoardItem, BoardPlace } from "../../memory/board/item.ts";
import type { ResultPromise } from "./open.ts";

export type { BoardChange } from "../../memory/board/change.ts";
export type { BoardItem } from "../../memory/board/item.ts";

/** Which board, and whose items; this repository's and branch's unless said. */
export type BoardChoice = { branch?: string; repo?: string; src?: string };

export type BoardStored = { key: string; redactions: number };

export type BoardAccess = {
  list(of: BoardChoice): ResultPromise<{ place: BoardPlace; items: BoardItem[] }>;
  /** By its name, or `src/name`. */
  show(name: string, of: BoardChoice): ResultPromise<BoardItem>;
  add(name: string, text: { description?: string; content?: string }, of: BoardChoice): ResultPromise<BoardStored>;
  /** What is not given stays. */
  edit(name: string, text: { description?: string; content?: string }, of: BoardChoice): ResultPromise<BoardStored>;
  remove(name: string, of: BoardChoice): ResultPromise<{ key: string; undoDays: number }>;
  changes(of: BoardChoice, page: { run?: string; limit?: number }): ResultPromise<BoardChange[]>;
  /** A change, or all of a run; gives the items that are as before. */
  undo(which: string, of: BoardChoice, force: boolean): ResultPromise<string[]>;
  adopt(branch: string, of: BoardChoice): ResultPromise<{ copied: string[]; clashed: string[]; full: string[] }>;
};
