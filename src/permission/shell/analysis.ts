// What is known of a shell line: its commands, what they write and read, where they go.
import type { Command, ParsedScript } from "unbash";
import type { ShellWord } from "./word.ts";

export type LineSpan = { start: number; end: number };

export type ShellCommand = {
  /** Empty for what is not a simple command but must still be judged. */
  words: ShellWord[];
  text: string;
  /** Where it stands in the whole line; for a command inside a string, where that string's command stands. */
  span: LineSpan;
  /** Why it cannot be known from the text; only bare `shell`, allow-all or a once answer lets it pass. */
  opaqueReason?: string;
  /** It may run programs that are not listed: a deny rule cannot be held against it. */
  mayRunOthers: boolean;
  /** Runs only what is listed after it. */
  transparent: boolean;
  /** Runs where the session does not, or on another machine. */
  elsewhere: boolean;
  /** The node of a command that stands in the line itself, not inside another command. */
  node?: Command;
};

type ShellTarget = { word: ShellWord; span: LineSpan };

export type ShellAnalysis = {
  command: string;
  /** Absent where the text is not to be trusted as text. */
  script?: ParsedScript;
  commands: ShellCommand[];
  /** What the line gives its variables; undefined where that is not literal. */
  variables: Map<string, (string | undefined)[]>;
  /** The texts of here-documents and here-strings. */
  texts: string[];
  writes: ShellTarget[];
  reads: ShellTarget[];
  /** Targets of cd: every relative path is judged from all folders it may then be relative to. */
  moves: string[];
};
