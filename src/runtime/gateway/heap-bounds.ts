// How much memory V8 may take beyond what is in use: left alone it trades several times that for time which a gateway does not need.
import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { releaseMemory } from "../../base/release-memory.ts";
import type { GatewayEvent } from "../../schema/event/gateway.ts";

/** Beyond this size a larger space for short-lived objects saved no measurable time, and cost as much memory as it was large. */
const ENOUGH_BYTES = 16 * 1024 * 1024;
/** The heap is collected when it has grown by this share since the last time; V8 would let it become up to four times as large. */
const GROWTH_PERCENT = 25;
/** V8 counts the bytes of bodies as growth: large ones would have it go through the whole heap every few requests, for a few buffers. */
const LARGE_GROWTH_PERCENT = 100;
const LARGE_BYTES = 256 * 1024;
/** Garbage of such a body is collected when its items are likely to be stored: a gateway that rests would keep it for ever. */
const HUGE_BYTES = 8 * 1024 * 1024;
const REST_MS = 5_000;
/** What one request counts for in the mean size of bodies. */
const SHARE_OF_ONE = 1 / 8;

/** It holds for the threads of the process too. Who is given back has to see the proxy's events. */
export function boundHeap(
  setFlags: (flags: string) => void = setFlagsFromString,
  release: () => void = releaseMemory,
): (event: GatewayEvent) => void {
  let resting: NodeJS.Timeout | undefined;
  let growth = GROWTH_PERCENT;
  let meanBytes = 0;
  setFlags(`--heap-growing-percent=${growth}`);
  // The space for short-lived objects grows at collections only; once it is large enough it stays as it is.
  const observer = new PerformanceObserver(() => {
    const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
    if ((space?.space_size ?? 0) < ENOUGH_BYTES) return;
    setFlags("--semi-space-growth-factor=1");
    observer.disconnect();
  });
  observer.observe({ entryTypes: ["gc"] });
  return (event) => {
    if (event.type !== "proxy.request" || event.data.bytesIn === undefined) return;
    if (event.data.bytesIn > HUGE_BYTES) {
      clearTimeout(resting);
      resting = setTimeout(release, REST_MS).unref();
    }
    meanBytes += (event.data.bytesIn - meanBytes) * SHARE_OF_ONE;
    const next = meanBytes > LARGE_BYTES ? LARGE_GROWTH_PERCENT : GROWTH_PERCENT;
    if (next !== growth) setFlags(`--heap-growing-percent=${next}`);
    growth = next;
  };
}
