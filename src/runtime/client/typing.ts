// What an open session offers to whoever types into it: its whole log, messages that wait, commands of the user's own shell.
import type { Envelope } from "../../schema/event/envelope.ts";

/** How a command of the user's own ended. */
export type UserShellEnd = {
  output: string;
  code: number | null;
  /** It could not be started. */
  error?: string;
  stopped: boolean;
  durationMs: number;
};

export type UserShellRun = {
  command: string;
  /** The model will see it; the log says so. */
  isShared: boolean;
  /** Ends it and its children. */
  signal: AbortSignal;
  /** What it prints, as it comes. Must not throw. */
  onOutput: (text: string) => void;
  /** It was moved to the background: nobody waits for it any more. Must not throw. */
  onMoved: () => void;
};

export type TypingAccess = {
  /** Every event that the log had when the session was opened, in its order, also what a rewind took back. */
  readonly logged: readonly Envelope[];
  /** The newest message that waits goes back to the user; undefined when none waits. */
  takeBack(): Promise<string | undefined>;
  /** Runs a command in the user's own shell, and gives how it ended. */
  shell(run: UserShellRun): Promise<UserShellEnd>;
  /** Paths of the working folder that fit the letters, best first; folders end in `/`. Rejects without ripgrep. */
  findPaths(letters: string, limit: number, signal: AbortSignal): Promise<string[]>;
};
