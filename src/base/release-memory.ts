// Gives memory back at once. V8 lets garbage of hundreds of megabytes lie as long as it may grow.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let collect: (() => void) | undefined;

/** Takes some 50 ms: only after work on texts of many megabytes. */
export function releaseMemory(): void {
  if (!collect) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
    setFlagsFromString("--no-expose-gc");
  }
  collect();
}
