// Interrupts from outside: signals, and a reader of stdout that went away. The first cancels, a second leaves at once.
import { EXIT } from "./exit.ts";

export type Interrupts = { happened: string | undefined };

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** `cancel` must be quick and must not throw; the log is flushed event by event, so leaving at once loses nothing. */
export function listenForInterrupts(cancel: (reason: string) => void): Interrupts {
  const state: Interrupts = { happened: undefined };
  const on = (reason: string) => {
    if (state.happened && reason === "SIGINT") process.exit(EXIT.interrupted);
    if (state.happened) return;
    state.happened = reason;
    cancel(reason);
  };
  for (const signal of SIGNALS) process.on(signal, () => on(signal));
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED") on("stdout closed");
  });
  process.stderr.on("error", () => undefined); // nobody reads our notices: nothing to do about it
  return state;
}
