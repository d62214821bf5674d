// Time as an injected part: wall clock for records, monotonic clock for waits.
import { setTimeout as wait } from "node:timers/promises";

export type Clock = {
  /** Wall time as ISO text, for records only; order never depends on it. */
  now(): string;
  /** Milliseconds that never go back. */
  monotonic(): number;
  /** Resolves true after ms, or false as soon as the signal aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<boolean>;
};

export const systemClock: Clock = {
  now: () => new Date().toISOString(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    try {
      await wait(ms, undefined, signal ? { signal } : {});
      return true;
    } catch {
      return false; // the only rejection of a timer is its abort
    }
  },
};
