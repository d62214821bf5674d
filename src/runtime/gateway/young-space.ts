// How much memory short-lived objects may take: V8 lets their space grow to more than 100 MB, which a gateway does not need.
import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Beyond this size a larger space saved no measurable time, and cost as much memory as it was large. */
const ENOUGH_BYTES = 16 * 1024 * 1024;

/** Looked at after each collection, the only time it grows; once it is large enough it stays as it is. */
export function boundYoungSpace(): void {
  const observer = new PerformanceObserver(() => {
    const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
    if ((space?.space_size ?? 0) < ENOUGH_BYTES) return;
    setFlagsFromString("--semi-space-growth-factor=1");
    observer.disconnect();
  });
  observer.observe({ entryTypes: ["gc"] });
}
