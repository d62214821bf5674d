// What a wait is made of: the question it asks after each change, and a timer that holds no process.
import { MAX_TIMER_MS } from "../../base/abort.ts";

/** Asked after every change; its first answer ends the wait. */
export type Waiter = { answer: () => boolean; reads: boolean };

export type After = (ms: number, run: () => void) => () => void;

/** Does not hold the process: what it waits for does. */
export const unreferencedTimer: After = (ms, run) => {
  const timer = setTimeout(run, Math.min(ms, MAX_TIMER_MS)).unref();
  return () => clearTimeout(timer);
};
