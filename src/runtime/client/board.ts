// The context board in its user's own hand, of an open session or of the folder a command runs in.
import type { BoardChange } from "../../memory/board/change.ts";
import type { BoardItem, BoardPlace } from "../../memory/board/item.ts";
import type { Attempt } from "./open.ts";

export type { BoardChange } from "../../memory/board/change.ts";
export type { BoardItem } from "../../memory/board/item.ts";

/** Which board, and whose items; this repository's and branch's unless said. */
export type BoardChoice = { branch?: string; repo?: string; src?: string };

export type BoardStored = { key: string; redactions: number };

export type BoardAccess = {
  list(of: BoardChoice): Attempt<{ place: BoardPlace; items: BoardItem[] }>;
  /** By its name, or `src/name`. */
  show(name: string, of: BoardChoice): Attempt<BoardItem>;
  add(name: string, text: { description?: string; content?: string }, of: BoardChoice): Attempt<BoardStored>;
  /** What is not given stays. */
  edit(name: string, text: { description?: string; content?: string }, of: BoardChoice): Attempt<BoardStored>;
  remove(name: string, of: BoardChoice): Attempt<{ key: string; undoDays: number }>;
  changes(of: BoardChoice, page: { run?: string; limit?: number }): Attempt<BoardChange[]>;
  /** A change, or all of a run; gives the items that are as before. */
  undo(which: string, of: BoardChoice, force: boolean): Attempt<string[]>;
  adopt(branch: string, of: BoardChoice): Attempt<{ copied: string[]; clashed: string[]; full: string[] }>;
};
