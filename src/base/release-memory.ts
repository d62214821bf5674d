// What V8 is told of memory: to give it back at once, or to make less room for what is new.
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let collect: (() => void) | undefined;

/**
 * For work whose results are many and stay, such as a long history. The room for new objects no longer grows: each of them
 * is copied through it all the same, and a large room costs over 100 MB and a tenth of the time.
 */
export function keepNewSpaceSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}

/** V8 lets garbage of hundreds of megabytes lie as long as it may grow. Takes some 50 ms: only after work on texts of many megabytes. */
export function releaseMemory(): void {
  if (!collect) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
    setFlagsFromString("--no-expose-gc");
  }
  collect();
}

const MUCH_BYTES = 96 * 1024 * 1024;
const PAUSE_MS = 2_000;

/** For a thread, to be called after each piece of work: what a large one left behind is collected in the pause after it. */
export function heapKeeper(): () => void {
  let least = Number.POSITIVE_INFINITY;
  let pause: NodeJS.Timeout | undefined;
  return () => {
    const bytes = heapBytes();
    least = Math.min(least, bytes);
    if (pause || bytes - least < MUCH_BYTES) return;
    pause = setTimeout(() => {
      pause = undefined;
      releaseMemory();
      least = heapBytes();
    }, PAUSE_MS).unref();
  };
}

function heapBytes(): number {
  const { total_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external;
}
