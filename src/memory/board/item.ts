// The context board: what stands on it and what every command may answer.
import { holding, type Unit } from "../../store/unit.ts";
import type { FilteredText } from "../secret/filter.ts";

/** A board belongs to one branch of one repository; both keys are compared exactly. */
export type BoardPlace = { repository: string; branch: string };

/** Whoever decides by what stands on a board lets nobody else change it meanwhile. */
export const holdBoard = ({ repository, branch }: BoardPlace): Unit<void> => holding("board", repository, branch);

export type Src = "agent" | "user";
/** Where an item comes from: the session and the run that wrote it, the turns that it was learned from. */
export type ItemSource = { session?: string; run?: string; turns?: readonly string[] };

export type BoardItem = {
  src: Src;
  name: string;
  description: string;
  content: string;
  /** How often it was fetched, and by how many new sessions it was seen. */
  readCount: number;
  count: number;
  /** Text only: counters do not move it. */
  version: number;
  author: string;
  source: ItemSource;
  createdAt: string;
  updatedAt: string;
  lastReadAt: string | null;
};

/** Checked and filtered: what a store accepts. */
export type ItemText = { name: FilteredText; description: FilteredText; content: FilteredText };

/** Who changes the board. A run works against what it saw: rows that others changed since are left alone. */
export type BoardWriter = { actor: string; source: ItemSource; run?: string; seen?: BoardView };

/** Stamps of the rows of a moment, by `src/name`. The writer's own changes move it. */
type BoardView = Map<string, string>;

export const keyOf = ({ src, name }: Pick<BoardItem, "src" | "name">): string => `${src}/${name}`;
/** Differs whenever the text was changed, or the row removed and made anew. */
export const stampOf = ({ version, createdAt }: Pick<BoardItem, "version" | "createdAt">): string =>
  `${version} ${createdAt}`;
export const seenOf = (items: readonly BoardItem[]): BoardView => new Map(items.map((i) => [keyOf(i), stampOf(i)]));

export type PutOutcome =
  | { type: "stored"; isNew: boolean; items: number }
  /** `userItems`: how many of them only the user can remove. */
  | { type: "board_full"; userItems: number }
  | { type: "exists" }
  | { type: "not_found" }
  | { type: "changed_since"; now: BoardItem | undefined };

export type RemoveOutcome =
  | { type: "removed"; items: number }
  | { type: "not_found" }
  /** Only the user has an item of that name. */
  | { type: "user_item" }
  | { type: "changed_since"; now: BoardItem | undefined };
