// A command that runs now, whoever started it: what a person sees of it and can do with it.
import { clip } from "../../base/text.ts";

export type RunningShell = {
  /** Its name in this session; that of an agent's command begins with the agent's id. */
  id: string;
  /** The agent that started it; absent for the main agent and for the person. */
  agentId?: string;
  command: string;
  /** Whoever started it does nothing else meanwhile. */
  isWaitedFor: boolean;
  /** Whoever started it goes on without it, and is told. */
  moveToBackground: () => void;
  /** Ends it and all that it started; resolves when it has ended. */
  stop: () => Promise<void>;
};

/** What a list shows of it. */
export type ShellRow = Pick<RunningShell, "id" | "command" | "isWaitedFor">;

export const shellText = ({ id, command }: Pick<RunningShell, "id" | "command">): string =>
  `${id} (${clip(command.replace(/\s+/g, " "), 80)})`;
