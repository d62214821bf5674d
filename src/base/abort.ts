// Waits that end: every wait has a signal and a limit.
type Timed<T> = { type: "value"; value: T } | { type: "timeout" } | { type: "aborted" };

/** A timer that is set for longer rings at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Waits for the promise, but no longer than the limit or the signal. The work itself is told by `signal`, not by this. */
export async function within<T>(promise: Promise<T>, ms: number, signal?: AbortSignal): Promise<Timed<T>> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const stop = new Promise<Timed<T>>((resolve) => {
    if (Number.isFinite(ms)) timer = setTimeout(() => resolve({ type: "timeout" }), Math.min(ms, MAX_TIMER_MS));
    if (signal) {
      onAbort = () => resolve({ type: "aborted" });
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort, { once: true });
    }
  });
  try {
    return await Promise.race([promise.then((value): Timed<T> => ({ type: "value", value })), stop]);
  } finally {
    clearTimeout(timer);
    if (signal && onAbort) signal.removeEventListener("abort", onAbort);
  }
}
