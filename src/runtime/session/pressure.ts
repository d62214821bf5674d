// Memory pressure: looked at now and then, garbage collected first, and acted on at most once in five minutes.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "../../base/clock.ts";

const CHECK_MS = 30_000;
const ACT_MS = 300_000;
export const MB = 1024 * 1024;

/** Gives true when the process is over its limit even after a collection, and it is time to do something about it. */
export function pressureGauge(
  limitMb: () => number,
  clock: Clock,
  rss: () => number = process.memoryUsage.rss,
): () => boolean {
  let nextCheck = 0;
  let nextAct = 0;
  return () => {
    const now = clock.monotonic();
    if (now < nextCheck || now < nextAct) return false;
    nextCheck = now + CHECK_MS;
    if (rss() <= limitMb() * MB) return false;
    collectGarbage();
    if (rss() <= limitMb() * MB) return false;
    nextAct = now + ACT_MS;
    return true;
  };
}

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") collect();
}
