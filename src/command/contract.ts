// What a command is: one operation that a person can ask for, on the command line, after a slash, or on both.
import type { Readable, Writable } from "node:stream";
import type { Failure } from "../base/failure.ts";
import { ok, type Result } from "../base/result.ts";
import type { AgentPrompt, Client, CommandResult, OpenOptions, SharedAccess } from "../runtime/client.ts";

/** An option as commander writes it: `--limit <n>`, `-f, --file <file>`, `--reindex [what]`. */
export type CommandOption = {
  flags: string;
  help: string;
  /** `count`: from 1 on; `number`: from 0 on; `words`: separated by commas; `list`: may be given again. */
  kind?: "count" | "number" | "words" | "list";
  choices?: readonly string[];
  default?: string | number;
  required?: true;
};

/** The words of a call. Options are what `options` of the command says; each command names those that it reads. */
export type CommandCall<Options = object> = { args: (string | undefined)[]; options: Options };

/** What a command did: for people as text, for programs as data. */
type CommandOutput = {
  text: string;
  /** What `--json` prints; of a command with `json: "lines"` an array. */
  data?: unknown;
  /** A message for the model that the command asks to be sent. */
  send?: string | AgentPrompt;
  /** The work was done, but what it found is bad news (1), or somebody ended it (130). */
  exit?: 1 | 130;
};
export type CommandOutcome = Result<CommandOutput, Failure>;

/** How far long work has got: of `total` bytes; `count` things came of it so far, `unit` names one of them. */
export type WorkProgress = { label: string; part: number; total: number; count: number; unit: string };

/** Who called, as far as a command can reach them. What is absent cannot be done here. */
export type Person = {
  /** Shows a line before the command has ended. */
  print(text: string): void;
  /** How far long work is: each line takes the place of the one before, an empty one ends them. */
  progress?(text: string): void;
  /** Undefined: there was no answer. */
  ask?(question: string): Promise<string | undefined>;
  confirm?(question: string): Promise<boolean>;
  /** The text in an editor; `save` gets what was left in it. */
  edit?<T>(text: string, save: (edited: string) => Promise<Result<T, Failure>>): Promise<Result<T, Failure>>;
  /** Long work that is watched, and can be stopped by the person: the signal ends it. Absent: it runs unwatched. */
  watch?<T>(work: (watched: { signal: AbortSignal; progress(step: WorkProgress): void }) => Promise<T>): Promise<T>;
  /** Text that was piped in; undefined when there is none. "if there": one that does not come at once is not waited for. */
  input?(how: "wait" | "if there"): Promise<Result<string | undefined, Failure>>;
  /** Columns of the terminal. */
  width?: number | undefined;
};

/** Faces that a command starts and does not know: whoever puts the program together gives them. */
export type Faces = {
  /** Speaks with an editor until that is gone. Gives the exit code. */
  editor(options: Pick<OpenOptions, "flags" | "trustFolder" | "agent">, process: OwnProcess): Promise<number>;
};

/** The process, for a command that has it to itself until it ends. */
export type OwnProcess = {
  stdin: Readable;
  stdout: Writable;
  print(text: string): void;
  /** On stderr. */
  warn(text: string): void;
  /** Prints it on stderr and gives its exit code. */
  fail(failure: Failure): number;
  /** What is printed on stderr is seen by a person, not kept in a log. */
  isWatched: boolean;
  /** The first signal that asks to end; a second one ends the process at once. */
  interrupted(): Promise<void>;
  /** From now on a signal ends the process at once. */
  endAtSignal(): void;
  /** Bugs that nobody catches are handed here instead of ending the process. */
  onBug(report: (error: unknown) => void): void;
  atExit(work: () => void): void;
  faces: Faces;
};

export type CommandContext = {
  person: Person;
  /** The open session that the command was typed into, or this machine. */
  on: SharedAccess;
};

type SlashForm = {
  /** The arguments as `/help` shows them. */
  usage: string;
  /** Where it differs from the command line's. */
  summary?: string;
  /** What a terminal does in place of running it; elsewhere it cannot be typed. */
  ofTerminal?: "exit" | "new session";
  /** Absent: the words are read as on the command line. */
  run?(
    text: string,
    client: Client,
    at: CommandContext & { commands: readonly SlashCommand[] },
  ): Promise<CommandOutcome>;
};

export type Command = {
  name: string;
  summary: string;
  alias?: string;
  /** As commander writes them: `<id> [name...]`. */
  arguments?: string;
  /** The line after its name in its help, where commander's own would not say enough. */
  usage?: string;
  options?: readonly CommandOption[];
  /** It takes `--json`: its data as one value, or one value a line. */
  json?: "value" | "lines";
  /** Among subcommands: the one that is meant when none is named. */
  isDefault?: true;
  subcommands?: readonly Command[];
  run?(call: CommandCall<never>, at: CommandContext): Promise<CommandOutcome>;
  /** On the command line only. Gives the exit code. */
  own?(call: CommandCall<never>, process: OwnProcess): Promise<number>;
  /** Options behind its first argument are not its own, and `args` are all words as they were typed. */
  raw?: true;
  /** Present when it can be typed after a slash. */
  slash?: SlashForm;
};
export type SlashCommand = Command & { slash: SlashForm };

/** `data` is what `--json` prints. */
export const output = (text: string, data?: unknown): CommandOutcome =>
  ok(data === undefined ? { text } : { text, data });

/** What a result says, in words or with its data; a failure stays one. */
export function describe<T>(result: Result<T, Failure>, words: (value: T) => string | CommandOutput): CommandOutcome {
  if (!result.ok) return result;
  const description = words(result.value);
  return typeof description === "string" ? output(description) : ok(description);
}

/** A text, as the outcome. */
export const asText = (result: CommandResult): CommandOutcome => describe(result, (text) => text);
