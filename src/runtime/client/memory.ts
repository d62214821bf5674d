// What is remembered, in the user's own hand: of an open session or of the folder a command runs in.
import type { Failure } from "../../base/failure.ts";
import type { Result } from "../../base/result.ts";
import type {
  Author,
  Direction,
  MemoryChange,
  MemoryRecord,
  Resolution,
  Scope,
  Status,
} from "../../memory/record/contract.ts";
import type { ResultPromise } from "./open.ts";

export type { Direction, MemoryChange, MemoryRecord, Resolution } from "../../memory/record/contract.ts";
export { shortIds } from "../../memory/record/id.ts";

/** Which memories are meant; those of this repository and the user's own unless said. */
export type MemoryChoice = { scope?: Scope; repo?: string; all?: boolean };

export type MemoryQuery = {
  subject?: string;
  author?: Author["kind"];
  status?: Status["type"];
  stale?: boolean;
  text?: string;
};

export type MemoryTexts = { subject?: string; fact?: string; citations?: string[]; reason?: string };

export type MemoryAdded =
  | { type: "already_stored"; id: string; status: string }
  | { type: "stored"; record: MemoryRecord; redactions: number };

/** Undefined: nothing was different. */
export type MemoryEdited = { record: MemoryRecord; redactions: number } | undefined;

/** A memory is named by its id or the beginning of one. What changes something is refused in an agent's shell. */
export type MemoryAccess = {
  /** `repo` may be the address of a remote; from here on it is the repository's key. */
  choose<T extends MemoryChoice>(choice: T): Result<T, Failure>;
  /** The repository that is looked in, by its key; undefined when it is not one. */
  repositoryOf(choice: MemoryChoice): string | undefined;
  /** Whether the user's hand may change something here; `use`: it must be switched on too. */
  mayChange(use: boolean): Result<void, Failure>;
  list(
    choice: MemoryChoice,
    query: MemoryQuery,
    most?: number,
  ): ResultPromise<{ records: MemoryRecord[]; more: boolean }>;
  get(id: string, choice: MemoryChoice): ResultPromise<MemoryRecord>;
  /** With its citations looked up, and its history oldest first. */
  show(id: string, choice: MemoryChoice): ResultPromise<MemoryRecord & { history: MemoryChange[] }>;
  /** Their citations looked up; without ids all of this repository and the user's own. */
  verify(ids: readonly string[]): ResultPromise<MemoryRecord[]>;
  changes(choice: MemoryChoice, page: { since?: string; limit: number }): ResultPromise<MemoryChange[]>;
  /** `words`: the fact alone; what else a memory needs is then guessed. */
  add(words: string, texts: MemoryTexts & { scope?: Scope }): ResultPromise<MemoryAdded>;
  edit(record: MemoryRecord, texts: MemoryTexts & { trust?: "user" }, version: number): ResultPromise<MemoryEdited>;
  /** One after another; gives how many. */
  remove(ids: readonly string[]): ResultPromise<number>;
  /** `votes` is absent when this was the user's vote already. */
  vote(
    id: string,
    vote: { direction: Direction; reason: string | undefined },
    choice: MemoryChoice,
  ): ResultPromise<{ isNew: boolean; votes?: MemoryRecord["votes"] }>;
  resolve(id: string, resolution: Resolution, choice: MemoryChoice): ResultPromise<{ id: string; old?: string }>;
  /** Of edits: the texts before it come back as a new version. */
  undo(change: string, choice: MemoryChoice, force: boolean): ResultPromise<MemoryEdited>;
  /** Gives the whole path. */
  write(path: string, text: string): ResultPromise<string>;
};

/** Memory in an open session. */
export type MemoryInSession = {
  status(): Promise<{
    enabled: boolean;
    strategy: string;
    /** Why there is none to use. */
    why?: string;
    pending: number;
    lastFailure?: { code: string; at: string };
  }>;
  /** In the user's settings, and at once. Gives what is in force: something stronger may say otherwise. */
  switch(on: boolean): ResultPromise<boolean>;
  /** What the model sees; with words, only the lines that hold them. `unseen`: what is stored beside that. */
  visible(words: string): ResultPromise<{ section: string; unseen: MemoryRecord[] }>;
};
