// Long work on the event loop, in short pieces: whoever waits is served in between.
import { setImmediate as nextRound } from "node:timers/promises";

/** Called between two pieces of the work. Lets others run once these have taken so long together. */
export function paced(sliceMs: number): () => Promise<void> {
  let begun = performance.now();
  return async () => {
    if (performance.now() - begun < sliceMs) return;
    await nextRound();
    begun = performance.now();
  };
}
