// What an importer of another client's history is: where its files lie, and pure readers that turn them into items.
import type { DatabaseSync } from "node:sqlite";
import type { Environment } from "../../settings/environment.ts";

/** What a history says of a session of its client. */
export type HistorySession = {
  /** As the client names it. */
  id: string;
  /** The folder that it ran in; it may be gone. */
  cwd?: string;
  branch?: string;
  /** The address of the repository's remote. */
  remote?: string;
  model?: string;
};

type ItemBase = {
  /** Unique in its session, and the same whenever the file is read. */
  id: string;
  /** Where it stands in its file: a line, or the id of a database's row. */
  line: number | string;
  /** In ISO form. */
  time?: string;
  /** The subagent whose conversation it belongs to. */
  agent?: string;
};

/** Where, when and by whose agent something was said. */
export type ItemOrigin = Pick<ItemBase, "line" | "time" | "agent">;

export type ImportedItem = ItemBase &
  (
    | {
        kind: "user";
        /** What was typed, without what the client put around it. */
        text: string;
        /** The message that it follows, by id; an earlier one than the last means that the client went back to it. */
        parent?: string;
      }
    | { kind: "assistant"; text: string; model?: string }
    | { kind: "call"; call: string; name: string; args: unknown }
    | { kind: "result"; call: string; text: string; failed: boolean }
    | { kind: "checkpoint"; text: string }
    /** Everything after that message was taken back; `turns`: so many prompts were, all of them without a number. */
    | { kind: "rewind"; to?: string; turns?: number }
  );

export type ParsedPart =
  /** The items that follow are of this session. */
  | { type: "session"; session: HistorySession }
  | { type: "item"; item: ImportedItem }
  /** An id that later items may name as their parent, of something that is no item. */
  | { type: "passed"; id: string }
  | { type: "skipped"; what: string }
  | { type: "bad"; line: number | string; reason: string };

/** A file of a history; what lies beside it is read only when a reader asks. */
export type HistoryFile = {
  path: string;
  /** The text of a small file, by its path from the folder of this one; undefined when it cannot be read. */
  beside(path: string): string | undefined;
  /** The names in a folder, by its path from the folder of this file. */
  names(path: string): string[];
};

/** Reads lines of JSON one after another. */
export type LineReader = {
  take(record: Record<string, unknown>, line: number): ParsedPart[];
  /** What the reader has to know to go on after the last line; it is stored as JSON. */
  carry(): unknown;
};

/** `lines`: read as a stream and continued where it grew. The others are read as a whole when they changed. */
export type HistoryForm = "lines" | "packed lines" | "document" | "database";

export type HistoryClient = {
  name: string;
  /** As people call it. */
  title: string;
  /** Raised when its readers take more than before: files are then read anew. */
  version: number;
  /** The folders of its histories. */
  places(env: Environment, userHome: string): string[];
  /** By the path below a place, or below the folder that somebody named; undefined: no history. */
  formOf(path: string): HistoryForm | undefined;
  lines?(file: HistoryFile, carry: unknown): LineReader;
  document?(text: string, file: HistoryFile): ParsedPart[];
  /** `unchanged`: says of a session by its id and the time of its last change that it needs no reading. */
  database?(
    db: DatabaseSync,
    file: HistoryFile,
    unchanged: (session: string, changed: string) => boolean,
  ): Iterable<ParsedPart>;
};
