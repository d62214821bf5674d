// How much memory V8 may take beyond what is in use: left alone it trades several times that for time which a gateway does not need.
import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Beyond this size a larger space for short-lived objects saved no measurable time, and cost as much memory as it was large. */
const ENOUGH_BYTES = 16 * 1024 * 1024;
/** The heap is collected when it has grown by this share since the last time; V8 would let it become up to four times as large. */
const GROWTH_PERCENT = 25;

/** It holds for the threads of the process too. */
export function boundHeap(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  // The space for short-lived objects grows at collections only; once it is large enough it stays as it is.
  const observer = new PerformanceObserver(() => {
    const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
    if ((space?.space_size ?? 0) < ENOUGH_BYTES) return;
    setFlagsFromString("--semi-space-growth-factor=1");
    observer.disconnect();
  });
  observer.observe({ entryTypes: ["gc"] });
}
