// What V8 is told of memory: to give it back at once, or to make less room for what is new.
import { setFlagsFromString } from "node:v8";
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
